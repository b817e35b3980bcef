#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/loop/limit_quantity.h"
#include "core/tick/event.h"

namespace hyb {

/// In ascending severity.
enum class Action : std::uint8_t { none, indicate, hold, ramp, stop };
std::string_view name(Action action) noexcept;

struct Limit {
  const LimitQuantity* quantity = nullptr;  // never null in a chain
  int interface = 0;                        // from 1; 0: each interface
  double threshold = 0.0;                   // > 0, SI
  Action action = Action::stop;
  std::optional<SignalKind> kind = {};  // kind of the monitored signals; none: of a displacement axis

  std::string channel = {}, channel_units = {};  // for a quantity that is a further column
  std::size_t column = 0;                        // index of that column; set by the loop

  std::string origin = {};  // source of the threshold if the project does not declare the limit

  SignalKind on() const noexcept {
    if (kind || !quantity->ofAxis()) return kind.value_or(SignalKind::displacement);
    return quantity->signal({});
  }
  std::string_view unit() const noexcept { return quantity->of_column ? channel_units : quantity->unitOf(on()); }
  std::string_view thresholdKey() const noexcept { return quantity->thresholdOf(on()); }
  /// True if it monitors that signal of this axis, numbered from 1.
  bool covers(int axis, const AxisSignals& signals) const {
    return quantity->ofAxis() && (interface == 0 || interface == axis) && quantity->signal(signals) == on();
  }
};

/// Term for people: "gap 2", "signal voltage_1".
std::string words(const Limit& limit);

/// Live value of a limit for the screen; written by the loop, read by anyone.
struct LimitMonitor {
  std::atomic<double> value{0.0};       // largest magnitude at this tick over the interfaces concerned
  std::atomic<double> peak{0.0};        // largest since arming
  std::atomic<double> crossed_at{0.0};  // value with which it was crossed last; 0: it was not
  std::atomic<double> threshold{0.0};
  std::atomic<bool> active{false};   // exceeded now
  std::atomic<bool> latched{false};  // was exceeded since arming
};

/// Decides inside the tick in which a limit is crossed. A not-a-number in any quantity always counts as crossing every
/// limit on it; the loop stops the test on one even without a limit of its own.
class SafetyChain {
 public:
  /// A limit counts as cleared once its quantity has stayed below for `clear_after_ticks`: an oscillation gives one
  /// event. `axes`: of the interface; a limit is on those that it covers.
  SafetyChain(std::vector<Limit> limits, const std::vector<AxisSignals>& axes, std::int64_t clear_after_ticks);
  const std::vector<Limit>& limits() const noexcept { return limits_; }
  const std::vector<LimitMonitor>& monitors() const noexcept { return monitors_; }
  /// The quantity that stands for this status of the rig, where no limit is on it; else null.
  const LimitQuantity* unwatched(RigStatus status) const noexcept {
    return status == RigStatus::ok ? nullptr : unwatchedTrouble(status);
  }
  void reset() noexcept;
  /// Strongest action asked for by the limits exceeded in this tick. Pushes limit_hit on crossing and limit_cleared on
  /// return. Real-time safe. `push(const Event&)` is called inside the tick.
  template <typename Push>
  Action check(const SafetySample& sample, std::uint64_t tick, Push&& push) noexcept {
    Action strongest = Action::none;
    decisive_ = -1;
    // What is counted is nothing in nearly every tick: its limits have seen that once.
    const bool nothing = sample.countsNothing(), seen = nothing && nothing_seen_;
    nothing_seen_ = nothing;
    for (const Watch& watch : seen ? uncounted_ : watches_) {
      const std::size_t l = watch.limit;
      LimitMonitor* const monitor = &monitors_[l];
      const double value = watch.of(sample);
      monitor->value.store(value, std::memory_order_relaxed);
      if (value > monitor->peak.load(std::memory_order_relaxed)) monitor->peak.store(value, std::memory_order_relaxed);
      const bool exceeded = value >= watch.crossed_from;
      if (!exceeded && !monitor->active.load(std::memory_order_relaxed)) continue;
      if (watch.counted) nothing_seen_ = false;  // it is to be cleared yet
      const Limit& limit = limits_[l];
      const Crossing crossing = cross(l, value, exceeded);
      const bool entered = crossing == Crossing::entered;
      if (entered || crossing == Crossing::left) {
        const Severity severity = !entered                       ? Severity::info
                                  : limit.action >= Action::ramp ? Severity::fault
                                                                 : Severity::warning;
        push(Event{tick,
                   entered ? EventCode::limit_hit : EventCode::limit_cleared,
                   severity,
                   static_cast<std::int32_t>(l),
                   value,
                   limit.threshold,
                   {}});
      }
      if ((entered || crossing == Crossing::inside) && limit.action > strongest) {
        strongest = limit.action;
        decisive_ = static_cast<int>(l);
      }
    }
    return strongest;
  }
  /// Index of the limit that asked for the strongest action in the last check; -1 if none.
  int decisive() const noexcept { return decisive_; }
  /// Real-time safe.
  void setThreshold(std::size_t limit, double threshold) noexcept;

 private:
  const LimitQuantity* unwatchedTrouble(RigStatus status) const noexcept;
  enum class Crossing : std::uint8_t { outside, entered, inside, left };
  Crossing cross(std::size_t l, double value, bool exceeded) noexcept;
  /// What each tick asks of a limit.
  struct Watch {
    const Eigen::VectorXd* SafetySample::*values;  // as of the quantity; where there are none, read() of `column`
    std::vector<Eigen::Index> axes;                // that it is on
    double (*read)(const SafetySample& sample, std::size_t column) noexcept;
    std::size_t column;
    double crossed_from;  // least value that exceeds it
    std::size_t limit;
    bool counted;
    /// Its value in this tick: of axes, the largest magnitude.
    double of(const SafetySample& sample) const noexcept {
      if (values == nullptr) return read(sample, column);
      const double* const value = (sample.*values)->data();
      double peak = 0.0;
      for (const Eigen::Index i : axes) peak = std::max(peak, magnitude(value[i]));
      return peak;
    }
  };
  static double crossedFrom(const Limit& limit) noexcept;
  std::vector<Limit> limits_;
  std::vector<Watch> watches_, uncounted_;  // of each limit; of those on what is not counted
  std::vector<LimitMonitor> monitors_;
  std::vector<std::int64_t> below_ticks_;  // since the quantity fell below its limit
  std::int64_t clear_after_ticks_;
  int decisive_ = -1;
  bool nothing_seen_ = false;  // by every limit on what is counted, of which none is active
};

}  // namespace hyb
