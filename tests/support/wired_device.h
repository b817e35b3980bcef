#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/project/project.h"
#include "core/rig/device_channels.h"
#include "core/run/build.h"
#include "core/run/device_factory.h"

namespace hyb::test {

/// What a test does to a wired device, and what it sees of it; shared with the test, which outlives the device.
struct Wires {
  std::map<std::string, std::string> plugged;    // input -> the input whose value it really carries
  std::map<std::string, double> factor;          // of raw values, inputs and outputs: -1 for a reversed one
  std::map<std::string, double> offset;          // of raw inputs
  std::string failure = "the cable was pulled";  // what the device says of a lost link
  std::function<void()> on_open;                 // may wait, may throw DeviceError
  std::atomic<bool> taken{false};                // by one device; there is one rig
  std::atomic<bool> link_lost{false}, interlock_open{false}, silent{false};
  std::atomic<std::uint32_t> word{kDeviceEnabled};  // status word
  std::atomic<int> opened{0}, closed{0}, safe_stops{0}, written{0}, alive{0};
};

/// A device that plays the project's twin in SI, one period for each read, wired as `wires` says.
class WiredDevice final : public Device {
 public:
  WiredDevice(std::unique_ptr<Rig> twin, const DeviceChannels& channels, std::shared_ptr<Wires> wires)
      : twin_(std::move(twin)), channels_(channels), wires_(std::move(wires)) {
    const auto n = static_cast<Eigen::Index>(twin_->interfaces());
    state_ = {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
    command_ = {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
    ++wires_->alive;
  }
  ~WiredDevice() override {
    letGo();
    --wires_->alive;
  }
  std::string description() const override { return "bench of the test"; }
  void open() override {
    if (wires_->on_open) wires_->on_open();
    if (!mine_ && wires_->taken.exchange(true)) throw DeviceError("the rig serves another bench");
    mine_ = true;
    twin_->open();
    ++wires_->opened;
  }
  RigStatus read(std::span<double> inputs) noexcept override {
    if (wires_->link_lost) return RigStatus::link_lost;
    if (wires_->silent) return RigStatus::stale;
    const RigStatus status = twin_->read(state_, first_ ? 0 : 1);
    first_ = false;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const std::string& name = channels_.inputs[k].name;
      const auto plugged = wires_->plugged.find(name);
      inputs[k] = value(plugged != wires_->plugged.end() ? plugged->second : name) * factor(name);
      if (const auto offset = wires_->offset.find(name); offset != wires_->offset.end()) inputs[k] += offset->second;
    }
    link_.received.fetch_add(1);
    link_.addRoundTrip(200'000);
    return status;
  }
  RigStatus write(std::uint64_t, std::span<const double> outputs) noexcept override {
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const std::string& name = channels_.outputs[k].name;
      Eigen::VectorXd& side = name.starts_with("command_rate_") ? command_.rate : command_.position;
      side[interface(name)] = outputs[k] * factor(name);
    }
    ++wires_->written;
    link_.sent.fetch_add(1);
    return wires_->link_lost ? RigStatus::link_lost : twin_->write(command_);
  }
  void safeStop() noexcept override {
    ++wires_->safe_stops;
    twin_->safeStop();
  }
  void close() noexcept override {
    safeStop();
    letGo();
    ++wires_->closed;
  }
  std::uint32_t status() const noexcept override { return wires_->word; }
  const LinkFigures& link() const noexcept override { return link_; }
  std::vector<std::string> interlocks() const override { return {"door"}; }
  std::uint32_t interlocksOpen() const noexcept override { return wires_->interlock_open ? 1u : 0u; }
  bool inject(const FaultSpec& fault, bool begin) noexcept override { return twin_->inject(fault, begin); }
  std::string failure() const override { return wires_->link_lost ? wires_->failure : ""; }

 private:
  void letGo() noexcept {
    if (mine_) wires_->taken = false;
    mine_ = false;
  }
  static Eigen::Index interface(const std::string& name) { return std::stoi(name.substr(name.rfind('_') + 1)) - 1; }
  double value(const std::string& name) const {
    return name.starts_with("force_") ? state_.force[interface(name)] : state_.measured[interface(name)];
  }
  double factor(const std::string& name) const {
    const auto found = wires_->factor.find(name);
    return found == wires_->factor.end() ? 1.0 : found->second;
  }

  std::unique_ptr<Rig> twin_;
  DeviceChannels channels_;
  std::shared_ptr<Wires> wires_;
  RigState state_;
  Command command_;
  LinkFigures link_;
  bool first_ = true, mine_ = false;
};

/// Devices for `project`, whose channels must be named as they are where a project names none.
inline DeviceFactory wiredDevices(const Project& project, std::shared_ptr<Wires> wires) {
  return [project, wires = std::move(wires)](const RigSpec&, const DeviceChannels& channels) {
    return std::make_unique<WiredDevice>(buildTwin(project, buildPartition(project)), channels, wires);
  };
}

}  // namespace hyb::test
