#include <array>
#include <cctype>
#include <charconv>
#include <chrono>

#include "core/project/address.h"
#include "core/project/meaning.h"
#include "core/project/modbus_map.h"
#include "core/project/schema.h"
#include "core/project/text_template.h"
#include "core/rig/device_channels.h"

namespace hyb {
namespace {

constexpr std::size_t kMostInterlocks = 32;  // bits of a word

/// YYYY-MM-DD, a day that exists.
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
        interfaces_(interfaces),
        rate_hz_(rate_hz),
        findings_(findings) {}

  void run() {
    checkConnection();
    for (std::size_t c = 0; c < rig_.channels.size(); ++c) checkChannel(c);
    if (!rig_.channels.empty()) checkCompleteness();
    if (modbus() != nullptr) checkRegisters();
    for (std::size_t f = 0; f < rig_.faults.size(); ++f) checkFault(f);
  }

 private:
  const TextSpec* lines() const { return std::get_if<TextSpec>(&rig_.connection.protocol); }
  const ModbusSpec* modbus() const { return std::get_if<ModbusSpec>(&rig_.connection.protocol); }
  static std::string place(const char* list, std::size_t index, const char* key = nullptr) {
    return "/rig/" + std::string(list) + "/" + std::to_string(index) + (key != nullptr ? std::string("/") + key : "");
  }

  void checkConnection() {
    if (!section_.contains("connection")) {
      if (rig_.use != RigUse::twin)
        findings_.say("/rig/connection", "is missing; say how the rig is reached, or set /rig/use to \"twin\".");
      return;
    }
    const ConnectionSpec& connection = rig_.connection;
    const Json& given = section_.at("connection");
    const std::string at = "/rig/connection";
    bool serial = connection.address.starts_with("serial:");
    findings_.collect([&] {
      const Address address = parseAddress(connection.address, at + "/address");
      serial = address.kind == Address::Kind::serial;
      if (!serial && address.port == 0)
        throw InputError(at + "/address",
                         "is \"" + connection.address + "\", whose port is 0; give one from 1 to 65535.");
    });
    if (given.contains("serial") && !serial)
      findings_.say(at + "/serial", "belongs to an address that starts with serial:; take it out.");
    if (modbus() != nullptr && serial && (modbus()->unit_id < 1 || modbus()->unit_id > 247))
      findings_.say(at + "/unit_id", "is " + std::to_string(modbus()->unit_id) +
                                         "; give the number of the device on the bus, 1 to 247.");
    if (rig_.channels.empty() && (lines() != nullptr || modbus() != nullptr))
      findings_.say("/rig/channels",
                    "is missing; this protocol needs to know which values to set and to ask for. Add them.");
    if (lines() != nullptr) checkLines(at);
  }

  void checkLines(const std::string& at) {
    const TextSpec& text = *lines();
    findings_.collect([&] { replyPattern(text.identity, at + "/identity"); });
    findings_.collect([&] { replyPattern(text.no_fault, at + "/no_fault"); });
    findings_.collect([&] { replyPattern(text.accepted, at + "/accepted"); });
    const auto needs = [&](const char* key, const std::string& value, const char* query, const std::string& asked) {
      if (!value.empty() && asked.empty())
        findings_.say(at + "/" + key,
                      "is the answer to a query that is missing; give \"" + std::string(query) + "\" too.");
    };
    needs("identity", text.identity, "identify", text.identify);
    needs("no_fault", text.no_fault, "fault_query", text.fault_query);
    if (text.set_all.empty()) return;
    std::vector<std::string> outputs;
    for (const ChannelSpec& channel : rig_.channels)
      if (isOutput(channel.role)) outputs.push_back(channel.name);
    findings_.collect([&] { TextTemplate(text.set_all, outputs, at + "/set_all"); });
  }

  void checkChannel(std::size_t c) {
    const ChannelSpec& channel = rig_.channels[c];
    const Json& given = section_.at("channels")[c];
    const auto say = [&](const char* key, const std::string& message) {
      findings_.say(place("channels", c, key), message);
    };
    if (!isColumnName(channel.name))
      say("name", "\"" + channel.name + "\" has other characters than letters, digits, _ and -; rename it.");
    for (std::size_t other = 0; other < c; ++other)
      if (rig_.channels[other].name == channel.name)
        say("name", "another channel is called \"" + channel.name + "\" too; rename one of them.");
    checkInterface(c);
    if (channel.gain == 0.0) say("gain", "is 0, so that every value would mean the same; give another.");
    if (!channel.table.empty()) checkTable(c);
    if (channel.raw_min >= channel.raw_max)
      say("raw_max", "is not above the lowest raw value (" + numberText(channel.raw_min) + "); give a higher one.");
    if (channel.filter_hz > 0.0 && isOutput(channel.role))
      say("filter_hz", "filters inputs only; take it out of this output.");
    if (rate_hz_ && channel.filter_hz >= 0.5 * *rate_hz_)
      say("filter_hz", "is " + numberText(channel.filter_hz) + " Hz, not below half the loop's rate (" +
                           numberText(0.5 * *rate_hz_) + " Hz); lower it, or give 0 for none.");
    if (!channel.calibrated_on.empty() && !isDate(channel.calibrated_on))
      say("calibrated_on", "\"" + channel.calibrated_on + "\" is no date; write it as YYYY-MM-DD.");
    if (given.contains("open_above") && channel.role != ChannelRole::interlock)
      say("open_above", "belongs to interlock inputs; take it out.");
    checkProtocolKeys(c);
  }

  void checkInterface(std::size_t c) {
    const ChannelSpec& channel = rig_.channels[c];
    const std::string where = place("channels", c, "interface");
    if (!belongsToInterface(channel.role)) {
      if (channel.interface != 0)
        findings_.say(where, std::string(channel.role == ChannelRole::interlock ? "an interlock" : "a monitor") +
                                 " belongs to no interface; give 0.");
    } else if (channel.interface < 1 || static_cast<std::size_t>(channel.interface) > interfaces_) {
      findings_.say(where, "there is no interface " + std::to_string(channel.interface) + "; the cut has " +
                               std::to_string(interfaces_) + ". Give its number from 1.");
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
        findings_.say(place("channels", c, key), "cannot stand beside \"table\"; keep one of them.");
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
      findings_.say(where,
                    "does not rise or fall throughout, so one scaled value would mean several raw ones; "
                    "correct the points.");
  }

  /// Keys of one protocol at a channel, and templates that cannot work.
  void checkProtocolKeys(std::size_t c) {
    const ChannelSpec& channel = rig_.channels[c];
    const Json& given = section_.at("channels")[c];
    const auto foreign = [&](std::initializer_list<const char*> keys, const char* protocol) {
      for (const char* key : keys)
        if (given.contains(key))
          findings_.say(place("channels", c, key),
                        "belongs to the protocol \"" + std::string(protocol) + "\" alone; take it out.");
    };
    if (modbus() == nullptr) foreign({"register", "address", "type", "word_order"}, "modbus");
    if (lines() == nullptr) {
      foreign({"set", "get", "pattern"}, "text");
      return;
    }
    const auto say = [&](const char* key, const std::string& message) {
      findings_.say(place("channels", c, key), message);
    };
    if (isOutput(channel.role)) {
      for (const char* key : {"get", "pattern"})
        if (given.contains(key)) say(key, "asks for inputs, but this channel is an output; take it out.");
      if (lines()->set_all.empty())
        findings_.collect([&] { TextTemplate(channel.set, {"x"}, place("channels", c, "set")); });
      if (!lines()->set_all.empty() && given.contains("set"))
        say("set", "is never sent beside /rig/connection/set_all; keep one of them.");
    } else {
      if (given.contains("set")) say("set", "sets outputs, but this channel is an input; take it out.");
      if (lines()->get_all.empty() && channel.get.empty()) say("get", "is missing; give the query for this input.");
      if (!lines()->get_all.empty() && given.contains("get"))
        say("get", "is never asked beside /rig/connection/get_all; keep one of them.");
      findings_.collect([&] { NumberPattern(channel.pattern, place("channels", c, "pattern")); });
    }
  }

  /// Each interface has one command, one displacement, one force, and at most one command rate.
  void checkCompleteness() {
    std::size_t interlocks = 0;
    for (const ChannelSpec& channel : rig_.channels) interlocks += channel.role == ChannelRole::interlock ? 1 : 0;
    if (interlocks > kMostInterlocks)
      findings_.say("/rig/channels", "has " + std::to_string(interlocks) + " interlock inputs; at most " +
                                         std::to_string(kMostInterlocks) + " are possible.");
    for (std::size_t i = 1; i <= interfaces_; ++i)
      for (const ChannelRole role :
           {ChannelRole::command, ChannelRole::command_rate, ChannelRole::displacement, ChannelRole::force}) {
        std::size_t count = 0;
        for (std::size_t c = 0; c < rig_.channels.size(); ++c) {
          if (rig_.channels[c].role != role || rig_.channels[c].interface != static_cast<int>(i)) continue;
          if (++count > 1)
            findings_.say(place("channels", c, "role"), "interface " + std::to_string(i) + " has a " + wordOf(role) +
                                                            " already; keep one, or make this one a monitor.");
        }
        if (count == 0 && role != ChannelRole::command_rate)
          findings_.say("/rig/channels", "interface " + std::to_string(i) + " has no " + wordOf(role) +
                                             "; add a channel with this role.");
      }
  }

  /// Registers that can be asked for, and a loop that is not faster than the bus.
  void checkRegisters() {
    RegisterPlan inputs, outputs;
    findings_.collect([&] { inputs = planRegisters(rig_.channels, false); });
    findings_.collect([&] { outputs = planRegisters(rig_.channels, true); });
    if (!rate_hz_ || !rig_.connection.address.starts_with("serial:")) return;
    const std::string refusal = busLimitSentence(*rate_hz_, busTime_s(inputs, outputs, rig_.connection.serial));
    if (!refusal.empty()) findings_.say("/loop/rate_hz", refusal);
  }

  void checkFault(std::size_t f) {
    const FaultSpec& fault = rig_.faults[f];
    const FaultFacts& facts = faultFacts(fault.kind);
    const Json& given = section_.at("faults")[f];
    if (static_cast<std::size_t>(fault.interface) > interfaces_)
      findings_.say(place("faults", f, "interface"), "there is no interface " + std::to_string(fault.interface) +
                                                         "; the cut has " + std::to_string(interfaces_) +
                                                         ". Give its number from 1, or 0 for each of them.");
    if (given.contains("sensor") && facts.place != FaultPlace::sensor)
      findings_.say(place("faults", f, "sensor"),
                    "\"" + std::string(facts.name) + "\" is no fault of a sensor; take it out.");
    if (!given.contains("value")) return;
    const std::string unit = facts.units[static_cast<std::size_t>(fault.sensor)];
    if (facts.min == facts.max)
      findings_.say(place("faults", f, "value"), "\"" + std::string(facts.name) + "\" has no value; take it out.");
    else if (!(fault.value >= facts.min && fault.value <= facts.max))
      findings_.say(place("faults", f, "value"), "is " + numberText(fault.value) + "; \"" + facts.name + "\" takes " +
                                                     numberText(facts.min) + " to " + numberText(facts.max) +
                                                     (unit.empty() ? "" : " " + unit) + ".");
  }

  const RigSpec& rig_;
  const Json& section_;
  std::size_t interfaces_;
  std::optional<double> rate_hz_;
  Findings& findings_;
};

}  // namespace

void checkRig(const Project& project, std::size_t interfaces, std::optional<double> rate_hz, Findings& findings) {
  RigCheck(project, interfaces, rate_hz, findings).run();
}

}  // namespace hyb
