#include "core/rig/modbus_protocol.h"

#include "core/base/json.h"
#include "core/rig/address.h"
#include "core/rig/modbus_map.h"

namespace hyb {
namespace {

class ModbusProtocol final : public ProtocolOf<ModbusSpec> {
 public:
  using ProtocolOf::ProtocolOf;
  std::string_view name() const noexcept override { return "modbus"; }
  std::string_view missingStop() const override { return spec.stop_registers.empty() ? "\"stop_registers\"" : ""; }

  /// Checks the registers, and that the loop is not faster than the bus.
  void check(const RigSpec& rig, std::optional<double> rate_hz, Checks& checks) const override {
    if (rig.channels.empty()) checks.fault("/rig/channels", kNeedsChannels);
    const bool serial = isSerial(rig.connection.address);
    if (serial && (spec.unit_id < 1 || spec.unit_id > 247))
      checks.fault("/rig/connection/unit_id",
                   "is " + std::to_string(spec.unit_id) + "; give the number of the device on the bus, 1 to 247.");
    RegisterPlan inputs, outputs;
    checks.collect([&] { inputs = planRegisters(rig.channels, spec.channels, false); });
    checks.collect([&] { outputs = planRegisters(rig.channels, spec.channels, true); });
    if (!rate_hz || !serial) return;
    const std::string refusal = busLimitSentence(*rate_hz, busTime_s(inputs, outputs, rig.connection.serial));
    if (!refusal.empty()) checks.fault("/loop/rate_hz", refusal);
  }
};

}  // namespace

RigProtocolPtr protocolOf(ModbusSpec spec) { return std::make_shared<const ModbusProtocol>(std::move(spec)); }

RigProtocolPtr parseModbus(const Json& connection, const Json& channels) {
  ModbusSpec spec;
  read(connection, "unit_id", spec.unit_id);
  read(connection, "reply_s", spec.reply_s);
  read(connection, "max_age_s", spec.max_age_s);
  read(connection, "function_23", spec.function_23);
  for (const Json& entry : connection.value("stop_registers", Json::array()))
    spec.stop_registers.emplace_back(entry.at("address").get<int>(), entry.at("value").get<int>());
  for (const Json& channel : channels) {
    ModbusSpec::Channel& own = spec.channels.emplace_back();
    readChoice(channel, "register", {"holding", "input"}, own.table);
    read(channel, "address", own.address);
    readChoice(channel, "type", {"int16", "uint16", "int32", "uint32", "float32", "float64"}, own.type);
    readChoice(channel, "word_order", {"abcd", "cdab", "badc", "dcba"}, own.order);
  }
  return protocolOf(std::move(spec));
}

}  // namespace hyb
