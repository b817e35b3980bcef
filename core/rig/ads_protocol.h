#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/rig/protocol.h"

namespace hyb {

/// AMS NetId of a controller or a computer: six numbers, "5.1.2.3.1.1". Purely logical; by habit its IP address and
/// ".1.1".
struct AmsNetId {
  std::array<std::uint8_t, 6> bytes{};
  bool operator==(const AmsNetId&) const = default;
  std::string text() const;
};
/// Nothing if the text is not six numbers from 0 to 255 with dots between them.
std::optional<AmsNetId> parseNetId(const std::string& text);
/// The usual NetId of an IPv4 address, "192.168.0.2" gives 192.168.0.2.1.1; nothing for a name or an IPv6 address.
std::optional<AmsNetId> usualNetId(const std::string& host);

/// Elementary types of a PLC program (IEC 61131-3).
enum class PlcType : std::uint8_t { boolean, sint, usint, int_, uint, dint, udint, lint, ulint, real, lreal };

/// Place and type of a value in the controller.
struct AdsPlace {
  std::string symbol = {};  // "MAIN.target"; empty: index group and offset
  std::uint32_t group = 0, offset = 0;
  PlcType type = PlcType::lreal;
};

/// Beckhoff ADS over TCP.
struct AdsSpec {
  std::string target_net_id;  // of the controller; empty: usual one of the address
  int target_port = 851;      // AMS port of the PLC runtime
  std::string source_net_id;  // of this computer; empty: usual one of its address
  int source_port = 30000;    // AMS port of the bench
  double reply_s = 0.5;
  double max_age_s = 0.1;
  double state_s = 0.2;                           // interval of the checks of state and program
  int task = 1;                                   // PLC task whose cycle is checked; 0: none
  std::string watchdog;                           // UDINT symbol that counts the commands; empty: none
  std::vector<std::pair<AdsPlace, double>> stop;  // written on STOP and at the end
  std::vector<AdsPlace> channels;                 // [the rig's channels]
};
/// The NetId of the controller at this host; nothing if it must be entered.
std::optional<AmsNetId> targetNetId(const AdsSpec& spec, const std::string& host);

RigProtocolPtr protocolOf(AdsSpec spec);
RigProtocolPtr parseAds(const Json& connection, const Json& channels);

}  // namespace hyb
