#include <algorithm>
#include <initializer_list>

#include "core/json.h"
#include "core/project/reading.h"

namespace hyb {
namespace {

/// The enumerator whose word the document gives; `words` in the order of the enumerators.
template <typename Enum>
void readChoice(const Json& object, const char* key, std::initializer_list<const char*> words, Enum& target) {
  const std::string word = text(object, key);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) target = static_cast<Enum>(found - words.begin());
}

void readLineEnd(const Json& object, const char* key, std::string& target) {
  const std::string word = object.value(key, "lf");
  target = word == "cr" ? "\r" : word == "crlf" ? "\r\n" : "\n";
}

SerialSpec parseSerial(const Json& object) {
  SerialSpec serial;
  read(object, "baud", serial.baud);
  read(object, "data_bits", serial.data_bits);
  read(object, "stop_bits", serial.stop_bits);
  readChoice(object, "parity", {"none", "even", "odd"}, serial.parity);
  readChoice(object, "flow", {"none", "hardware", "software"}, serial.flow);
  return serial;
}

FramesSpec parseFrames(const Json& object) {
  FramesSpec frames;
  read(object, "timeout_ticks", frames.timeout_ticks);
  read(object, "silence_s", frames.silence_s);
  readChoice(object, "safe_action", {"hold", "ramp", "off"}, frames.safe_action);
  read(object, "ramp_s", frames.ramp_s);
  return frames;
}

TextSpec parseText(const Json& object) {
  TextSpec lines;
  readLineEnd(object, "send_end", lines.send_end);
  readLineEnd(object, "reply_end", lines.reply_end);
  read(object, "identify", lines.identify);
  read(object, "identity", lines.identity);
  read(object, "prepare", lines.prepare);
  read(object, "fault_query", lines.fault_query);
  read(object, "no_fault", lines.no_fault);
  read(object, "stop", lines.stop);
  read(object, "set_is_answered", lines.set_is_answered);
  read(object, "accepted", lines.accepted);
  read(object, "set_all", lines.set_all);
  read(object, "get_all", lines.get_all);
  read(object, "separator", lines.separator);
  read(object, "reply_s", lines.reply_s);
  read(object, "max_age_s", lines.max_age_s);
  return lines;
}

ModbusSpec parseModbus(const Json& object) {
  ModbusSpec modbus;
  read(object, "unit_id", modbus.unit_id);
  read(object, "reply_s", modbus.reply_s);
  read(object, "max_age_s", modbus.max_age_s);
  for (const Json& entry : object.value("stop_registers", Json::array()))
    modbus.stop_registers.emplace_back(entry.at("address").get<int>(), entry.at("value").get<int>());
  return modbus;
}

ConnectionSpec parseConnection(const Json& object) {
  ConnectionSpec connection;
  connection.address = text(object, "address");
  read(object, "connect_s", connection.connect_s);
  read(object, "delay_s", connection.delay_s);
  connection.serial = parseSerial(object.value("serial", Json::object()));
  const std::string protocol = text(object, "protocol");
  if (protocol == "text")
    connection.protocol = parseText(object);
  else if (protocol == "modbus")
    connection.protocol = parseModbus(object);
  else
    connection.protocol = parseFrames(object);
  return connection;
}

ChannelSpec parseChannel(const Json& object) {
  ChannelSpec channel;
  channel.name = text(object, "name");
  readChoice(object, "role", {"command", "command-rate", "displacement", "force", "monitor", "interlock"},
             channel.role);
  read(object, "interface", channel.interface);
  read(object, "units", channel.units);
  read(object, "gain", channel.gain);
  read(object, "offset", channel.offset);
  read(object, "reversed", channel.reversed);
  read(object, "tare", channel.tare);
  read(object, "filter_hz", channel.filter_hz);
  read(object, "raw_min", channel.raw_min);
  read(object, "raw_max", channel.raw_max);
  for (const Json& point : object.value("table", Json::array()))
    channel.table.emplace_back(point.at("raw").get<double>(), point.at("scaled").get<double>());
  read(object, "calibrated_on", channel.calibrated_on);
  read(object, "open_above", channel.open_above);
  read(object, "set", channel.set);
  read(object, "get", channel.get);
  read(object, "pattern", channel.pattern);
  readChoice(object, "register", {"holding", "input"}, channel.table_of);
  read(object, "address", channel.address);
  readChoice(object, "type", {"int16", "uint16", "int32", "uint32", "float32", "float64"}, channel.type);
  readChoice(object, "word_order", {"abcd", "cdab", "badc", "dcba"}, channel.order);
  return channel;
}

FaultSpec parseFault(const Json& object) {
  FaultSpec fault;
  fault.kind = faultKind(text(object, "kind")).value_or(fault.kind);
  read(object, "from_s", fault.from_s);
  read(object, "duration_s", fault.duration_s);
  read(object, "interface", fault.interface);
  readChoice(object, "sensor", {"displacement", "force"}, fault.sensor);
  fault.value = faultFacts(fault.kind).usual[static_cast<std::size_t>(fault.sensor)];
  read(object, "value", fault.value);
  return fault;
}

}  // namespace

RigSpec parseRig(const Json& section) {
  RigSpec rig;
  readChoice(section, "use", {"twin", "shadow", "rig"}, rig.use);
  if (section.contains("connection")) rig.connection = parseConnection(section.at("connection"));
  for (const Json& channel : section.value("channels", Json::array())) rig.channels.push_back(parseChannel(channel));
  for (const Json& fault : section.value("faults", Json::array())) rig.faults.push_back(parseFault(fault));
  return rig;
}

}  // namespace hyb
