#pragma once
#include <Eigen/Core>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/loop/event.h"
#include "core/loop/rig.h"

namespace hyb {

enum class Quantity : std::uint8_t {
  command,
  command_rate,
  displacement,
  velocity,
  force,
  gap,
  energy_error,
  energy_growth,  // magnitudes against a threshold
  not_a_number,
  stale_data,
  missed_ticks,
  link_errors,
  link_lost,
  interlock,  // conditions; threshold = consecutive ticks or frames where it makes sense
};
/// Graded, mildest first.
enum class Action : std::uint8_t { none, indicate, hold, ramp, stop };
std::string_view name(Quantity quantity) noexcept;  // "command-rate"
std::string_view name(Action action) noexcept;
std::string_view unit(Quantity quantity) noexcept;  // "m", "m/s", "N", "J", "1/s", "ticks", "periods", "frames", ""

struct Limit {
  Quantity quantity = Quantity::gap;
  int interface = 0;       // from 1; 0 = each of them
  double threshold = 0.0;  // > 0, SI
  Action action = Action::stop;
};

/// What the chain looks at in one tick; [i].
struct SafetySample {
  const Eigen::VectorXd* command = nullptr;
  const Eigen::VectorXd* command_rate = nullptr;  // (u_k - u_{k-1}) / dt
  const Eigen::VectorXd* measured = nullptr;
  const Eigen::VectorXd* velocity = nullptr;
  const Eigen::VectorXd* force = nullptr;
  const Eigen::VectorXd* gap = nullptr;
  double energy_error_j = 0.0;       // fed in by the transfer system: - sum over i of integral f d(x - z)
  double energy_growth_per_s = 0.0;  // of the amplitudes while the transfer system adds energy; else 0
  std::int64_t missed_ticks = 0;     // missed periods before this tick
  std::int64_t link_errors = 0;      // frames lost, corrupt or out of order within the last second
  RigStatus rig_status = RigStatus::ok;
  std::int64_t stale_ticks = 0;  // consecutive
};

/// Live value of a limit for the screen; written by the loop, read by anyone.
struct LimitMonitor {
  std::atomic<double> value{0.0};  // largest magnitude at this tick over the interfaces concerned
  std::atomic<double> peak{0.0};   // largest since arming
  std::atomic<double> threshold{0.0};
  std::atomic<bool> active{false};   // exceeded now
  std::atomic<bool> latched{false};  // was exceeded since arming
};

/// No not-a-number in command, measured, force, gap and energy. Real-time safe.
bool isFinite(const SafetySample& sample) noexcept;

/// Decides inside the tick in which a limit is crossed. A not-a-number in any quantity always counts as crossing every
/// limit on it; the loop stops the test on one even without a limit of its own.
class SafetyChain {
 public:
  /// A limit counts as cleared once its quantity has stayed below for `clear_after_ticks`: an oscillation gives one
  /// event.
  explicit SafetyChain(std::vector<Limit> limits, std::int64_t clear_after_ticks = 1000);
  const std::vector<Limit>& limits() const noexcept { return limits_; }
  const std::vector<LimitMonitor>& monitors() const noexcept { return monitors_; }
  /// There is a limit on it.
  bool watches(Quantity quantity) const noexcept;
  void reset() noexcept;
  /// Strongest action asked for by the limits exceeded in this tick. Pushes limit_hit on crossing and limit_cleared on
  /// return. Real-time safe. `push(const Event&)` is called inside the tick.
  template <typename Push>
  Action check(const SafetySample& sample, std::uint64_t tick, Push&& push) noexcept {
    Action strongest = Action::none;
    decisive_ = -1;
    for (std::size_t l = 0; l < limits_.size(); ++l) {
      const Limit& limit = limits_[l];
      const double value = magnitude(limit, sample);
      const Crossing crossing = judge(l, value);
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
  enum class Crossing : std::uint8_t { outside, entered, inside, left };
  static double magnitude(const Limit& limit, const SafetySample& sample) noexcept;
  Crossing judge(std::size_t limit, double value) noexcept;
  std::vector<Limit> limits_;
  std::vector<LimitMonitor> monitors_;
  std::vector<std::int64_t> below_ticks_;  // since the quantity fell below its limit
  std::int64_t clear_after_ticks_;
  int decisive_ = -1;
};

}  // namespace hyb
