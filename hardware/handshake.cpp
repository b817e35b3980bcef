#include "hardware/handshake.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/checks.h"
#include "core/base/numbers.h"

namespace hyb {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "hybridbench-rig";
constexpr std::size_t kMaxChannels = 512, kMaxText = 200;
constexpr const char* kSafeActions[] = {"hold", "ramp", "off"};

Json parsed(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) throw InputError("", "is not a JSON object.");
  return json;
}

const Json& member(const Json& owner, const std::string& at, const char* key) {
  const auto found = owner.find(key);
  if (found == owner.end()) throw InputError(at + "/" + key, "is missing.");
  return *found;
}

std::string text(const Json& owner, const std::string& at, const char* key) {
  const Json& value = member(owner, at, key);
  if (!value.is_string() || value.get_ref<const std::string&>().size() > kMaxText)
    throw InputError(at + "/" + key, "must be text of at most " + std::to_string(kMaxText) + " bytes.");
  return value.get<std::string>();
}

double number(const Json& owner, const std::string& at, const char* key, double min, double max) {
  const Json& value = member(owner, at, key);
  const double v = value.is_number() ? value.get<double>() : kNoValue;
  if (!(v >= min && v <= max))
    throw InputError(at + "/" + key,
                     "must be a number from " + Checks::text(min, "") + " to " + Checks::text(max, "") + ".");
  return v;
}

double bound(const Json& owner, const std::string& at, const char* key, double none) {
  const Json& value = member(owner, at, key);
  if (value.is_null()) return none;
  return number(owner, at, key, -1e300, 1e300);
}

Json bound(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

const Json& list(const Json& owner, const std::string& at, const char* key) {
  const Json& value = member(owner, at, key);
  if (!value.is_array() || value.size() > kMaxChannels)
    throw InputError(at + "/" + key, "must be a list of at most " + std::to_string(kMaxChannels) + " entries.");
  return value;
}

std::vector<double> numbers(const Json& owner, const char* key) {
  std::vector<double> values;
  for (const Json& entry : list(owner, "", key)) {
    if (!entry.is_number() || !std::isfinite(entry.get<double>()))
      throw InputError(std::string("/") + key + "/" + std::to_string(values.size()), "must be a finite number.");
    values.push_back(entry.get<double>());
  }
  return values;
}

Json channels(const std::vector<DeviceChannel>& given) {
  Json all = Json::array();
  for (const DeviceChannel& channel : given)
    all.push_back(
        {{"name", channel.name}, {"units", channel.units}, {"min", bound(channel.min)}, {"max", bound(channel.max)}});
  return all;
}

std::vector<DeviceChannel> channels(const Json& owner, const char* key) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<DeviceChannel> all;
  for (const Json& entry : list(owner, "", key)) {
    const std::string at = std::string("/") + key + "/" + std::to_string(all.size());
    if (!entry.is_object()) throw InputError(at, "must be an object.");
    DeviceChannel channel{text(entry, at, "name"), text(entry, at, "units"), bound(entry, at, "min", -kInfinity),
                          bound(entry, at, "max", kInfinity)};
    if (!(channel.min < channel.max)) throw InputError(at + "/min", "must be less than max.");
    all.push_back(std::move(channel));
  }
  return all;
}

Bytes32 secret(const Json& owner, const char* key) {
  const std::optional<Bytes32> bytes = bytesOfHex(text(owner, "", key));
  if (!bytes) throw InputError(std::string("/") + key, "must be 64 hexadecimal digits.");
  return *bytes;
}

Json toJson(const Hello& hello) {
  Json json = {{"format", kFormat},
               {"version", hello.version},
               {"software_version", hello.software_version},
               {"rate_hz", hello.rate_hz},
               {"commands", channels(hello.commands)},
               {"measurements", channels(hello.measurements)},
               {"pacing", hello.pacing},
               {"timeout_ticks", hello.timing.timeout_ticks},
               {"silence_ms", 1e3 * hello.timing.silence_s},
               {"safe_action", kSafeActions[static_cast<std::size_t>(hello.timing.safe_action)]},
               {"ramp_s", hello.timing.ramp_s}};
  if (hello.nonce) json["nonce"] = hexText(*hello.nonce);
  return json;
}

Hello readHello(const Json& json) {
  if (text(json, "", "format") != kFormat) throw InputError("/format", std::string("must be \"") + kFormat + "\".");
  Hello hello;
  const double version = number(json, "", "version", 0, 1e6);
  if (version != kOldestVersion && version != kProtocolVersion)
    throw InputError("/version", "must be 1 or 2: this side supports versions 1 and 2 of the protocol.");
  hello.version = static_cast<int>(version);
  if (json.contains("nonce")) hello.nonce = secret(json, "nonce");
  hello.software_version = text(json, "", "software_version");
  hello.rate_hz = number(json, "", "rate_hz", 1e-3, 1e6);
  hello.commands = channels(json, "commands");
  hello.measurements = channels(json, "measurements");
  hello.pacing = text(json, "", "pacing");
  hello.timing.timeout_ticks = static_cast<int>(number(json, "", "timeout_ticks", 1, 1e6));
  hello.timing.silence_s = 1e-3 * number(json, "", "silence_ms", 1, 3.6e6);
  hello.timing.ramp_s = number(json, "", "ramp_s", 0, 3600);
  const std::string action = text(json, "", "safe_action");
  const auto known = std::find(std::begin(kSafeActions), std::end(kSafeActions), action);
  if (known == std::end(kSafeActions)) throw InputError("/safe_action", "must be hold, ramp or off.");
  hello.timing.safe_action = static_cast<SafeAction>(known - std::begin(kSafeActions));
  return hello;
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string writeHello(const Hello& hello) { return dump(toJson(hello)); }
Hello readHello(std::string_view json) { return readHello(parsed(json)); }

std::string writeWelcome(const Welcome& welcome) {
  Json json = toJson(welcome.accepted);
  json["serial"] = welcome.serial;
  json["clock_resolution_ns"] = welcome.clock_resolution_ns;
  json["interlocks"] = welcome.interlocks;
  json["calibration_date"] = welcome.calibration_date;
  json["positions"] = welcome.positions;
  json["faults"] = welcome.faults;
  return dump(json);
}

Welcome readWelcome(std::string_view text_of) {
  const Json json = parsed(text_of);
  Welcome welcome;
  welcome.accepted = readHello(json);
  welcome.serial = text(json, "", "serial");
  welcome.clock_resolution_ns = static_cast<std::int64_t>(number(json, "", "clock_resolution_ns", 0, 1e12));
  for (const Json& entry : list(json, "", "interlocks")) {
    if (!entry.is_string() || entry.get_ref<const std::string&>().size() > kMaxText)
      throw InputError("/interlocks", "must be a list of names.");
    welcome.interlocks.push_back(entry.get<std::string>());
  }
  welcome.calibration_date = text(json, "", "calibration_date");
  welcome.positions = numbers(json, "positions");
  if (welcome.positions.size() != welcome.accepted.commands.size())
    throw InputError("/positions", "must hold one value for each command.");
  const Json& faults = member(json, "", "faults");
  if (!faults.is_boolean()) throw InputError("/faults", "must be true or false.");
  welcome.faults = faults.get<bool>();
  return welcome;
}

std::string writeChallenge(const Challenge& challenge) {
  return dump({{"nonce", hexText(challenge.nonce)}, {"proof", hexText(challenge.proof)}});
}
Challenge readChallenge(std::string_view json_text) {
  const Json json = parsed(json_text);
  return {secret(json, "nonce"), secret(json, "proof")};
}

std::string writeRefusal(const Issue& issue) { return dump({{"pointer", issue.where}, {"message", issue.message}}); }
Issue readRefusal(std::string_view json_text) {
  const Json json = parsed(json_text);
  return {text(json, "", "pointer"), text(json, "", "message")};
}

std::string writeArm(std::span<const double> positions) {
  return dump({{"positions", std::vector<double>(positions.begin(), positions.end())}});
}
std::vector<double> readArm(std::string_view json) { return numbers(parsed(json), "positions"); }

std::string writeMessage(const std::string& message) { return dump({{"message", message}}); }
std::string readMessage(std::string_view json) { return text(parsed(json), "", "message"); }

std::size_t writeFault(const FaultSpec& fault, bool begin, std::span<char> out) noexcept {
  std::size_t length = 0;
  const auto add = [&](std::string_view part) {
    const std::size_t count = std::min(part.size(), out.size() - length);
    std::copy_n(part.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(length));
    length += count;
  };
  char digits[40];
  add("{\"fault\":\"");
  add(name(fault.kind));
  add(begin ? "\",\"begin\":true,\"interface\":" : "\",\"begin\":false,\"interface\":");
  add({digits, std::to_chars(digits, digits + sizeof digits, fault.interface).ptr});
  add(",\"sensor\":\"");
  add(name(fault.sensor));
  add("\",\"value\":");
  const double value = std::isfinite(fault.value) ? fault.value : 0.0;
  add({digits, std::to_chars(digits, digits + sizeof digits, value).ptr});
  add("}");
  return length;
}

std::pair<FaultSpec, bool> readFault(std::string_view json_text) {
  const Json json = parsed(json_text);
  FaultSpec fault;
  const auto kind = faultKind(text(json, "", "fault"));
  if (!kind) throw InputError("/fault", "is not a kind of fault.");
  fault.kind = *kind;
  fault.interface = static_cast<int>(number(json, "", "interface", 0, kMaxChannels));
  fault.sensor = text(json, "", "sensor") == name(FaultSensor::force) ? FaultSensor::force : FaultSensor::displacement;
  const FaultFacts& facts = faultFacts(fault.kind);
  fault.value = facts.min < facts.max ? number(json, "", "value", facts.min, facts.max) : 0.0;
  const Json& begin = member(json, "", "begin");
  if (!begin.is_boolean()) throw InputError("/begin", "must be true or false.");
  return {fault, begin.get<bool>()};
}

std::optional<Issue> difference(const std::vector<DeviceChannel>& wanted, const std::vector<DeviceChannel>& there,
                                const std::string& where) {
  for (std::size_t i = 0; i < std::min(wanted.size(), there.size()); ++i) {
    const std::string at = where + "/" + std::to_string(i);
    if (wanted[i].name != there[i].name)
      return Issue{at + "/name", "is \"" + wanted[i].name + "\"; the rig has \"" + there[i].name + "\" here."};
    if (wanted[i].units != there[i].units)
      return Issue{at + "/units",
                   "of " + wanted[i].name + " is \"" + wanted[i].units + "\"; the rig has \"" + there[i].units + "\"."};
  }
  if (wanted.size() != there.size())
    return Issue{where, "are " + std::to_string(wanted.size()) + "; the rig has " + std::to_string(there.size()) + "."};
  return std::nullopt;
}

}  // namespace hyb
