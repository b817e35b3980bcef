#include "core/rig/driver_protocol.h"

#include <algorithm>

#include "core/rig/device_channels.h"

namespace hyb {
namespace {

constexpr const char* kLibrary = "/rig/connection/library";

/// `"in0", "in1" and "in2"`, at most ten.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 10;
  std::string text;
  for (std::size_t n = 0; n < std::min(names.size(), kShown); ++n)
    text += (n == 0 ? "\"" : n + 1 == names.size() ? " and \"" : ", \"") + names[n] + "\"";
  return text + (names.size() > kShown ? " and " + std::to_string(names.size() - kShown) + " more" : "");
}

const char* directionName(bool output) { return output ? "output" : "input"; }

class DriverProtocol final : public ProtocolOf<DriverSpec> {
 public:
  using ProtocolOf::ProtocolOf;
  std::string_view name() const noexcept override { return "driver"; }
  std::string ownAddress() const override { return "driver " + spec.library.string(); }
  std::vector<PlugInFile> libraries() const override {
    return spec.driver ? std::vector<PlugInFile>{spec.driver->read->of} : std::vector<PlugInFile>{};
  }
  const Json* describedSettings() const noexcept override {
    return spec.driver ? &spec.driver->description->settings : nullptr;
  }

  /// Tests on the twin need no library, for example on another computer.
  void check(const RigSpec& rig, std::optional<double> /*rate_hz*/, Checks& checks) const override {
    if (rig.use != RigUse::twin) checks.take(spec.faults, "");
    if (rig.channels.empty()) checks.fault("/rig/channels", kNeedsChannels);
    if (!spec.driver) return;
    for (std::size_t c = 0; c < std::min(rig.channels.size(), spec.channels.size()); ++c) checkChannel(rig, c, checks);
  }

 private:
  void checkChannel(const RigSpec& rig, std::size_t c, Checks& checks) const {
    const ChannelSpec& channel = rig.channels[c];
    const std::string& own = spec.channels[c];
    const bool output = isOutput(channel.role);
    const DriverDescription& driver = *spec.driver->description;
    const std::string where = channelPlace(c, "driver_channel");
    const DriverChannel* const found = driver.channel(own, output);
    if (found == nullptr) {
      const std::vector<std::string> names = driver.names(output);
      checks.fault(
          where, (driver.channel(own, !output) != nullptr
                      ? "\"" + own + "\" is an " + directionName(!output) + " of the driver, but this channel is an " +
                            directionName(output)
                      : "the driver \"" + driver.title + "\" has no " + directionName(output) + " \"" + own + "\"") +
                     (names.empty()
                          ? "; it has none."
                          : "; give one of its " + std::string(directionName(output)) + "s: " + listed(names) + "."));
      return;
    }
    if (!found->units.empty() && found->units != channel.units)
      checks.fault(channelPlace(c, "units"), "is \"" + channel.units + "\", but the driver gives \"" + own + "\" in " +
                                                 found->units + "; enter that unit, and the gain that belongs to it.");
    if (!output) return;
    for (std::size_t other = 0; other < c; ++other)
      if (isOutput(rig.channels[other].role) && spec.channels[other] == own)
        checks.fault(where, "output \"" + own + "\" of the driver belongs to \"" + rig.channels[other].name +
                                "\" already; give each output its own.");
    if (channel.raw_min >= found->max)
      checks.fault(
          channelPlace(c, "raw_min"), channel.raw_min, found->units,
          "the driver limits this output to " + Checks::text(found->max, found->units) + "; enter a lower one.");
    if (channel.raw_max <= found->min)
      checks.fault(
          channelPlace(c, "raw_max"), channel.raw_max, found->units,
          "the driver limits this output to " + Checks::text(found->min, found->units) + "; enter a higher one.");
  }
};

}  // namespace

Json completeSettings(const DriverSpec& spec) {
  Json settings = Json::object();
  const Json given = Json::parse(spec.settings);
  for (const auto& [key, node] : spec.driver->description->settings.at("properties").items())
    settings[key] = given.contains(key) ? given.at(key) : node.at("default");
  return settings;
}

RigProtocolPtr protocolOf(DriverSpec spec) { return std::make_shared<const DriverProtocol>(std::move(spec)); }

RigProtocolPtr parseDriver(const Json& connection, const Json& channels) {
  DriverSpec spec;
  spec.library = text(connection, "library");
  read(connection, "own_process", spec.own_process);
  read(connection, "reply_s", spec.reply_s);
  read(connection, "max_age_s", spec.max_age_s);
  read(connection, "stop_s", spec.stop_s);
  read(connection, "silence_s", spec.silence_s);
  spec.settings = connection.value("settings", Json::object()).dump();
  for (const Json& channel : channels) {
    const std::string own = text(channel, "driver_channel");
    spec.channels.push_back(own.empty() ? text(channel, "name") : own);
  }
  spec.driver = readDriver(spec.library, kLibrary, spec.faults);
  return protocolOf(std::move(spec));
}

}  // namespace hyb
