#include "core/rig/text_protocol.h"

#include "core/base/json.h"
#include "core/rig/device_channels.h"
#include "core/rig/text_template.h"

namespace hyb {
namespace {

class TextProtocol final : public ProtocolOf<TextSpec> {
 public:
  using ProtocolOf::ProtocolOf;
  std::string_view name() const noexcept override { return "text"; }
  std::string_view missingStop() const override { return spec.stop.empty() ? "the line \"stop\"" : ""; }

  void check(const RigSpec& rig, std::optional<double> /*rate_hz*/, Checks& checks) const override {
    if (rig.channels.empty()) checks.fault("/rig/channels", kNeedsChannels);
    checkConnection(rig, checks);
    for (std::size_t c = 0; c < rig.channels.size(); ++c) checkChannel(c, isOutput(rig.channels[c].role), checks);
  }

 private:
  void checkConnection(const RigSpec& rig, Checks& checks) const {
    const auto pattern = [&](const char* key, const std::string& text) {
      const std::string at = std::string("/rig/connection/") + key;
      checks.collect([&] { replyPattern(text, at); });
    };
    pattern("identity", spec.identity);
    pattern("no_fault", spec.no_fault);
    pattern("accepted", spec.accepted);
    const auto needs = [&](const char* key, const std::string& value, const char* query, const std::string& asked) {
      if (!value.empty() && asked.empty())
        checks.fault(std::string("/rig/connection/") + key,
                     "is the answer to a missing query; also give \"" + std::string(query) + "\".");
    };
    needs("identity", spec.identity, "identify", spec.identify);
    needs("no_fault", spec.no_fault, "fault_query", spec.fault_query);
    if (spec.decimal == DecimalSign::comma && !spec.get_all.empty() && spec.separator.find(',') != std::string::npos)
      checks.fault("/rig/connection/separator",
                   "is a comma, which is also the decimal sign of these replies; give the text between the values.");
    if (spec.set_all.empty()) return;
    std::vector<std::string> outputs;
    for (const ChannelSpec& channel : rig.channels)
      if (isOutput(channel.role)) outputs.push_back(channel.name);
    checks.collect([&] { TextTemplate(spec.set_all, outputs, "/rig/connection/set_all"); });
  }

  void checkChannel(std::size_t c, bool output, Checks& checks) const {
    const TextSpec::Channel& channel = spec.channels[c];
    const auto say = [&](const char* key, const std::string& message) { checks.fault(channelPlace(c, key), message); };
    if (output) {
      if (!channel.get.empty()) say("get", "queries inputs, but this channel is an output; remove it.");
      if (!channel.pattern.empty()) say("pattern", "applies to inputs, but this channel is an output; remove it.");
      if (!channel.reply_unit.empty())
        say("reply_unit", "applies to inputs, but this channel is an output; remove it.");
      if (spec.set_all.empty())
        checks.collect([&] { TextTemplate(channel.set, {"x"}, channelPlace(c, "set")); });
      else if (!channel.set.empty())
        say("set", "is never sent with /rig/connection/set_all; remove one of them.");
      return;
    }
    if (!channel.set.empty()) say("set", "sets outputs, but this channel is an input; remove it.");
    if (spec.get_all.empty() && channel.get.empty()) say("get", "is missing; give the query for this input.");
    if (!spec.get_all.empty() && !channel.get.empty())
      say("get", "is never sent with /rig/connection/get_all; remove one of them.");
    checks.collect(
        [&] { NumberPattern(channel.pattern, channelPlace(c, "pattern"), spec.decimal, channel.reply_unit); });
  }
};

void readLineEnd(const Json& object, const char* key, std::string& target) {
  const std::string word = object.value(key, "lf");
  target = word == "cr" ? "\r" : word == "crlf" ? "\r\n" : "\n";
}

}  // namespace

RigProtocolPtr protocolOf(TextSpec spec) { return std::make_shared<const TextProtocol>(std::move(spec)); }

RigProtocolPtr parseText(const Json& connection, const Json& channels) {
  TextSpec spec;
  readLineEnd(connection, "send_end", spec.send_end);
  readLineEnd(connection, "reply_end", spec.reply_end);
  read(connection, "identify", spec.identify);
  read(connection, "identity", spec.identity);
  read(connection, "configure", spec.configure);
  read(connection, "prepare", spec.prepare);
  read(connection, "fault_query", spec.fault_query);
  read(connection, "no_fault", spec.no_fault);
  read(connection, "stop", spec.stop);
  read(connection, "set_is_answered", spec.set_is_answered);
  read(connection, "accepted", spec.accepted);
  read(connection, "set_all", spec.set_all);
  read(connection, "get_all", spec.get_all);
  read(connection, "separator", spec.separator);
  readChoice(connection, "echo", {"pass", "refuse", "confirm"}, spec.echo);
  readChoice(connection, "decimal", {"point", "comma"}, spec.decimal);
  read(connection, "reply_s", spec.reply_s);
  read(connection, "max_age_s", spec.max_age_s);
  for (const Json& channel : channels)
    spec.channels.push_back(
        {text(channel, "set"), text(channel, "get"), text(channel, "pattern"), text(channel, "reply_unit")});
  return protocolOf(std::move(spec));
}

}  // namespace hyb
