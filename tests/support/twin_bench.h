#pragma once
#include <functional>
#include <memory>

#include "core/rig/twin.h"
#include "tests/support/actuators.h"
#include "tests/support/three_mass.h"

namespace hyb::test {

/// Three-mass specimen on two actuators, no sensors' faults; servo 28 and 26.6 Hz unless changed.
inline TwinParams twoActuators() {
  TwinParams params;
  params.actuators = {servoActuator(28.0), servoActuator(26.6)};
  return params;
}

/// A twin driven tick by tick: read, then write.
class TwinBench {
 public:
  TwinBench(const TwinParams& params, double step_s,
            const Partition& partition = cut(threeMass(), threeMassPartition()))
      : rig_(makeTwin(partition, params, step_s)), step_s_(step_s) {
    const auto n = static_cast<Eigen::Index>(rig_->interfaces());
    state = {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
    command = {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
    rig_->open();
  }
  /// Reads the next tick into `state` and `status`; `command` may then be set and is written by the next call.
  void tick() {
    if (tick_ >= 0) (void)rig_->write(command);
    status = rig_->read(state, tick_ < 0 ? 0 : 1);
    ++tick_;
  }
  /// At rest again, before the first tick.
  void reopen() {
    rig_->open();
    tick_ = -1;
  }
  double time() const { return tick_ * step_s_; }
  Rig& rig() { return *rig_; }

  RigState state;
  Command command;
  RigStatus status = RigStatus::ok;

 private:
  std::unique_ptr<Rig> rig_;
  double step_s_;
  int tick_ = -1;
};

}  // namespace hyb::test
