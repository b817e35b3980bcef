#pragma once
#include <algorithm>
#include <atomic>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/rig/device_channels.h"

namespace hyb::test {

/// A device whose inputs follow its outputs at once: displacement i is command i, force i is stiffness times it, both
/// as the raw values that their channels stand for; other inputs give `monitor`. The test scripts what goes wrong.
class LoopbackDevice : public Device {
 public:
  static constexpr double kStiffness = 1000.0;  // N/m

  explicit LoopbackDevice(const std::vector<ChannelSpec>& channels) {
    for (const ChannelSpec& channel : channels) (isOutput(channel.role) ? outputs_ : inputs_).push_back(channel);
    sent.assign(outputs_.size(), 0.0);
  }
  std::string description() const override { return "loop-back"; }
  void open() override {
    position_ = Eigen::VectorXd::Zero(16);
    last_tick = 0;
    stops = 0;
  }
  RigStatus read(std::span<double> inputs) noexcept override {
    if (last_tick >= lost_from_tick) return RigStatus::link_lost;
    if (reading != RigStatus::ok) return reading;
    for (std::size_t c = 0; c < inputs_.size(); ++c) {
      const ChannelSpec& channel = inputs_[c];
      const double x = channel.interface > 0 ? position_[channel.interface - 1] : 0.0;
      inputs[c] = channel.role == ChannelRole::displacement ? rawValue(channel, x)
                  : channel.role == ChannelRole::force      ? rawValue(channel, -kStiffness * x)
                                                            : monitor;
      if (static_cast<int>(c) == broken_input) inputs[c] = std::numeric_limits<double>::quiet_NaN();
    }
    return RigStatus::ok;
  }
  RigStatus write(std::uint64_t tick, std::span<const double> outputs) noexcept override {
    last_tick = tick;
    std::copy(outputs.begin(), outputs.end(), sent.begin());
    if (stops > 0) return RigStatus::fault;
    for (std::size_t c = 0; c < outputs_.size(); ++c)
      if (outputs_[c].role == ChannelRole::command)
        position_[outputs_[c].interface - 1] = scaledValue(outputs_[c], outputs[c]);
    return RigStatus::ok;
  }
  void safeStop() noexcept override { ++stops; }
  void close() noexcept override {
    safeStop();
    ++closes;
  }
  const LinkFigures& link() const noexcept override { return figures; }
  std::uint32_t status() const noexcept override { return word; }
  std::vector<std::string> interlocks() const override { return {"e-stop"}; }
  std::uint32_t interlocksOpen() const noexcept override { return emergency ? 1u : 0u; }
  bool inject(const FaultSpec& fault, bool) noexcept override { return fault.kind == FaultKind::power_off; }
  std::string failure() const override { return why; }

  LinkFigures figures;
  std::vector<double> sent;
  RigStatus reading = RigStatus::ok;
  double monitor = 0.0;
  int broken_input = -1;
  bool emergency = false;
  std::uint32_t word = kDeviceEnabled;
  std::uint64_t last_tick = 0, lost_from_tick = std::numeric_limits<std::uint64_t>::max();
  std::atomic<int> stops{0}, closes{0};
  std::string why;

 private:
  std::vector<ChannelSpec> outputs_, inputs_;
  Eigen::VectorXd position_ = Eigen::VectorXd::Zero(16);
};

}  // namespace hyb::test
