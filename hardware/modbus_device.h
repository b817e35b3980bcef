#pragma once
#include <memory>

#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// Modbus TCP or RTU by the address of the connection, as a polled device: commands go into holding registers
/// (function 16, or 23 together with the reading where the device answers it), inputs come from holding (3) or input
/// registers (4). A late, wrong or refused request makes the values stale; three in a row lose the link. A TCP
/// connection that broke is opened again within `connect_s`. STOP writes `stop_registers` at once, without waiting for
/// an answer. Throws InputError: registers that do not fit, or a loop rate above what the serial bus carries.
std::unique_ptr<Device> makeModbusDevice(const RigSpec& rig, const DeviceChannels& channels);

}  // namespace hyb
