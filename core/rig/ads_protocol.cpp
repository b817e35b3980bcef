#include "core/rig/ads_protocol.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/json.h"
#include "core/rig/address.h"
#include "core/rig/ads_values.h"
#include "core/rig/device_channels.h"

namespace hyb {
namespace {

constexpr std::size_t kLongestSymbol = 255;

/// `count` numbers from 0 to 255 with dots between them, and nothing else.
template <std::size_t count>
std::optional<std::array<std::uint8_t, count>> dottedNumbers(const std::string& text) {
  std::array<std::uint8_t, count> numbers{};
  std::size_t at = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (k > 0 && (at >= text.size() || text[at++] != '.')) return std::nullopt;
    int number = 0, digits = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && digits < 4; ++at, ++digits)
      number = 10 * number + (text[at] - '0');
    if (digits == 0 || digits > 3 || number > 255) return std::nullopt;
    numbers[k] = static_cast<std::uint8_t>(number);
  }
  if (at != text.size()) return std::nullopt;
  return numbers;
}

std::string lowered(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

/// True if writing one also writes the other. Symbols are not case-sensitive.
bool overlap(const AdsPlace& a, const AdsPlace& b) {
  if (a.symbol.empty() != b.symbol.empty()) return false;  // unknown
  if (!a.symbol.empty()) return lowered(a.symbol) == lowered(b.symbol);
  return a.group == b.group && a.offset < b.offset + plcSize(b.type) && b.offset < a.offset + plcSize(a.type);
}

/// True for groups whose offset counts bits, of which each value of this driver takes whole bytes.
bool countsBits(std::uint32_t group) { return group == 0xF021 || group == 0xF031; }

std::string placeName(const AdsPlace& place) {
  return place.symbol.empty()
             ? "index group " + std::to_string(place.group) + ", offset " + std::to_string(place.offset)
             : place.symbol;
}

void checkSymbol(const std::string& symbol, const std::string& where, Checks& checks) {
  const bool plain = std::ranges::all_of(symbol, [](unsigned char c) { return c > ' ' && c < 0x7F; });
  if (!plain || symbol.size() > kLongestSymbol)
    checks.fault(where, "\"" + symbol +
                            "\" is not the name of a PLC variable; write it without blanks, with its "
                            "program or variable list, for example MAIN.target.");
}

void checkPlace(const AdsPlace& place, const std::string& where, Checks& checks) {
  if (place.symbol.empty() && place.group == 0)
    checks.fault(
        where + "/symbol",
        "is missing; enter the PLC variable, for example MAIN.target, or \"Index group\" and \"Index offset\".");
  else if (!place.symbol.empty() && (place.group != 0 || place.offset != 0))
    checks.fault(where + (place.group != 0 ? "/index_group" : "/index_offset"),
                 "cannot be combined with \"PLC variable\"; keep one of them.");
  else if (!place.symbol.empty())
    checkSymbol(place.symbol, where + "/symbol", checks);
  else if (countsBits(place.group) && place.type != PlcType::boolean)
    checks.fault(where + "/plc_type", std::string("is ") + plcName(place.type) + ", but index group " +
                                          std::to_string(place.group) + " holds bits; give BOOL, or the group " +
                                          std::to_string(place.group - 1) + ".");
}

void checkStopValue(const AdsPlace& place, double value, const std::string& where, Checks& checks) {
  const double lowest = plcLowest(place.type), highest = plcHighest(place.type);
  if (!(value >= lowest && value <= highest))
    checks.fault(where, "does not fit into " + std::string(plcName(place.type)) + "; enter a value from " +
                            Checks::text(lowest, "") + " to " + Checks::text(highest, "") + ".");
  else if (isWholePlc(place.type) && value != std::nearbyint(value))
    checks.fault(where, "is not a whole number, which " + std::string(plcName(place.type)) + " needs.");
}

class AdsProtocol final : public ProtocolOf<AdsSpec> {
 public:
  using ProtocolOf::ProtocolOf;
  std::string_view name() const noexcept override { return "ads"; }
  std::string_view missingStop() const override { return spec.stop.empty() ? "\"stop_values\"" : ""; }

  void check(const RigSpec& rig, std::optional<double> /*rate_hz*/, Checks& checks) const override {
    if (rig.channels.empty()) checks.fault("/rig/channels", kNeedsChannels);
    checkAddresses(rig.connection.address, checks);
    for (std::size_t c = 0; c < spec.channels.size(); ++c)
      checkPlace(spec.channels[c], "/rig/channels/" + std::to_string(c), checks);
    checkOutputs(rig, checks);
    if (!spec.watchdog.empty()) checkSymbol(spec.watchdog, "/rig/connection/watchdog", checks);
    for (std::size_t s = 0; s < spec.stop.size(); ++s) {
      const std::string where = "/rig/connection/stop_values/" + std::to_string(s);
      checkPlace(spec.stop[s].first, where, checks);
      checkStopValue(spec.stop[s].first, spec.stop[s].second, where + "/value", checks);
    }
  }

 private:
  void checkAddresses(const std::string& address, Checks& checks) const {
    if (isSerial(address)) {
      checks.fault("/rig/connection/address", "is a serial port, but ADS runs over TCP; give tcp://HOST:48898.");
      return;
    }
    if (!spec.source_net_id.empty() && !parseNetId(spec.source_net_id))
      checks.fault("/rig/connection/source_net_id", netIdSentence(spec.source_net_id));
    if (!spec.target_net_id.empty()) {
      if (!parseNetId(spec.target_net_id))
        checks.fault("/rig/connection/target_net_id", netIdSentence(spec.target_net_id));
      return;
    }
    try {
      if (!targetNetId(spec, parseAddress(address, "").host))
        checks.fault("/rig/connection/target_net_id",
                     "is missing, and it does not follow from the address \"" + address +
                         "\"; enter the AMS NetId of the controller (TwinCAT > System > Routes), for example "
                         "5.1.2.3.1.1.");
    } catch (const InputError&) {  // of the address, which is reported anyway
    }
  }
  static std::string netIdSentence(const std::string& text) {
    return "is \"" + text + "\", which is no AMS NetId; enter six numbers from 0 to 255, for example 192.168.0.10.1.1.";
  }

  void checkOutputs(const RigSpec& rig, Checks& checks) const {
    for (std::size_t c = 0; c < rig.channels.size() && c < spec.channels.size(); ++c) {
      if (!isOutput(rig.channels[c].role)) continue;
      const AdsPlace& own = spec.channels[c];
      const char* key = own.symbol.empty() ? "index_offset" : "symbol";
      for (std::size_t other = 0; other < c; ++other)
        if (isOutput(rig.channels[other].role) && overlap(own, spec.channels[other]))
          checks.fault(channelPlace(c, key), placeName(own) + " belongs to \"" + rig.channels[other].name +
                                                 "\" already; give each output its own variable.");
      if (!spec.watchdog.empty() && lowered(own.symbol) == lowered(spec.watchdog))
        checks.fault(channelPlace(c, key), own.symbol + " is the watchdog too; give each its own variable.");
    }
  }
};

AdsPlace readPlace(const Json& entry) {
  AdsPlace place;
  read(entry, "symbol", place.symbol);
  read(entry, "index_group", place.group);
  read(entry, "index_offset", place.offset);
  readChoice(entry, "plc_type",
             {"BOOL", "SINT", "USINT", "INT", "UINT", "DINT", "UDINT", "LINT", "ULINT", "REAL", "LREAL"}, place.type);
  return place;
}

}  // namespace

std::string AmsNetId::text() const {
  std::string text;
  for (const std::uint8_t byte : bytes) text += (text.empty() ? "" : ".") + std::to_string(byte);
  return text;
}

std::optional<AmsNetId> parseNetId(const std::string& text) {
  const auto numbers = dottedNumbers<6>(text);
  return numbers ? std::optional(AmsNetId{*numbers}) : std::nullopt;
}

std::optional<AmsNetId> usualNetId(const std::string& host) {
  const auto numbers = dottedNumbers<4>(host);
  if (!numbers) return std::nullopt;
  const auto& [a, b, c, d] = *numbers;
  return AmsNetId{{a, b, c, d, 1, 1}};
}

std::optional<AmsNetId> targetNetId(const AdsSpec& spec, const std::string& host) {
  return spec.target_net_id.empty() ? usualNetId(host) : parseNetId(spec.target_net_id);
}

RigProtocolPtr protocolOf(AdsSpec spec) { return std::make_shared<const AdsProtocol>(std::move(spec)); }

RigProtocolPtr parseAds(const Json& connection, const Json& channels) {
  AdsSpec spec;
  read(connection, "target_net_id", spec.target_net_id);
  read(connection, "target_port", spec.target_port);
  read(connection, "source_net_id", spec.source_net_id);
  read(connection, "source_port", spec.source_port);
  read(connection, "reply_s", spec.reply_s);
  read(connection, "max_age_s", spec.max_age_s);
  read(connection, "state_s", spec.state_s);
  read(connection, "task", spec.task);
  read(connection, "watchdog", spec.watchdog);
  for (const Json& entry : connection.value("stop_values", Json::array())) {
    double value = 0.0;
    read(entry, "value", value);
    spec.stop.emplace_back(readPlace(entry), value);
  }
  for (const Json& channel : channels) spec.channels.push_back(readPlace(channel));
  return protocolOf(std::move(spec));
}

}  // namespace hyb
