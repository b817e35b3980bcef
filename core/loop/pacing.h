#pragma once
#include <algorithm>
#include <cstdint>

#include "core/rig/lead.h"

namespace hyb {

/// Time source of a paced loop; tests provide their own.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t nowNs() noexcept = 0;
  /// Sleeps until the absolute time. Returns 0 or an errno.
  virtual int sleepUntilNs(std::int64_t wake_ns) noexcept = 0;
};
/// CLOCK_MONOTONIC and absolute clock_nanosleep.
Clock& systemClock() noexcept;
/// Replaces the clock of all pacing in tests. Call before anything runs. Null: the computer's clock.
void replaceSystemClock(Clock* clock) noexcept;

/// Sleeps to absolute wake-up times, so that jitter does not accumulate. A late wake-up skips whole periods and keeps
/// the phase. Step: bool(elapsed periods, lateness in ns); false ends the loop. Returns 0 or the errno of a failed
/// sleep.
template <typename Step>
int runPeriodic(std::int64_t period_ns, Clock& clock, Step&& step) noexcept {
  for (std::int64_t wake_ns = clock.nowNs() + period_ns;; wake_ns += period_ns) {
    if (const int error = clock.sleepUntilNs(wake_ns); error != 0) return error;
    const std::int64_t late_ns = std::max<std::int64_t>(0, clock.nowNs() - wake_ns);
    const std::int64_t skipped = late_ns / period_ns;
    wake_ns += skipped * period_ns;
    if (!step(1 + skipped, late_ns)) return 0;
  }
}

/// The same with a rig that may lead: then its readings begin the steps. Null: the clock does.
template <typename Step>
int runPeriodic(std::int64_t period_ns, Clock& clock, Lead* lead, Step&& step) noexcept {
  if (lead == nullptr) return runPeriodic(period_ns, clock, step);
  for (;;)
    if (const Beat beat = lead->await(); !step(beat.elapsed, beat.late_ns)) return 0;
}

class Loop;
/// Ticks `loop` at its rate until it ends. A late tick skips whole periods, keeps the phase, and is reported to the
/// loop. A rig that leads begins the ticks. Returns 0, or the errno of a failed sleep (the loop has then been stopped).
int runPaced(Loop& loop, Clock& clock) noexcept;

/// Histogram of the wake-up lateness, for `latency` and the timing view.
struct LatencyFigures {
  double rate_hz = 0.0;
  std::uint64_t ticks = 0, missed_periods = 0;
  std::int64_t min_ns = 0, median_ns = 0, p99_ns = 0, p999_ns = 0, max_ns = 0;
};
/// Measures the timing of this thread: wake-ups at rate_hz for duration_s. `progress` (0..1) may return false to
/// cancel.
LatencyFigures measureLatency(double rate_hz, double duration_s, Clock& clock,
                              bool (*progress)(double, void*) = nullptr, void* user = nullptr);

}  // namespace hyb
