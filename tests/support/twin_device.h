#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/rig/device.h"
#include "core/rig/faulty_rig.h"

namespace hyb::test {

/// A device that plays a rig in this process: channels command_i, command_rate_i (outputs), measured_i, force_i
/// (inputs) in SI. As over the rig protocol, a command makes the rig live through the ticks since the last one, and the
/// next read gives the sample that answered it. Takes the faults of the rig itself, not those of connection and
/// sensors.
class TwinDevice final : public Device {
 public:
  TwinDevice(std::unique_ptr<Rig> rig, double step_s) : rig_(makeFaultyRig(std::move(rig), step_s, 1)) {
    const auto n = static_cast<Eigen::Index>(rig_->interfaces());
    state_ = {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
    command_ = {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
  }
  std::string description() const override { return "Twin behind a device"; }
  void open() override {
    rig_->open();
    status_ = rig_->read(state_, 0);
    tick_ = 0;
  }
  RigStatus read(std::span<double> inputs) noexcept override {
    const auto n = static_cast<std::size_t>(state_.measured.size());
    for (std::size_t i = 0; i < n; ++i) {
      inputs[i] = state_.measured[static_cast<Eigen::Index>(i)];
      inputs[n + i] = state_.force[static_cast<Eigen::Index>(i)];
    }
    return status_;
  }
  RigStatus write(std::uint64_t tick, std::span<const double> outputs) noexcept override {
    status_ = rig_->read(state_, static_cast<std::int64_t>(tick - tick_));
    tick_ = tick;
    const auto n = static_cast<std::size_t>(state_.measured.size());
    for (std::size_t i = 0; i < n; ++i) {
      command_.position[static_cast<Eigen::Index>(i)] = outputs[i];
      command_.rate[static_cast<Eigen::Index>(i)] = outputs[n + i];
    }
    (void)rig_->write(command_);  // what the rig thinks of it comes with the next sample
    return RigStatus::ok;
  }
  void safeStop() noexcept override { rig_->safeStop(); }
  const LinkFigures& link() const noexcept override { return figures_; }
  std::vector<std::string> interlocks() const override { return rig_->interlocks(); }
  std::uint32_t interlocksOpen() const noexcept override { return rig_->interlocksOpen(); }
  bool inject(const FaultSpec& fault, bool begin) noexcept override {
    return faultFacts(fault.kind).place == FaultPlace::rig && rig_->inject(fault, begin);
  }
  std::string failure() const override { return rig_->failure(); }

 private:
  std::unique_ptr<Rig> rig_;
  RigState state_;
  Command command_;
  RigStatus status_ = RigStatus::ok;
  std::uint64_t tick_ = 0;
  LinkFigures figures_;
};

}  // namespace hyb::test
