#pragma once
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/rig/device_channels.h"
#include "core/rig/modbus_protocol.h"
#include "hardware/modbus_device.h"

namespace hyb::fuzz {

/// The product as client of a Modbus device with values of three types.
class ModbusClient {
 public:
  explicit ModbusClient(const std::string& address) {
    spec_.use = RigUse::rig;
    spec_.connection.address = address;
    spec_.connection.connect_s = 0.01;          // nobody restarts here
    ModbusSpec modbus{5, 0.002, 10.0, {}, {}};  // half a reply is waited for no longer
    const auto channel = [&](const char* name, ChannelRole role, int at, RegisterType type, WordOrder order) {
      ChannelSpec spec;
      spec.name = name;
      spec.role = role;
      spec.interface = 1;
      modbus.channels.push_back({Register::holding, at, type, order});
      spec_.channels.push_back(spec);
    };
    channel("command", ChannelRole::command, 0, RegisterType::float32, WordOrder::cdab);
    channel("force", ChannelRole::force, 12, RegisterType::float64, WordOrder::abcd);
    channel("displacement", ChannelRole::displacement, 10, RegisterType::int16, WordOrder::abcd);
    spec_.connection.protocol = protocolOf(modbus);
    channels_ = deviceChannels(spec_.channels, 50.0);
    channels_.paced = false;
  }
  /// Opens, reads and writes three times, and closes.
  void ask() const {
    try {
      const auto device = makeModbusDevice(spec_, channels_);
      device->open();
      std::array<double, 2> values{};
      for (int k = 0; k < 3; ++k) {
        const RigStatus status = device->read(values);
        if (status == RigStatus::link_lost) break;
        (void)device->write(static_cast<std::uint64_t>(k), std::array<double, 1>{1e-3});
      }
      device->close();
      (void)device->failure();
    } catch (const InputError&) {
    } catch (const DeviceError&) {
    }
  }

 private:
  RigSpec spec_;
  DeviceChannels channels_;
};

}  // namespace hyb::fuzz
