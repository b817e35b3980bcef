#pragma once
#include <memory>

#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// Modbus TCP or RTU by the address of the connection, as a polled device: commands are written to holding registers
/// (function 16, or 23 together with the reading if the device supports it), inputs are read from holding (3) or input
/// registers (4). A late, wrong or refused request makes the values stale; after three in a row the link is lost. A
/// broken TCP connection is reopened within `connect_s`. STOP writes `stop_registers` at once, without waiting for an
/// answer. Throws InputError for registers that do not fit, or a loop rate above the capacity of the serial bus.
std::unique_ptr<Device> makeModbusDevice(const RigSpec& rig, const DeviceChannels& channels);

}  // namespace hyb
