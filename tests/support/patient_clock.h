#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "core/loop/pacing.h"

namespace hyb::test {

/// Runs at the pace of the computer's clock but stands while the computer is busy elsewhere, so that no tick is ever
/// late and no limit on lateness decides a test. Each thread has its own time.
class PatientClock final : public Clock {
 public:
  std::int64_t nowNs() noexcept override { return time(); }
  int sleepUntilNs(std::int64_t wake_ns) noexcept override {
    constexpr std::int64_t kLongest_ns = 1'000'000'000;
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::clamp<std::int64_t>(wake_ns - time(), 0, kLongest_ns)));
    time() = std::max(time(), wake_ns);
    return 0;
  }

 private:
  static std::int64_t& time() noexcept {
    static thread_local std::int64_t now_ns = std::chrono::steady_clock::now().time_since_epoch().count();
    return now_ns;
  }
};

/// While it lives, everything that is paced goes by a patient clock.
class PatientPacing {
 public:
  PatientPacing() { replaceSystemClock(&clock_); }
  ~PatientPacing() { replaceSystemClock(nullptr); }
  PatientPacing(const PatientPacing&) = delete;
  PatientPacing& operator=(const PatientPacing&) = delete;

 private:
  PatientClock clock_;
};

}  // namespace hyb::test
