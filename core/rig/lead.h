#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace hyb {

/// Beginning of a tick.
struct Beat {
  std::int64_t elapsed = 1;  // periods since the last tick
  std::int64_t late_ns = 0;  // from the arrival of the reading until now; without a reading, from when it was due
};

/// A rig with a clock of its own, which leads the loop: a tick begins when its reading comes.
class Lead {
 public:
  virtual ~Lead() = default;
  /// Waits for the next reading, and no longer than LeadClock::dueNs(). Outside the tick; one thread, which also reads
  /// and writes. Allocates nothing.
  virtual Beat await() noexcept = 0;
};

/// Turns the arrivals of numbered readings into ticks, so that the time of a test is that of the rig that leads.
///
/// - A reading begins a tick. Numbers that never came are missed periods of this tick.
/// - Without a reading one and a half periods after the last one, the bench ticks by itself, period by period: a lost
/// or
///   late reading, or a pause of the rig, costs no tick.
/// - Readings that come later after all (their number follows, or they come in a burst) make up for these ticks and
///   begin none, so that the test does not run faster than the rig. After a pause in which the rig did not count, its
///   next reading begins a tick as always.
/// - Of several readings at once the newest counts; the others are missed periods.
///
/// Times are those of one clock in ns. Real-time safe.
class LeadClock {
 public:
  explicit LeadClock(double rate_hz) noexcept : period_ns_(std::llround(1e9 / rate_hz)) {}

  /// Nothing has come yet.
  void begin(std::int64_t now_ns) noexcept {
    reading_ns_ = tick_ns_ = window_ns_ = now_ns;
    due_ns_ = now_ns + period_ns_ + period_ns_ / 2;
    own_ = ticks_ = 0;
    silent_ = differed_ = false;
    agrees_ = true;
  }
  /// When the bench ticks by itself unless a reading comes.
  std::int64_t dueNs() const noexcept { return due_ns_; }

  /// Readings with `count` >= 1 new numbers have come, the newest at `at_ns`. Periods since the last tick; 0: no tick,
  /// as they make up for ticks that the bench made by itself.
  std::int64_t reading(std::int64_t count, std::int64_t at_ns) noexcept {
    const std::int64_t since_reading = at_ns - reading_ns_;
    reading_ns_ = at_ns;
    due_ns_ = at_ns + period_ns_ + period_ns_ / 2;
    const bool in_time = !std::exchange(silent_, false);
    const std::int64_t made_up = std::min(own_, count - 1);
    own_ -= made_up;
    const std::int64_t elapsed = count - made_up;
    if (own_ > 0 && std::min(since_reading, at_ns - tick_ns_) < period_ns_ / 2) {
      --own_;
      return 0;
    }
    if (in_time) own_ = 0;  // it goes on as before: what is missing does not come any more
    return tick(elapsed, at_ns);
  }
  /// dueNs() has passed. Periods since the last tick.
  std::int64_t silence(std::int64_t now_ns) noexcept {
    const std::int64_t elapsed = 1 + std::max<std::int64_t>(0, now_ns - due_ns_) / period_ns_;
    due_ns_ += elapsed * period_ns_;
    own_ += elapsed;
    silent_ = true;
    return tick(elapsed, now_ns);
  }

  /// False: in two windows of a second or more, one after the other, the ticks differ by more than kRateTolerance from
  /// the rate. In one alone they may: a target that was held up before catches up.
  bool agrees() const noexcept { return agrees_; }
  /// Rate of the ticks in the last window that did not agree, 1/s.
  double wrongRate_hz() const noexcept { return wrong_hz_; }
  static constexpr double kRateTolerance = 0.02;  // clocks differ by 1e-4; more is another rate

 private:
  std::int64_t tick(std::int64_t elapsed, std::int64_t now_ns) noexcept {
    tick_ns_ = now_ns;
    ticks_ += elapsed;
    const std::int64_t window = now_ns - window_ns_;
    if (window < kWindow_ns) return elapsed;
    const double expected = static_cast<double>(window) / static_cast<double>(period_ns_);
    // Three ticks: one at either end of the time, and one that the bench made by itself.
    if (std::abs(static_cast<double>(ticks_) - expected) > std::max(3.0, kRateTolerance * expected)) {
      agrees_ = agrees_ && !std::exchange(differed_, true);
      wrong_hz_ = 1e9 * static_cast<double>(ticks_) / static_cast<double>(window);
    } else {
      differed_ = false;
    }
    window_ns_ = now_ns;
    ticks_ = 0;
    return elapsed;
  }

  static constexpr std::int64_t kWindow_ns = 1'000'000'000;
  std::int64_t period_ns_;
  std::int64_t reading_ns_ = 0, tick_ns_ = 0, due_ns_ = 0;
  std::int64_t own_ = 0;  // ticks that the bench made by itself, for which readings may still come
  bool silent_ = false;   // it made one since the last reading
  std::int64_t window_ns_ = 0, ticks_ = 0;
  bool differed_ = false, agrees_ = true;  // in the last window; in all so far
  double wrong_hz_ = 0.0;
};

}  // namespace hyb
