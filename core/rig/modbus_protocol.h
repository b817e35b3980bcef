#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "core/rig/protocol.h"

namespace hyb {

enum class Register : std::uint8_t { holding, input };
enum class RegisterType : std::uint8_t { int16, uint16, int32, uint32, float32, float64 };
enum class WordOrder : std::uint8_t { abcd, cdab, badc, dcba };

/// Modbus TCP or RTU, selected by the address.
struct ModbusSpec {
  /// Location of a channel's value.
  struct Channel {
    Register table = Register::holding;
    int address = 0;
    RegisterType type = RegisterType::float32;
    WordOrder order = WordOrder::abcd;
  };
  int unit_id = 255;
  double reply_s = 0.5;
  double max_age_s = 0.1;
  std::vector<std::pair<int, int>> stop_registers;  // protocol address, value: written on STOP and at the end
  std::vector<Channel> channels;                    // [the rig's channels]
  bool function_23 = true;                          // one request may write and read
};

RigProtocolPtr protocolOf(ModbusSpec spec);
RigProtocolPtr parseModbus(const Json& connection, const Json& channels);

}  // namespace hyb
