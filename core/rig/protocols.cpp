#include <array>

#include "core/rig/ads_protocol.h"
#include "core/rig/driver_protocol.h"
#include "core/rig/frames_protocol.h"
#include "core/rig/modbus_protocol.h"
#include "core/rig/text_protocol.h"
#include "core/rig/udp_protocol.h"

namespace hyb {

std::span<const ProtocolEntry> rigProtocols() noexcept {
  static constexpr std::array<ProtocolEntry, 6> all{{{"frames", parseFrames},
                                                     {"text", parseText},
                                                     {"modbus", parseModbus},
                                                     {"ads", parseAds},
                                                     {"udp", parseUdp},
                                                     {"driver", parseDriver}}};
  return all;
}

}  // namespace hyb
