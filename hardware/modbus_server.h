#pragma once
#include <memory>

#include "hardware/polled_server.h"

namespace hyb {

/// A Modbus device (TCP, or RTU on a serial line) with the registers of the project: functions 3, 4, 6, 16 and 23.
/// Exceptions: 1 for other functions, 2 for registers without a channel, and for a part of the registers of a value, 3
/// for a wrong number of registers, 4 for commands that the rig does not follow, 11 for another unit over TCP. Damaged
/// frames get no answer.
std::unique_ptr<Responder> makeModbusResponder(const RigSpec& project, ServedRig& rig);

}  // namespace hyb
