#include "hardware/drivers.h"

#include <array>

#include "core/base/error.h"
#include "hardware/ads_device.h"
#include "hardware/driver_device.h"
#include "hardware/frames_device.h"
#include "hardware/modbus_device.h"
#include "hardware/text_device.h"
#include "hardware/udp_device.h"

namespace hyb {

std::span<const Driver> drivers() noexcept {
  static constexpr std::array<Driver, 6> all{
      {{"frames",
        [](const RigSpec& rig, const DeviceChannels& channels) { return makeFramesDevice(rig.connection, channels); }},
       {"text", makeTextDevice},
       {"modbus", makeModbusDevice},
       {"ads", makeAdsDevice},
       {"udp", [](const RigSpec& rig, const DeviceChannels& channels) { return makeUdpDevice(rig, channels); }},
       {"driver", makeDriverDevice}}};
  return all;
}

std::unique_ptr<Device> makeDevice(const RigSpec& rig, const DeviceChannels& channels) {
  for (const Driver& driver : drivers())
    if (rig.connection.protocol && driver.protocol == rig.connection.protocol->name())
      return driver.make(rig, channels);
  throw InputError("/rig/connection", "is missing; enter the connection to the rig.");
}

}  // namespace hyb
