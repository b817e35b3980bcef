#include "core/base/json.h"
#include "core/project/reading.h"
#include "core/project/rig_legs.h"

namespace hyb {
namespace {

SerialSpec parseSerial(const Json& object) {
  SerialSpec serial;
  read(object, "baud", serial.baud);
  read(object, "data_bits", serial.data_bits);
  read(object, "stop_bits", serial.stop_bits);
  readChoice(object, "parity", {"none", "even", "odd"}, serial.parity);
  readChoice(object, "flow", {"none", "hardware", "software"}, serial.flow);
  return serial;
}

/// The connection with the paths of its files resolved: a relative path starts at the project's folder.
Json placed(Json connection, const std::filesystem::path& folder) {
  for (const char* key : {"key_file", "library"})
    if (const std::string file = text(connection, key); !file.empty()) connection[key] = (folder / file).string();
  return connection;
}

ConnectionSpec parseConnection(const Json& object, const Json& channels) {
  ConnectionSpec connection;
  connection.address = text(object, "address");
  read(object, "connect_s", connection.connect_s);
  read(object, "delay_s", connection.delay_s);
  connection.serial = parseSerial(object.value("serial", Json::object()));
  const std::string protocol = text(object, "protocol");
  for (const ProtocolEntry& entry : rigProtocols())
    if (entry.name == protocol) connection.protocol = entry.parse(object, channels);
  if (connection.protocol && connection.address.empty()) connection.address = connection.protocol->ownAddress();
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

RigSpec parseRig(const Json& section, const std::filesystem::path& folder) {
  RigSpec rig;
  readChoice(section, "use", {"twin", "shadow", "rig"}, rig.use);
  const Json channels = section.value("channels", Json::array());
  if (section.contains("connection"))
    rig.connection = parseConnection(placed(section.at("connection"), folder), channels);
  for (const Json& channel : channels) rig.channels.push_back(parseChannel(channel));
  for (const Json& fault : section.value("faults", Json::array())) rig.faults.push_back(parseFault(fault));
  if (section.contains("geometry")) rig.geometry = parseGeometry(section.at("geometry"));
  return rig;
}

}  // namespace hyb
