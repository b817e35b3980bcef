#include "core/rig/device_rig.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/rig/device_channels.h"

namespace hyb {
namespace {

/// Interface, from 1, whose specimen a monitor with this name reads; 0: another quantity.
int specimenOf(const std::string& name) {
  constexpr std::string_view kStem = "specimen_";
  const bool named = name.starts_with(kStem) && name.find_first_not_of("0123456789", kStem.size()) == std::string::npos;
  return named ? std::atoi(name.c_str() + kStem.size()) : 0;
}
/// True if a test continues without values of the channel.
bool onlyShown(const ChannelSpec& channel) {
  return channel.role == ChannelRole::monitor && specimenOf(channel.name) == 0;
}

constexpr std::size_t kMostInterlocks = 32;
constexpr std::size_t kNoIndex = std::numeric_limits<std::size_t>::max();

class DeviceRig final : public Rig {
 public:
  DeviceRig(std::unique_ptr<Device> device, std::vector<ChannelSpec> channels, std::size_t interfaces, double rate_hz)
      : device_(std::move(device)), interfaces_(interfaces) {
    for (ChannelSpec& channel : channels) {
      if (isOutput(channel.role)) {
        outputs_.push_back(std::move(channel));
      } else {
        const double pole = channel.filter_hz > 0.0 ? std::exp(-2.0 * kPi * channel.filter_hz / rate_hz) : 0.0;
        inputs_.push_back({std::move(channel), pole, 0.0, false});
      }
    }
    raw_in_.resize(inputs_.size());
    raw_out_.resize(outputs_.size());
    forget();
  }
  ~DeviceRig() override { device_->safeStop(); }

  std::size_t interfaces() const noexcept override { return interfaces_; }
  std::string description() const override { return device_->description(); }

  void open() override {
    forget();
    device_->open();
    device_interlocks_ = device_->interlocks().size();
    requireValues();
    stopped_.store(false, std::memory_order_release);
  }
  void close() noexcept override {
    safeStop();
    device_->close();
  }

  RigStatus read(RigState& state, std::int64_t elapsed) noexcept override {
    tick_ += static_cast<std::uint64_t>(elapsed);
    const bool stopped = stopped_.load(std::memory_order_acquire);
    RigStatus received = RigStatus::fault;
    if (!stopped) received = device_->read(raw_in_);
    lost_ = lost_ || received == RigStatus::link_lost;
    bool fresh = true;
    std::size_t silent = kNoIndex;
    own_interlocks_ = 0;
    std::uint32_t bit = 1;
    for (std::size_t c = 0; c < inputs_.size(); ++c) {
      Input& input = inputs_[c];
      if (input.channel.role == ChannelRole::interlock) {
        input.known = input.known || !std::isnan(raw_in_[c]);
        fresh = fresh && input.known;
        if (input.known && interlockOpen(input.channel, raw_in_[c])) own_interlocks_ |= bit;
        bit <<= 1;
      } else {
        const bool known = input.take(raw_in_[c], elapsed);
        fresh = fresh && (known || onlyShown(input.channel));
        if (!known && silent == kNoIndex && !onlyShown(input.channel)) silent = c;
      }
      const auto i = static_cast<Eigen::Index>(input.channel.interface) - 1;
      if (input.channel.role == ChannelRole::displacement) state.measured[i] = input.value;
      if (input.channel.role == ChannelRole::force) state.force[i] = input.value;
    }
    if (!stopped) silent_.store(silent, std::memory_order_relaxed);
    return judge(received, fresh);
  }

  RigStatus write(const Command& command) noexcept override {
    if (stopped_.load(std::memory_order_acquire) || !command.position.allFinite() || !command.rate.allFinite())
      return RigStatus::fault;
    for (std::size_t c = 0; c < outputs_.size(); ++c) {
      const ChannelSpec& channel = outputs_[c];
      const Eigen::VectorXd& values = channel.role == ChannelRole::command ? command.position : command.rate;
      const double wanted = rawValue(channel, values[static_cast<Eigen::Index>(channel.interface) - 1]);
      raw_out_[c] = std::clamp(wanted, channel.raw_min, channel.raw_max);
      clipped_ = clipped_ || raw_out_[c] != wanted;
    }
    return device_->write(tick_, raw_out_);
  }

  void rampBegins() noexcept override { device_->rampBegins(); }
  void safeStop() noexcept override {
    stopped_.store(true, std::memory_order_release);
    device_->safeStop();
  }

  std::vector<Channel> channels() const override {
    std::vector<ChannelSpec> inputs;
    for (const Input& input : inputs_) inputs.push_back(input.channel);
    return deviceRigChannels(inputs);
  }

  void readChannels(std::span<double> values) const noexcept override {
    std::size_t column = 0;
    for (const double raw : raw_in_) values[column++] = raw;
    for (const Input& input : inputs_)
      if (input.channel.role == ChannelRole::monitor) values[column++] = input.value;
    values[column++] = static_cast<double>(device_->status());
    values[column] = static_cast<double>(device_->link().errors());
  }

  const LinkFigures* link() const noexcept override { return &device_->link(); }
  Lead* lead() noexcept override { return device_->lead(); }

  std::vector<std::string> interlocks() const override {
    std::vector<std::string> names = device_->interlocks();
    for (const Input& input : inputs_)
      if (input.channel.role == ChannelRole::interlock) names.push_back(input.channel.name);
    names.resize(std::min(names.size(), kMostInterlocks));
    return names;
  }
  std::uint32_t interlocksOpen() const noexcept override {
    return device_->interlocksOpen() |
           (device_interlocks_ < kMostInterlocks ? own_interlocks_ << device_interlocks_ : 0);
  }
  bool inject(const FaultSpec& fault, bool begin) noexcept override { return device_->inject(fault, begin); }
  std::string failure() const override {
    std::string own = device_->failure();
    if (!own.empty()) return own;
    const char* const said = complaint(fault_word_.load(std::memory_order_relaxed));
    if (*said != '\0') return device_->description() + " " + said;
    const std::size_t silent = silent_.load(std::memory_order_relaxed);
    return silent < inputs_.size() ? "the input " + inputs_[silent].channel.name + " has no value" : std::string();
  }

 private:
  struct Input {
    ChannelSpec channel;
    double pole;  // share of the filter's state after one period; 0: no filter
    double value;
    bool known;

    /// False: the raw value is NaN and the last one is kept.
    bool take(double raw, std::int64_t elapsed) noexcept {
      const double scaled = scaledValue(channel, raw);
      if (!std::isfinite(scaled)) return false;
      const double keep = known && pole > 0.0 ? std::pow(pole, static_cast<double>(elapsed)) : 0.0;
      value = keep * value + (1.0 - keep) * scaled;
      known = true;
      return true;
    }
  };

  /// Commands start at the positions of the actuators, which must be known before the first command.
  void requireValues() {
    (void)device_->read(raw_in_);
    for (std::size_t c = 0; c < inputs_.size(); ++c) {
      const ChannelSpec& channel = inputs_[c].channel;
      if (onlyShown(channel) || std::isfinite(scaledValue(channel, raw_in_[c]))) continue;
      close();
      throw DeviceError(device_->description() + ": the input " + channel.name +
                        " has no value; no actuator is moved. Check the sensor and the settings of the channel.");
    }
  }

  void forget() {
    std::fill(raw_in_.begin(), raw_in_.end(), kNoValue);
    for (Input& input : inputs_) {
      input.value = 0.0;
      input.known = false;
    }
    tick_ = 0;
    own_interlocks_ = 0;
    lost_ = clipped_ = false;
    fault_word_.store(0, std::memory_order_relaxed);
    silent_.store(kNoIndex, std::memory_order_relaxed);
  }

  RigStatus judge(RigStatus received, bool fresh) noexcept {
    const std::uint32_t word = device_->status();
    const bool clipped = std::exchange(clipped_, false);
    const RigStatus status = judged(lost_ ? RigStatus::link_lost : received, word);
    if (status == RigStatus::fault && fault_word_.load(std::memory_order_relaxed) == 0)
      fault_word_.store(word, std::memory_order_relaxed);
    if (status == RigStatus::link_lost || status == RigStatus::fault) return status;
    if (status == RigStatus::interlock || interlocksOpen() != 0) return RigStatus::interlock;
    if (status == RigStatus::stale || !fresh) return RigStatus::stale;
    return clipped ? RigStatus::saturated : status;
  }

  std::unique_ptr<Device> device_;
  std::size_t interfaces_;
  std::vector<ChannelSpec> outputs_;
  std::vector<Input> inputs_;
  std::vector<double> raw_in_, raw_out_;
  std::size_t device_interlocks_ = 0;
  std::uint32_t own_interlocks_ = 0;
  std::uint64_t tick_ = 0;
  bool lost_ = false, clipped_ = false;
  std::atomic<bool> stopped_{false};
  std::atomic<std::uint32_t> fault_word_{0};   // status word of the first fault
  std::atomic<std::size_t> silent_{kNoIndex};  // first input without a value at the last read before the end
};

}  // namespace

const char* complaint(std::uint32_t word) noexcept {
  constexpr std::array<std::pair<std::uint32_t, const char*>, 10> words = {{
      {kDeviceEmergencyStop, "reports an emergency stop"},
      {kDeviceFault, "reports a fault"},
      {kDeviceSensorFault, "reports a sensor in fault"},
      {kDeviceStopped, "has stopped"},
      {kDeviceInterlock, "reports an open interlock"},
      {kDevicePositionLimit, "reports its position limit"},
      {kDeviceForceLimit, "reports its force limit"},
      {kDeviceRateClipped, "clips the speed of the command"},
      {kDeviceCommandClipped, "clips the command"},
      {kDeviceSaturated, "reports saturation"},
  }};
  for (const auto& [bit, sentence] : words)
    if ((word & bit) != 0) return sentence;
  return "";
}

std::vector<Channel> deviceRigChannels(const std::vector<ChannelSpec>& channels) {
  std::vector<Channel> columns;
  for (const ChannelSpec& channel : channels)
    if (!isOutput(channel.role))
      columns.push_back(
          {"raw_" + channel.name, channel.units, "raw value of the input " + channel.name, channel.interface});
  for (const ChannelSpec& channel : channels)
    if (channel.role == ChannelRole::monitor) {
      Channel& column =
          columns.emplace_back(Channel{"monitor_" + channel.name, "", "scaled and filtered input " + channel.name});
      if (const int interface = specimenOf(channel.name); interface > 0) {
        column.name = channel.name;
        column.units = "m";
        column.interface = interface;
        column.role = ColumnRole::specimen;
        column.kind = SignalKind::displacement;
      }
    }
  columns.push_back({"device_status", "", "status word of the device", 0});
  columns.push_back({"link_errors", "frames", "frames lost, corrupt or out of order since arming", 0});
  return columns;
}

std::unique_ptr<Rig> makeDeviceRig(std::unique_ptr<Device> device, std::vector<ChannelSpec> channels,
                                   std::size_t interfaces, double rate_hz) {
  return std::make_unique<DeviceRig>(std::move(device), std::move(channels), interfaces, rate_hz);
}

}  // namespace hyb
