#include "hardware/driver_device.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/rig/device_channels.h"
#include "core/rig/driver_protocol.h"
#include "hardware/driver_link.h"
#include "hardware/polled_device.h"
#include "resources/plug-in/hybridbench_driver.h"

namespace hyb {
namespace {

constexpr double kLoad_s = 20.0;           // for the process to start and the library to load, on a busy computer
constexpr double kLeastPatience_s = 0.05;  // beyond a deadline, before the driver counts as hung

double patience_s(double deadline_s) { return deadline_s + std::max(kLeastPatience_s, 0.5 * deadline_s); }

class DriverInstrument final : public Instrument {
 public:
  DriverInstrument(ConnectionSpec connection, const std::vector<ChannelSpec>& channels, const DeviceChannels& asked)
      : connection_(std::move(connection)), spec_(settingsOf<DriverSpec>(connection_.protocol.get())) {
    Json outputs = Json::array(), inputs = Json::array();
    for (std::size_t c = 0; c < channels.size(); ++c)
      (isOutput(channels[c].role) ? outputs : inputs).push_back(spec_.channels[c]);
    request_ = Json{
        {"rate_hz", asked.rate_hz},
        {"silence_s", asked.paced ? spec_.silence_s : 0.0},  // in free run, time may stop
        {"settings", completeSettings(spec_)},
        {"outputs", outputs},
        {"inputs",
         inputs}}.dump();
  }

  std::string description() const override {
    return "driver \"" + spec_.driver->description->title + "\" (" + spec_.library.filename().string() + ")";
  }

  void connect() override {
    requireAccepted(spec_.driver->read->of, "/rig/connection/library");
    disconnect();
    armed_ = false;
    wake_.clear();
    link_ = std::make_unique<DriverLink>(*spec_.driver, spec_.own_process, wake_);
    try {
      open(*link_, false);
    } catch (...) {
      disconnect();
      throw;
    }
  }

  Exchange exchange(std::span<const double> outputs, std::span<double> inputs) override {
    if (!link_) return Exchange::broken;
    if (!outputs.empty() && !armed_) {
      const Exchange result = judge(link_->ask(DriverCall::arm, spec_.reply_s, patience_s(spec_.reply_s)));
      if (result != Exchange::ok) return result;
      armed_ = true;
    }
    const auto answer = link_->ask(DriverCall::exchange, spec_.reply_s, patience_s(spec_.reply_s), false, outputs);
    const Exchange result = judge(answer);
    if (result != Exchange::ok) return result;
    const std::vector<double>& values = link_->reply().values;
    if (values.size() != inputs.size()) {
      complaint_ = "its answer has a wrong length";
      return Exchange::corrupt;
    }
    std::copy(values.begin(), values.end(), inputs.begin());
    return Exchange::ok;
  }

  Stopped stop() override {
    if (link_) {
      // The exchange that may be running comes first.
      const auto answer = link_->ask(DriverCall::stop, spec_.stop_s, patience_s(spec_.reply_s) + spec_.stop_s, true);
      if (answer == DriverLink::Answer::answered) return resultOf(link_->reply());
    }
    return spec_.own_process ? stopAnew() : Stopped::unsent;
  }

  void disconnect() noexcept override { link_.reset(); }

  void interrupt() noexcept override { wake_.interrupt(); }
  const std::string& complaint() const noexcept override { return complaint_; }

 private:
  /// Loads the library and opens the device. Throws DeviceError.
  void open(DriverLink& link, bool for_stop) {
    const auto must = [&](DriverLink::Answer answer) {
      if (judge(link, answer) != Exchange::ok) throw DeviceError(description() + ": " + complaint_ + ".");
    };
    must(link.ask(DriverCall::load, kLoad_s, kLoad_s, for_stop));
    const double open_s = for_stop ? std::max(connection_.connect_s, spec_.stop_s) : connection_.connect_s;
    must(link.ask(DriverCall::open, open_s, patience_s(open_s), for_stop, {}, request_));
  }

  /// In a new process, after the first one is ended.
  Stopped stopAnew() {
    disconnect();
    const std::string first = complaint_;
    Stopped stopped = Stopped::unsent;
    try {
      DriverLink link(*spec_.driver, true, wake_);
      open(link, true);
      if (link.ask(DriverCall::stop, spec_.stop_s, patience_s(spec_.stop_s), true) == DriverLink::Answer::answered)
        stopped = resultOf(link.reply());
    } catch (const DeviceError&) {  // the device cannot be reached
    }
    complaint_ = first;
    return stopped;
  }

  static Stopped resultOf(const DriverMessage& reply) {
    switch (reply.head.result) {
      case HYB_STOP_CONFIRMED:
        return Stopped::confirmed;
      case HYB_STOP_SENT:
        return Stopped::sent;
      case HYB_STOP_UNCONFIRMED:
        return Stopped::unconfirmed;
      case HYB_STOP_REFUSED:
        return Stopped::refused;
      default:
        return Stopped::unsent;
    }
  }

  Exchange judge(DriverLink::Answer answer) { return judge(*link_, answer); }
  Exchange judge(const DriverLink& link, DriverLink::Answer answer) {
    switch (answer) {
      case DriverLink::Answer::interrupted:
        return Exchange::lost;
      case DriverLink::Answer::late:
        complaint_ = "the driver " + link.complaint();
        return Exchange::lost;
      case DriverLink::Answer::ended:
        complaint_ = "the driver " + link.complaint();
        return Exchange::broken;
      case DriverLink::Answer::answered:
        break;
    }
    if (link.reply().head.result == HYB_OK) return Exchange::ok;
    complaint_ = "the driver " + link.reply().text;
    switch (link.reply().head.result) {
      case HYB_LATE:
        return Exchange::lost;
      case HYB_BAD_ANSWER:
        return Exchange::corrupt;
      case HYB_LOST:
        return Exchange::broken;
      default:
        return Exchange::fault;
    }
  }

  const ConnectionSpec connection_;
  const DriverSpec& spec_;  // of connection_
  std::string request_;
  DriverWake wake_;
  std::unique_ptr<DriverLink> link_;
  bool armed_ = false;
  std::string complaint_;
};

/// The narrower of the ranges of the project and of the driver.
DeviceChannels limited(DeviceChannels channels, const std::vector<ChannelSpec>& given, const DriverSpec& spec) {
  std::size_t output = 0, input = 0;
  for (std::size_t c = 0; c < given.size(); ++c) {
    const bool is_output = isOutput(given[c].role);
    DeviceChannel& channel = is_output ? channels.outputs[output++] : channels.inputs[input++];
    if (const DriverChannel* own = spec.driver->description->channel(spec.channels[c], is_output)) {
      channel.min = std::max(channel.min, own->min);
      channel.max = std::min(channel.max, own->max);
    }
  }
  return channels;
}

}  // namespace

std::unique_ptr<Device> makeDriverDevice(const RigSpec& rig, const DeviceChannels& channels) {
  const auto& spec = settingsOf<DriverSpec>(rig.connection.protocol.get());
  spec.faults.throwIfAny();
  if (rig.channels.empty())
    throw InputError("/rig/channels", "a driver needs channels; enter the channel of the driver for each.");
  return std::make_unique<PolledDevice>(std::make_unique<DriverInstrument>(rig.connection, rig.channels, channels),
                                        limited(channels, rig.channels, spec), spec.max_age_s);
}

}  // namespace hyb
