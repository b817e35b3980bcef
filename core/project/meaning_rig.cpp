#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <map>

#include "core/base/json.h"
#include "core/project/families.h"
#include "core/project/meaning.h"
#include "core/project/rig_legs.h"
#include "core/project/schema.h"
#include "core/rig/address.h"
#include "core/rig/device_channels.h"

namespace hyb {
namespace {

constexpr std::size_t kMostInterlocks = 32;  // bits of a word

/// A valid date YYYY-MM-DD.
bool isDate(const std::string& date) {
  int year = 0;
  unsigned month = 0, day = 0;
  const auto number = [&](std::size_t at, std::size_t length, auto& value) {
    const char* const first = date.data() + at;
    const auto [last, error] = std::from_chars(first, first + length, value);
    return error == std::errc() && last == first + length;
  };
  return date.size() == 10 && date[4] == '-' && date[7] == '-' && number(0, 4, year) && number(5, 2, month) &&
         number(8, 2, day) &&
         std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)).ok();
}

bool isColumnName(const std::string& name) {
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return c < 0x80 && (std::isalnum(c) != 0 || c == '_' || c == '-'); });
}

const char* wordOf(ChannelRole role) {
  constexpr std::array<const char*, 6> words = {"command", "command-rate", "displacement",
                                                "force",   "monitor",      "interlock"};
  return words[static_cast<std::size_t>(role)];
}
bool belongsToInterface(ChannelRole role) { return role < ChannelRole::monitor; }

class RigCheck {
 public:
  RigCheck(const Project& project, std::size_t interfaces, std::optional<double> rate_hz, Findings& findings)
      : rig_(project.rig),
        section_(project.document.at("rig")),
        interfaces_(actuatorCount(project, interfaces)),
        sensors_(project.partition.sensors.size()),
        rate_hz_(rate_hz),
        findings_(findings) {}

  void run() {
    checkConnection();
    for (std::size_t c = 0; c < rig_.channels.size(); ++c) checkChannel(c);
    if (!rig_.channels.empty()) {
      checkKeysOfProtocols();
      checkCompleteness();
    }
    for (std::size_t f = 0; f < rig_.faults.size(); ++f) checkFault(f);
    const Json laws = section_.value(Json::json_pointer("/specimen/laws"), Json::array());
    for (std::size_t l = 0; l < laws.size(); ++l)
      if (laws[l].contains("interface") && !laws[l].value("dof", std::string()).empty())
        findings_.say("/rig/specimen/laws/" + std::to_string(l) + "/interface",
                      "cannot be combined with \"dof\", because a law acts in one place; remove one of them.");
  }

 private:
  static std::string place(const char* list, std::size_t index, const char* key = nullptr) {
    return "/rig/" + std::string(list) + "/" + std::to_string(index) + (key != nullptr ? std::string("/") + key : "");
  }

  void checkConnection() {
    if (!section_.contains("connection")) {
      if (rig_.use != RigUse::twin)
        findings_.say("/rig/connection", "is missing; enter the connection to the rig, or set /rig/use to \"twin\".");
      return;
    }
    if (rig_.connection.protocol->ownAddress().empty()) checkAddress();
    if (const Json* described = rig_.connection.protocol->describedSettings())
      for (const Issue& issue : checkSchema(section_.at("connection").value("settings", Json::object()), *described))
        findings_.say("/rig/connection/settings" + issue.where, issue.message);
    Checks checks;
    rig_.connection.protocol->check(rig_, rate_hz_, checks);
    findings_.collect([&] { checks.throwIfAny(); });
  }

  void checkAddress() {
    const std::string& address = rig_.connection.address;
    const std::string at = "/rig/connection/address";
    findings_.collect([&] {
      const Address parsed = parseAddress(address, at);
      const RigProtocol& protocol = *rig_.connection.protocol;
      if (parsed.kind != Address::Kind::serial && parsed.port == 0)
        throw InputError(at, "is \"" + address + "\", but its port is 0; give a port from 1 to 65535.");
      if ((parsed.kind == Address::Kind::udp) != protocol.datagrams())
        throw InputError(at, "is \"" + address + "\", which does not suit the protocol \"" +
                                 std::string(protocol.name()) + "\"; give " +
                                 (protocol.datagrams() ? "udp://HOST:PORT." : "tcp://HOST:PORT or serial:PATH."));
    });
    if (section_.at("connection").contains("serial") && !isSerial(address))
      findings_.say("/rig/connection/serial", "belongs to an address that starts with serial:; remove it.");
  }

  void checkChannel(std::size_t c) {
    const ChannelSpec& channel = rig_.channels[c];
    const Json& given = section_.at("channels")[c];
    const auto say = [&](const char* key, const std::string& message) {
      findings_.say(place("channels", c, key), message);
    };
    if (!isColumnName(channel.name))
      say("name", "\"" + channel.name + "\" may contain letters, digits, _ and - only; rename the channel.");
    for (std::size_t other = 0; other < c; ++other)
      if (rig_.channels[other].name == channel.name)
        say("name", "another channel is called \"" + channel.name + "\" too; rename one of them.");
    checkInterface(c);
    if (channel.gain == 0.0) say("gain", "is 0, so all readings would be equal; give another value.");
    if (!channel.table.empty()) checkTable(c);
    if (channel.raw_min >= channel.raw_max)
      say("raw_max", "is not above the lowest raw value (" + numberText(channel.raw_min) + "); give a higher one.");
    if (channel.filter_hz > 0.0 && isOutput(channel.role))
      say("filter_hz", "applies to inputs only; remove it from this output.");
    if (rate_hz_ && channel.filter_hz >= 0.5 * *rate_hz_)
      say("filter_hz", "is " + numberText(channel.filter_hz) + " Hz, not below half the loop's rate (" +
                           numberText(0.5 * *rate_hz_) + " Hz); lower it, or give 0 for none.");
    if (!channel.calibrated_on.empty() && !isDate(channel.calibrated_on))
      say("calibrated_on", "\"" + channel.calibrated_on + "\" is not a date; write it as YYYY-MM-DD.");
    if (given.contains("open_above") && channel.role != ChannelRole::interlock)
      say("open_above", "belongs to interlock inputs; remove it.");
  }

  void checkInterface(std::size_t c) {
    const ChannelSpec& channel = rig_.channels[c];
    const std::string where = place("channels", c, "interface");
    if (!belongsToInterface(channel.role)) {
      if (channel.interface != 0)
        findings_.say(where, std::string(channel.role == ChannelRole::interlock ? "an interlock" : "a monitor") +
                                 " belongs to no interface; give 0.");
    } else if (countsSensors(channel.role)) {
      if (channel.interface < 1 || static_cast<std::size_t>(channel.interface) > sensors_)
        findings_.say(where, "there is no sensor " + std::to_string(channel.interface) + "; /partition/sensors has " +
                                 std::to_string(sensors_) + ". Give its number from 1.");
    } else if (channel.interface < 1 || static_cast<std::size_t>(channel.interface) > interfaces_) {
      findings_.say(where, noActuator(channel.interface) + ". Give its number from 1.");
    }
  }

  void checkTable(std::size_t c) {
    const ChannelSpec& channel = rig_.channels[c];
    const auto& table = channel.table;
    const Json& given = section_.at("channels")[c];
    const std::string where = place("channels", c, "table");
    if (table.size() < 2) findings_.say(where, "has one point; a calibration needs at least two.");
    for (const char* key : {"gain", "offset"})
      if (given.contains(key))
        findings_.say(place("channels", c, key), "cannot be combined with \"table\"; keep one of them.");
    bool rises = false, falls = false;
    for (std::size_t p = 1; p < table.size(); ++p) {
      if (!(table[p].first > table[p - 1].first))
        findings_.say(where + "/" + std::to_string(p) + "/raw",
                      "is " + numberText(table[p].first) + ", not above the point before it (" +
                          numberText(table[p - 1].first) + "); sort the points by raw value.");
      rises = rises || table[p].second >= table[p - 1].second;
      falls = falls || table[p].second <= table[p - 1].second;
    }
    if (rises && falls)
      findings_.say(where, "is not monotonic, so one scaled value would have several raw values; correct the points.");
  }

  /// A key that belongs to another protocol has no effect here.
  void checkKeysOfProtocols() {
    const Family& protocols = familyOf("connection");
    std::map<std::string, std::string> owners;  // key -> protocol; none if this protocol uses the key
    for (const FamilyMember& member : protocols.members) {
      const Json branch = branchOf(protocols, member.name);
      const bool own = rig_.connection.protocol && rig_.connection.protocol->name() == member.name;
      const Json keys = branch.value(Json::json_pointer("/adds/channel"), Json::object());
      for (const auto& [key, field] : keys.items())
        if (own || !owners.contains(key)) owners[key] = own ? "" : member.name;
    }
    for (std::size_t c = 0; c < rig_.channels.size(); ++c)
      for (const auto& [key, owner] : owners)
        if (!owner.empty() && section_.at("channels")[c].contains(key))
          findings_.say(place("channels", c, key.c_str()),
                        "belongs to the protocol \"" + owner + "\" only; remove it.");
  }

  /// What the numbers of channels and faults count: legs of the geometry, or interface axes.
  std::string word() const { return rig_.geometry ? "leg " : "interface "; }
  std::string noActuator(int number) const {
    return "there is no " + word() + std::to_string(number) +
           (rig_.geometry ? "; the geometry has " : "; the cut has ") + std::to_string(interfaces_);
  }

  /// Displacement channels belong to the sensors of the partition if it has any.
  bool countsSensors(ChannelRole role) const { return sensors_ > 0 && role == ChannelRole::displacement; }

  /// Each interface has one command, one force, at most one command rate, and one displacement (or one for each
  /// sensor).
  void checkCompleteness() {
    std::size_t interlocks = 0;
    for (const ChannelSpec& channel : rig_.channels) interlocks += channel.role == ChannelRole::interlock ? 1 : 0;
    if (interlocks > kMostInterlocks)
      findings_.say("/rig/channels", "has " + std::to_string(interlocks) + " interlock inputs; at most " +
                                         std::to_string(kMostInterlocks) + " are possible.");
    for (std::size_t i = 1; i <= std::max(interfaces_, sensors_); ++i)
      for (const ChannelRole role :
           {ChannelRole::command, ChannelRole::command_rate, ChannelRole::displacement, ChannelRole::force}) {
        if (i > (countsSensors(role) ? sensors_ : interfaces_)) continue;
        const std::string owner = (countsSensors(role) ? "sensor " : word()) + std::to_string(i);
        std::size_t count = 0;
        for (std::size_t c = 0; c < rig_.channels.size(); ++c) {
          if (rig_.channels[c].role != role || rig_.channels[c].interface != static_cast<int>(i)) continue;
          if (++count > 1)
            findings_.say(place("channels", c, "role"),
                          owner + " already has a " + wordOf(role) + "; keep one, or make this one a monitor.");
        }
        if (count == 0 && role != ChannelRole::command_rate)
          findings_.say("/rig/channels", owner + " has no " + wordOf(role) + "; add a channel with this role.");
      }
  }

  void checkFault(std::size_t f) {
    const FaultSpec& fault = rig_.faults[f];
    const FaultFacts& facts = faultFacts(fault.kind);
    const Json& given = section_.at("faults")[f];
    const bool of_sensor =
        sensors_ > 0 && facts.place == FaultPlace::sensor && fault.sensor == FaultSensor::displacement;
    if (of_sensor && static_cast<std::size_t>(fault.interface) > sensors_)
      findings_.say(place("faults", f, "interface"), "there is no sensor " + std::to_string(fault.interface) +
                                                         "; /partition/sensors has " + std::to_string(sensors_) +
                                                         ". Give its number from 1, or 0 for each of them.");
    else if (!of_sensor && static_cast<std::size_t>(fault.interface) > interfaces_)
      findings_.say(place("faults", f, "interface"),
                    noActuator(fault.interface) + ". Give its number from 1, or 0 for each of them.");
    if (given.contains("sensor") && facts.place != FaultPlace::sensor)
      findings_.say(place("faults", f, "sensor"),
                    "\"" + std::string(facts.name) + "\" is not a sensor fault; remove it.");
    if (!given.contains("value")) return;
    const std::string unit = facts.units[static_cast<std::size_t>(fault.sensor)];
    if (facts.min == facts.max)
      findings_.say(place("faults", f, "value"), "\"" + std::string(facts.name) + "\" has no value; remove it.");
    else if (!(fault.value >= facts.min && fault.value <= facts.max))
      findings_.say(place("faults", f, "value"), "is " + numberText(fault.value) + "; \"" + facts.name + "\" takes " +
                                                     numberText(facts.min) + " to " + numberText(facts.max) +
                                                     (unit.empty() ? "" : " " + unit) + ".");
  }

  const RigSpec& rig_;
  const Json& section_;
  std::size_t interfaces_, sensors_;  // legs, with a geometry; sensors_ = 0: one sensor for each interface
  std::optional<double> rate_hz_;
  Findings& findings_;
};

}  // namespace

void checkRig(const Project& project, std::size_t interfaces, std::optional<double> rate_hz, Findings& findings) {
  RigCheck(project, interfaces, rate_hz, findings).run();
}

}  // namespace hyb
