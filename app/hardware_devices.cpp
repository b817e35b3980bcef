#include "app/hardware_devices.h"

#include "hardware/frames_device.h"
#include "hardware/modbus_device.h"
#include "hardware/text_device.h"

namespace hyb::app {

std::unique_ptr<Device> makeHardwareDevice(const RigSpec& rig, const DeviceChannels& channels) {
  if (std::holds_alternative<FramesSpec>(rig.connection.protocol)) return makeFramesDevice(rig.connection, channels);
  if (std::holds_alternative<TextSpec>(rig.connection.protocol)) return makeTextDevice(rig, channels);
  return makeModbusDevice(rig, channels);
}

}  // namespace hyb::app
