#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/rig/modbus_protocol.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// 16-bit registers of a value: 1, 2 or 4.
int registerCount(RegisterType type) noexcept;
/// Value of registers in the order of transmission, [registerCount]. 123456.0 as float32 is 47F1 2000 (abcd), 2000 47F1
/// (cdab), F147 0020 (badc), 0020 F147 (dcba).
double decodeRegisters(std::span<const std::uint16_t> registers, RegisterType type, WordOrder order) noexcept;
/// The inverse; integers are rounded and limited to the range of their type.
void encodeRegisters(double value, RegisterType type, WordOrder order, std::span<std::uint16_t> registers) noexcept;

/// Registers of one request.
struct RegisterBlock {
  Register table = Register::holding;
  int address = 0, count = 0;
};
/// Position of a value in the blocks.
struct RegisterPlace {
  std::size_t block = 0, offset = 0;  // offset in registers
  RegisterType type = RegisterType::float32;
  WordOrder order = WordOrder::abcd;
};
struct RegisterPlan {
  std::vector<RegisterBlock> blocks;
  std::vector<RegisterPlace> places;  // [commands] or [inputs], in the order of the channels
};

/// Few requests for many values: the commands among the channels, or all others. Neighbours are merged, at most 125
/// registers read or 123 written at once; registers without a channel are never accessed. Throws InputError at the
/// channels ("/rig/channels/<k>/address"): beyond register 65535, a command on input registers or on those of another.
/// `registers`: [channels].
RegisterPlan planRegisters(std::span<const ChannelSpec> channels, std::span<const ModbusSpec::Channel> registers,
                           bool writing);

/// Shortest time on a serial bus to read the inputs and write the outputs once, s: bytes both ways and the silences of
/// 3.5 characters (1.75 ms above 19,200 Bd), without the response time of the device.
double busTime_s(const RegisterPlan& inputs, const RegisterPlan& outputs, const SerialSpec& serial) noexcept;

/// Message if the rate exceeds the capacity of the bus; "" if it does not.
std::string busLimitSentence(double rate_hz, double bus_time_s);

}  // namespace hyb
