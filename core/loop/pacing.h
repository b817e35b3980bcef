#pragma once
#include <atomic>
#include <cstdint>

namespace hyb {

/// Where a paced loop gets its time from; the tests inject their own.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t nowNs() noexcept = 0;
  /// Sleeps until the absolute time; returns 0 or an errno.
  virtual int sleepUntilNs(std::int64_t wake_ns) noexcept = 0;
};
/// CLOCK_MONOTONIC and absolute clock_nanosleep.
Clock& systemClock() noexcept;

class Loop;
/// Ticks `loop` at its rate until it ends. A late tick skips whole periods, which keeps the phase, and is told to the
/// loop. Returns 0, or the errno of a failed sleep (the loop has then been stopped).
int runPaced(Loop& loop, Clock& clock) noexcept;

/// Histogram of wake-up lateness, for `latency` and the timing view.
struct LatencyFigures {
  double rate_hz = 0.0;
  std::uint64_t ticks = 0, missed_periods = 0;
  std::int64_t min_ns = 0, median_ns = 0, p99_ns = 0, p999_ns = 0, max_ns = 0;
};
/// Measures what this thread can promise: wake-ups at rate_hz for duration_s. `progress` (0..1) may return false to
/// cancel.
LatencyFigures measureLatency(double rate_hz, double duration_s, Clock& clock,
                              bool (*progress)(double, void*) = nullptr, void* user = nullptr);

}  // namespace hyb
