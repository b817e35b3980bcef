#include "core/loop/pacing.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <vector>

#include "core/loop/loop.h"
#include "core/loop/realtime.h"

namespace hyb {
namespace {

class SystemClock final : public Clock {
 public:
  std::int64_t nowNs() noexcept override { return monotonicNs(); }
  int sleepUntilNs(std::int64_t wake_ns) noexcept override {
    const timespec wake{wake_ns / 1'000'000'000, wake_ns % 1'000'000'000};
    int error = EINTR;
    while (error == EINTR) error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nullptr);
    return error;
  }
};

std::atomic<Clock*> replacement{nullptr};

}  // namespace

Clock& systemClock() noexcept {
  static SystemClock clock;
  Clock* const other = replacement.load(std::memory_order_acquire);
  return other != nullptr ? *other : clock;
}

void replaceSystemClock(Clock* clock) noexcept { replacement.store(clock, std::memory_order_release); }

int runPaced(Loop& loop, Clock& clock) noexcept {
  const auto period_ns = static_cast<std::int64_t>(std::llround(1e9 / loop.config().rate_hz));
  const int error =
      runPeriodic(period_ns, clock, loop.lead(), [&loop](std::int64_t elapsed, std::int64_t late_ns) noexcept {
        return loop.tick(elapsed, late_ns, &monotonicNs);
      });
  if (error != 0) {  // neither pacing nor a ramp is possible any more
    loop.requestImmediateStop();
    while (loop.tick(1)) {
    }
  }
  return error;
}

LatencyFigures measureLatency(double rate_hz, double duration_s, Clock& clock, bool (*progress)(double, void*),
                              void* user) {
  const auto period_ns = static_cast<std::int64_t>(std::llround(1e9 / rate_hz));
  const auto wanted = static_cast<std::uint64_t>(std::max(1.0, rate_hz * duration_s));
  std::vector<std::int64_t> late;
  late.reserve(wanted);
  LatencyFigures figures;
  figures.rate_hz = rate_hz;
  const auto report_every = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rate_hz / 10.0));
  std::uint64_t periods = 0;
  runPeriodic(period_ns, clock, [&](std::int64_t elapsed, std::int64_t late_ns) noexcept {
    late.push_back(late_ns);
    periods += static_cast<std::uint64_t>(elapsed);
    figures.missed_periods += static_cast<std::uint64_t>(elapsed - 1);
    if (progress != nullptr && late.size() % report_every == 0 &&
        !progress(static_cast<double>(periods) / static_cast<double>(wanted), user))
      return false;
    return periods < wanted;
  });
  figures.ticks = late.size();
  if (late.empty()) return figures;
  std::sort(late.begin(), late.end());
  const auto quantile = [&late](double q) {
    return late[static_cast<std::size_t>(std::llround(q * static_cast<double>(late.size() - 1)))];
  };
  figures.min_ns = late.front();
  figures.median_ns = quantile(0.5);
  figures.p99_ns = quantile(0.99);
  figures.p999_ns = quantile(0.999);
  figures.max_ns = late.back();
  return figures;
}

}  // namespace hyb
