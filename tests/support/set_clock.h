#pragma once
#include <atomic>
#include <cmath>
#include <cstdint>

#include "core/loop/pacing.h"

namespace hyb::test {

/// A clock that stands until a test lets time pass; any thread. Who sleeps by it lets the time pass.
class SetClock final : public Clock {
 public:
  std::int64_t nowNs() noexcept override {
    ++asked_;
    return now_ns_;
  }
  int sleepUntilNs(std::int64_t wake_ns) noexcept override {
    if (const std::int64_t left_ns = wake_ns - now_ns_; left_ns > 0) now_ns_ += left_ns;
    return 0;
  }
  void pass(double seconds) { now_ns_ += std::llround(1e9 * seconds); }
  /// How often it has been looked at.
  std::uint64_t asked() const { return asked_; }

 private:
  std::atomic<std::int64_t> now_ns_{1'000'000'000};
  std::atomic<std::uint64_t> asked_{0};
};

/// While it lives, everything that is paced goes by a clock of the test.
class SetPacing {
 public:
  explicit SetPacing(Clock& clock) : before_(systemClock()) { replaceSystemClock(&clock); }
  ~SetPacing() { replaceSystemClock(&before_); }
  SetPacing(const SetPacing&) = delete;
  SetPacing& operator=(const SetPacing&) = delete;

 private:
  Clock& before_;
};

}  // namespace hyb::test
