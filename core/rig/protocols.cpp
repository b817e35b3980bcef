#include <array>

#include "core/rig/frames_protocol.h"
#include "core/rig/modbus_protocol.h"
#include "core/rig/text_protocol.h"

namespace hyb {

std::span<const ProtocolEntry> rigProtocols() noexcept {
  static constexpr std::array<ProtocolEntry, 3> all{
      {{"frames", parseFrames}, {"text", parseText}, {"modbus", parseModbus}}};
  return all;
}

}  // namespace hyb
