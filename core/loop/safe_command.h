#pragma once
#include <Eigen/Core>
#include <cstdint>

#include "core/compensation/compensator.h"

namespace hyb {

/// What bounds a command that nobody computes any more; [i], infinite where there is no bound.
struct CommandBounds {
  Eigen::VectorXd rate;          // SI of the command, per second
  Eigen::VectorXd acceleration;  // with which it may be braked; infinite: it stops within one tick
  Eigen::VectorXd most;          // largest command to either side

  void clear(Eigen::Index axes);
};

/// The command while the cut is open: armed, holding, stopping, returning from a hold and between trials. It goes on
/// from the last command that was written: brakes within the bounds until it stands, and, where it is to go to rest,
/// goes there along a cosine. All that is written then comes from here. Real-time safe but for the constructor.
class SafeCommand {
 public:
  /// ramp_s: of the way to rest, at least.
  SafeCommand(Eigen::Index axes, double step_s, double ramp_s);

  /// It stands there.
  void standAt(const Eigen::VectorXd& position) noexcept;
  /// Takes over at the last command that was written, which moved at `rate`.
  void takeOver(const Eigen::VectorXd& position, const Eigen::VectorXd& rate, const CommandBounds& bounds) noexcept;
  /// To rest, as soon as it stands.
  void letDown(const CommandBounds& bounds) noexcept;
  /// So many periods on; `brakes_only`: the way to rest begins with the next ones.
  void advance(std::int64_t periods, bool brakes_only = false) noexcept;
  /// Position and rate of this tick; they are the sum of no harmonics.
  void put(Command& command) const noexcept;

  /// It has come to rest.
  bool down() const noexcept { return lets_down_ && !brakes_ && seconds(ticks_) >= ramp_s_; }
  /// Where it stands, or stood when it began to go to rest.
  const Eigen::VectorXd& stands() const noexcept { return stands_; }
  /// Time in which a command goes from there to rest: the ramp, longer where that would break a bound.
  double rampFrom_s(const Eigen::VectorXd& position, const CommandBounds& bounds) const noexcept;

 private:
  static double rampFrom_s(double way, Eigen::Index i, const CommandBounds& bounds) noexcept;
  double seconds(std::int64_t ticks) const noexcept { return static_cast<double>(ticks) * step_s_; }
  void brake() noexcept;

  double step_s_, shortest_ramp_s_, ramp_s_;
  Eigen::VectorXd stands_, rate_;  // rate_: what is left to brake
  Eigen::VectorXd slower_, most_;  // by which a tick brakes; largest magnitude on the way
  std::int64_t ticks_ = 0;         // since it began to go to rest
  bool brakes_ = false, lets_down_ = false;
};

}  // namespace hyb
