#include <array>

#include "core/rig/ads_protocol.h"
#include "core/rig/frames_protocol.h"
#include "core/rig/modbus_protocol.h"
#include "core/rig/text_protocol.h"
#include "core/rig/udp_protocol.h"

namespace hyb {

std::span<const ProtocolEntry> rigProtocols() noexcept {
  static constexpr std::array<ProtocolEntry, 5> all{
      {{"frames", parseFrames}, {"text", parseText}, {"modbus", parseModbus}, {"ads", parseAds}, {"udp", parseUdp}}};
  return all;
}

}  // namespace hyb
