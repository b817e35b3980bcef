#include "core/rig/udp_protocol.h"

#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "core/rig/device_channels.h"
#include "core/rig/udp_layout.h"

namespace hyb {
namespace {

const DatagramField* fieldOf(const std::vector<DatagramField>& fields, FieldContent content) {
  const auto found = std::ranges::find(fields, content, &DatagramField::content);
  return found != fields.end() ? &*found : nullptr;
}

/// An echo repeats a sequence number of the other direction, so it needs one of the same type.
void checkEcho(const std::vector<DatagramField>& numbered, const std::vector<DatagramField>& echoing,
               const std::string& where, const std::string& other, Checks& checks) {
  const DatagramField* const echo = fieldOf(echoing, FieldContent::echo);
  const DatagramField* const sequence = fieldOf(numbered, FieldContent::sequence);
  if (echo == nullptr) return;
  const std::string place = "/rig/connection/" + where;
  if (sequence == nullptr)
    checks.fault(place, "has an echo, but /rig/connection/" + other + " has no sequence number; add one there.");
  else if (sequence->type != echo->type)
    checks.fault(place, "has an echo of another type than the sequence number in /rig/connection/" + other +
                            "; give both the same type.");
}

class UdpProtocol final : public ProtocolOf<UdpSpec> {
 public:
  using ProtocolOf::ProtocolOf;
  std::string_view name() const noexcept override { return "udp"; }
  bool datagrams() const noexcept override { return true; }
  bool leads() const noexcept override { return spec.leads == TickBegin::target; }
  int timeoutTicks() const noexcept override { return spec.timeout_ticks; }
  /// Commands that stay as they are tell the target nothing.
  std::string_view missingStop() const override {
    return fieldOf(spec.sends, FieldContent::enable) != nullptr || spec.at_stop == AtStop::rest ? "" : "\"at_stop\"";
  }

  void check(const RigSpec& rig, std::optional<double> rate_hz, Checks& checks) const override {
    if (rig.channels.empty()) checks.fault("/rig/channels", kNeedsChannels);
    if (spec.sends.empty() && std::ranges::any_of(rig.channels, [](const ChannelSpec& c) { return isOutput(c.role); }))
      checks.fault("/rig/connection/sends", "is missing; list the fields of the datagrams to the target.");
    else if (spec.receives.empty())
      checks.fault("/rig/connection/receives", "is missing; list the fields of the datagrams from the target.");
    else
      checks.collect([&] { UdpLayouts(spec, rig.channels); });
    if (spec.local_port == 0 && fieldOf(spec.sends, FieldContent::enable) == nullptr)
      checks.fault("/rig/connection/local_port",
                   "is 0, any free port, but without an enable field in /rig/connection/sends the target sends first; "
                   "enter the port to which it sends.");
    if (spec.alignment != 1 && spec.alignment != 2 && spec.alignment != 4 && spec.alignment != 8)
      checks.fault("/rig/connection/alignment", "is " + std::to_string(spec.alignment) + "; enter 1, 2, 4 or 8.");
    checkEcho(spec.sends, spec.receives, "receives", "sends", checks);
    checkEcho(spec.receives, spec.sends, "sends", "receives", checks);
    if (spec.gap_ticks >= spec.timeout_ticks)
      checks.fault("/rig/connection/timeout_ticks",
                   "must be greater than the largest gap (/rig/connection/gap_ticks), " +
                       std::to_string(spec.gap_ticks) + " ticks.");
    if (leads()) checkLead(rate_hz, checks);
  }

 private:
  void checkLead(std::optional<double> rate_hz, Checks& checks) const {
    if (fieldOf(spec.receives, FieldContent::sequence) == nullptr)
      checks.fault(
          "/rig/connection/receives",
          "has no sequence number, without which a lost datagram of a target that leads would stop the time of "
          "the test; add one.");
    if (!(spec.target_rate_hz > 0.0))
      checks.fault("/rig/connection/target_rate_hz",
                   "is missing; enter the number of datagrams a second that the target sends.");
    else if (rate_hz && std::abs(spec.target_rate_hz - *rate_hz) > 1e-9 * *rate_hz)
      checks.fault("/rig/connection/target_rate_hz", "is " + Checks::text(spec.target_rate_hz, "Hz") +
                                                         ", but each datagram of a target that leads begins "
                                                         "one tick, and the loop rate (/loop/rate_hz) is " +
                                                         Checks::text(*rate_hz, "Hz") + "; make both equal.");
  }
};

void readFields(const Json& connection, const char* key, std::vector<DatagramField>& fields) {
  for (const Json& entry : connection.value(key, Json::array())) {
    DatagramField& field = fields.emplace_back();
    readChoice(entry, "content",
               {"channel", "sequence", "echo", "tick", "time", "fixed", "enable", "enabled", "fault", "checksum"},
               field.content);
    readChoice(entry, "type", {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"},
               field.type);
    read(entry, "channel", field.channel);
    read(entry, "value", field.value);
    read(entry, "scale_s", field.scale_s);
    read(entry, "joined", field.joined);
    readChoice(entry, "checksum", {"crc-32", "sum"}, field.checksum);
  }
}

}  // namespace

RigProtocolPtr protocolOf(UdpSpec spec) { return std::make_shared<const UdpProtocol>(std::move(spec)); }

RigProtocolPtr parseUdp(const Json& connection, const Json& /*channels*/) {
  UdpSpec spec;
  read(connection, "local_port", spec.local_port);
  read(connection, "source_port", spec.source_port);
  readChoice(connection, "byte_order", {"little", "big"}, spec.byte_order);
  read(connection, "alignment", spec.alignment);
  readFields(connection, "sends", spec.sends);
  readFields(connection, "receives", spec.receives);
  read(connection, "gap_ticks", spec.gap_ticks);
  read(connection, "timeout_ticks", spec.timeout_ticks);
  read(connection, "late_s", spec.late_s);
  readChoice(connection, "at_stop", {"hold", "rest"}, spec.at_stop);
  readChoice(connection, "leads", {"bench", "target"}, spec.leads);
  read(connection, "target_rate_hz", spec.target_rate_hz);
  return protocolOf(std::move(spec));
}

}  // namespace hyb
