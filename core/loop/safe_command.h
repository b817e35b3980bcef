#pragma once
#include <Eigen/Core>
#include <cstdint>

#include "core/compensation/compensator.h"

namespace hyb {

/// Bounds of the safe command; [i], infinite if unbounded.
struct CommandBounds {
  Eigen::VectorXd rate;          // SI unit of the command per second
  Eigen::VectorXd acceleration;  // braking acceleration; infinite: it stops within one tick
  Eigen::VectorXd most;          // largest magnitude of the command

  void clear(Eigen::Index axes);
};

/// The command while the cut is open: armed, holding, stopping, returning from a hold and between trials. It continues
/// from the last written command and brakes within the bounds until it stands. If it must go to rest, it then follows a
/// cosine. All commands written in this time come from here. Real-time safe except for the constructor.
class SafeCommand {
 public:
  /// ramp_s: least time of the way to rest.
  SafeCommand(Eigen::Index axes, double step_s, double ramp_s);

  /// The command stands still.
  void standAt(const Eigen::VectorXd& position) noexcept;
  /// Takes over at the last written command, which moved at `rate`.
  void takeOver(const Eigen::VectorXd& position, const Eigen::VectorXd& rate, const CommandBounds& bounds) noexcept;
  /// Goes to rest as soon as the command stands.
  void letDown(const CommandBounds& bounds) noexcept;
  /// Advances this number of periods. `brakes_only`: the way to rest starts with the following ones.
  void advance(std::int64_t periods, bool brakes_only = false) noexcept;
  /// Position and rate in this tick; not a sum of harmonics.
  void put(Command& command) const noexcept;

  /// The command has reached rest.
  bool down() const noexcept { return lets_down_ && !brakes_ && seconds(ticks_) >= ramp_s_; }
  /// Its position, or its position at the start of the way to rest.
  const Eigen::VectorXd& stands() const noexcept { return stands_; }
  /// Time from this position to rest: the ramp, or longer if the ramp would exceed a bound.
  double rampFrom_s(const Eigen::VectorXd& position, const CommandBounds& bounds) const noexcept;

 private:
  static double rampFrom_s(double way, Eigen::Index i, const CommandBounds& bounds) noexcept;
  double seconds(std::int64_t ticks) const noexcept { return static_cast<double>(ticks) * step_s_; }
  void brake() noexcept;

  double step_s_, shortest_ramp_s_, ramp_s_;
  Eigen::VectorXd stands_, rate_;  // rate_: velocity that is still to be braked
  Eigen::VectorXd slower_, most_;  // braking per tick; largest magnitude on the way
  std::int64_t ticks_ = 0;         // since the start of the way to rest
  bool brakes_ = false, lets_down_ = false;
};

}  // namespace hyb
