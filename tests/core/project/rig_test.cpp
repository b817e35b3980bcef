#include <QTest>

#include "core/project/coupling_schemes.h"
#include "core/rig/ads_protocol.h"
#include "core/rig/device_channels.h"
#include "core/rig/frames_protocol.h"
#include "core/rig/modbus_protocol.h"
#include "core/rig/text_protocol.h"
#include "resources/resources.h"
#include "tests/core/project/mutation.h"
#include "tests/support/family_example.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// Apart from the raw strings below: moc takes two slashes in them for a comment.
Json overTcp(Json document) {
  document["rig"]["connection"]["address"] = "tcp://10.0.0.5:5025";
  return document;
}

/// Three-mass on a text instrument: two axes, two displacements, two forces, a monitor and a door.
Json textRig() {
  return overTcp(mutate(base(), R"rig([
    {"set": "/rig/use", "to": "rig"},
    {"set": "/rig/connection", "to": {"protocol": "text", "address": "TCP", "send_end": "crlf",
        "identify": "*IDN?", "identity": "ACME", "prepare": ["MODE EXT"], "stop": "ABORT", "max_age_s": 0.2,
        "echo": "confirm", "decimal": "comma"}},
    {"set": "/rig/channels", "to": [
        {"name": "u1", "role": "command", "interface": 1, "units": "mm", "gain": 0.001, "set": "MOV 1 {x}"},
        {"name": "u2", "role": "command", "interface": 2, "units": "mm", "gain": 0.001, "set": "MOV 2 {x}"},
        {"name": "x1", "role": "displacement", "interface": 1, "get": "POS? 1", "pattern": "POS=(.*)"},
        {"name": "x2", "role": "displacement", "interface": 2, "get": "POS? 2", "reversed": true,
            "table": [{"raw": -5, "scaled": -0.01}, {"raw": 0, "scaled": 0}, {"raw": 5, "scaled": 0.011}]},
        {"name": "f1", "role": "force", "interface": 1, "get": "F? 1", "reply_unit": "kN", "tare": 0.5, "filter_hz": 200},
        {"name": "f2", "role": "force", "interface": 2, "get": "F? 2", "raw_min": -10, "raw_max": 10,
            "calibrated_on": "2026-02-28"},
        {"name": "oil", "role": "monitor", "get": "T?"},
        {"name": "door", "role": "interlock", "get": "DOOR?", "open_above": 2.5}]
}])rig"));
}

/// As fast as such a bus is.
Json modbusRig() {
  return mutate(base(), R"([
    {"set": "/loop/rate_hz", "to": 100},
    {"set": "/rig/use", "to": "shadow"},
    {"set": "/rig/connection", "to": {"protocol": "modbus", "address": "serial:/dev/ttyUSB0", "unit_id": 3,
        "serial": {"baud": 921600, "parity": "even"}, "stop_registers": [{"address": 100, "value": 1}],
        "function_23": false}},
    {"set": "/rig/channels", "to": [
        {"name": "u1", "role": "command", "interface": 1, "address": 0},
        {"name": "u2", "role": "command", "interface": 2, "address": 2, "type": "int16", "gain": 1e-6},
        {"name": "x1", "role": "displacement", "interface": 1, "register": "input", "address": 0},
        {"name": "x2", "role": "displacement", "interface": 2, "register": "input", "address": 2},
        {"name": "f1", "role": "force", "interface": 1, "register": "input", "address": 4, "word_order": "cdab"},
        {"name": "f2", "role": "force", "interface": 2, "register": "input", "address": 6}]}])");
}

/// Three-mass with the block of the help page.
Json rigOfPage(const char* resource, Json document = base()) {
  const std::string page(resourceText(resource));
  const std::size_t start = page.find("\"use\": \"rig\""), end = page.find("\n```", start);
  document["rig"].update(Json::parse("{" + page.substr(start, end - start) + "}"));
  return document;
}
Json adsRig() {
  return rigOfPage("help/connection/ads.md", mutate(base(), R"([{"set": "/loop/rate_hz", "to": 500}])"));
}
Json udpRig() { return rigOfPage("help/connection/udp.md"); }
Json leadingUdpRig() {
  return mutate(udpRig(), R"([{"set": "/rig/connection/leads", "to": "target"},
      {"set": "/rig/connection/target_rate_hz", "to": 1000}])");
}

Json framesRig() {
  return overTcp(mutate(base(), R"([
    {"set": "/rig/use", "to": "rig"},
    {"set": "/rig/connection", "to": {"protocol": "frames", "address": "TCP", "delay_s": 0.0004,
        "timeout_ticks": 7, "safe_action": "hold"}},
    {"set": "/rig/faults", "to": [{"kind": "spike", "from_s": 1, "interface": 2, "sensor": "force", "value": 20},
        {"kind": "latency"}]}])"));
}

}  // namespace

class RigSectionTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void soundRigsPass() {
    for (const Json& document : {textRig(), modbusRig(), adsRig(), framesRig(), udpRig(), leadingUdpRig()})
      QVERIFY2(validate(document).empty(), qPrintable(listing(validate(document))));
  }

  /// The block of each protocol's page with the template that it suits; whole projects of programs that lead.
  void theHelpPagesHaveSoundProjects() {
    for (const ProtocolEntry& entry : rigProtocols()) {
      const Json slow = mutate(base(), R"([{"set": "/loop/rate_hz", "to": 500}])");
      Json document = rigOfPage(("help/connection/" + std::string(entry.name) + ".md").c_str(), slow);
      if (Json& connection = document["rig"]["connection"]; connection.contains("library"))
        connection["library"] = kPlugIns + std::string("/actuator.so");  // which the reader of the page builds
      QVERIFY(document["rig"]["connection"]["protocol"] == entry.name);
      QVERIFY2(validate(document).empty(), qPrintable(QString(entry.name.data()) + listing(validate(document))));
    }
    int led = 0;
    for (const CouplingEntry& entry : couplingSchemes()) {
      if (!resolvedNode(branchOf("coupling", entry.name)).at("properties").contains("listen")) continue;
      ++led;
      const std::string page(resourceText("help/coupling/" + std::string(entry.name) + ".md"));
      const std::size_t start = page.find("\n```\n{\n") + 5, end = page.find("\n```", start);
      const Json document = Json::parse(page.substr(start, end - start));
      QVERIFY(document["coupling"]["scheme"] == entry.name);
      QVERIFY2(validate(document).empty(), qPrintable(QString(entry.name.data()) + listing(validate(document))));
    }
    QCOMPARE(led, 2);
  }

  void rigsBecomeTyped() {
    const RigSpec text = parseProject(textRig()).rig;
    QVERIFY(text.use == RigUse::rig);
    const auto& lines = settingsOf<TextSpec>(text.connection.protocol.get());
    QCOMPARE(lines.send_end, std::string("\r\n"));
    QCOMPARE(lines.reply_end, std::string("\n"));
    QCOMPARE(lines.prepare, std::vector<std::string>{"MODE EXT"});
    QVERIFY(lines.echo == Echo::confirm && lines.decimal == DecimalSign::comma);
    QCOMPARE(lines.channels[4].reply_unit, std::string("kN"));
    QVERIFY(lines.channels[5].reply_unit.empty());
    QCOMPARE(text.channels.size(), std::size_t{8});
    QVERIFY(text.channels[3].reversed);
    QCOMPARE(text.channels[3].table.back(), std::make_pair(5.0, 0.011));
    QVERIFY(text.channels[7].role == ChannelRole::interlock);
    QCOMPARE(text.channels[7].open_above, 2.5);

    const RigSpec modbus = parseProject(modbusRig()).rig;
    QVERIFY(modbus.use == RigUse::shadow);
    QVERIFY(modbus.connection.serial.parity == Parity::even);
    QVERIFY(!settingsOf<ModbusSpec>(modbus.connection.protocol.get()).function_23);
    QCOMPARE(settingsOf<ModbusSpec>(modbus.connection.protocol.get()).stop_registers.front(), std::make_pair(100, 1));
    const auto& registers = settingsOf<ModbusSpec>(modbus.connection.protocol.get()).channels;
    QVERIFY(registers[1].type == RegisterType::int16);
    QVERIFY(registers[4].order == WordOrder::cdab);
    QVERIFY(registers[4].table == Register::input);

    const RigSpec ads = parseProject(adsRig()).rig;
    const auto& controller = settingsOf<AdsSpec>(ads.connection.protocol.get());
    QCOMPARE(controller.target_net_id, std::string("5.1.2.3.1.1"));
    QCOMPARE(controller.watchdog, std::string("MAIN.alive"));
    QCOMPARE(controller.stop.front().first.symbol, std::string("MAIN.stop"));
    QVERIFY(controller.stop.front().first.type == PlcType::boolean);
    QCOMPARE(controller.channels[0].symbol, std::string("MAIN.target[1]"));
    QVERIFY(controller.channels[4].type == PlcType::real);
    QVERIFY(ads.connection.protocol->missingStop().empty());

    const Project frames = parseProject(framesRig());
    QCOMPARE(settingsOf<FramesSpec>(frames.rig.connection.protocol.get()).timeout_ticks, 7);
    QVERIFY(settingsOf<FramesSpec>(frames.rig.connection.protocol.get()).safe_action == SafeAction::hold);
    QCOMPARE(frames.rig.connection.delay_s, 4e-4);
    QCOMPARE(frames.rig.faults.front(), (FaultSpec{FaultKind::spike, 1.0, 0.0, 2, FaultSensor::force, 20.0}));
    QCOMPARE(frames.rig.faults.back().value, faultFacts(FaultKind::latency).usual[0]);
    QCOMPARE(rigChannels(frames.rig, 2).size(), std::size_t{8});
    QVERIFY(parseProject(base()).rig.use == RigUse::twin);
  }

  void everyFaultIsNamed_data();
  void everyFaultIsNamed() {
    QFETCH(QByteArray, document);
    QFETCH(QString, where);
    QFETCH(QString, word);
    const auto issues = validate(Json::parse(document.toStdString()));
    QVERIFY2(names(issues, where.toStdString(), word.toStdString()), qPrintable(listing(issues)));
    QVERIFY2(issues.size() == 1, qPrintable(listing(issues)));
  }
};

void RigSectionTest::everyFaultIsNamed_data() {
  QTest::addColumn<QByteArray>("document");
  QTest::addColumn<QString>("where");
  QTest::addColumn<QString>("word");
  const auto row = [](const char* name, const Json& from, const char* patch, const char* where, const char* word) {
    QTest::newRow(name) << QByteArray::fromStdString(mutate(from, patch).dump()) << where << word;
  };
  const Json text = textRig(), modbus = modbusRig(), ads = adsRig(), frames = framesRig();
  row("alignment of three", udpRig(), R"([{"set": "/rig/connection/alignment", "to": 3}])", "/rig/connection/alignment",
      "enter 1, 2, 4 or 8");
  row("leads at another rate", leadingUdpRig(), R"([{"set": "/rig/connection/target_rate_hz", "to": 500}])",
      "/rig/connection/target_rate_hz", "the loop rate (/loop/rate_hz) is 1000 Hz");
  row("leads at no rate", leadingUdpRig(), R"([{"drop": "/rig/connection/target_rate_hz"}])",
      "/rig/connection/target_rate_hz", "number of datagrams a second");
  row("leads without numbers", leadingUdpRig(),
      R"([{"drop": "/rig/connection/receives/0"}, {"drop": "/rig/connection/sends/0"},
          {"drop": "/rig/connection/receives/0"}])",
      "/rig/connection/receives", "has no sequence number");
  row("no connection", base(), R"([{"set": "/rig/use", "to": "rig"}])", "/rig/connection", "is missing");
  for (const auto& [address, message] : std::initializer_list<std::pair<const char*, const char*>>{
           {"10.0.0.5:5025", "not an address"},
           {"tcp://host", "no port number"},
           {"tcp://:1", "has no host"},
           {"tcp://::1:80", "needs brackets"},  // the drivers refuse it too
           {"tcp://host:0", "port is 0"},
           {"tcp://host:65536", "not a number from 0 to 65535"},
           {"tcp://host:5x", "not a number from 0 to 65535"},
           {"serial:", "has no port"}}) {
    Json changed = frames;
    changed["rig"]["connection"]["address"] = address;
    QTest::newRow(address) << QByteArray::fromStdString(changed.dump()) << "/rig/connection/address" << message;
  }
  row("serial settings over TCP", frames, R"([{"set": "/rig/connection/serial", "to": {"baud": 9600}}])",
      "/rig/connection/serial", "remove it");
  const std::string sensors = R"([{"set": "/partition/sensors", "to": [{"name": "s1", "terms": [{"dof": "m1"}]},
        {"name": "s2", "terms": [{"dof": "m2"}]}, {"name": "s3", "terms": [{"dof": "m2"}]}]}, )";
  row("sensor without a channel", text, (sensors + R"({"set": "/rig/channels/6/interface", "to": 0}])").c_str(),
      "/rig/channels", "sensor 3 has no displacement");
  row("sensor too high", text, R"([{"set": "/partition/sensors", "to": [{"name": "s1", "terms": [{"dof": "m1"}]},
        {"name": "s2", "terms": [{"dof": "m2"}]}]}, {"set": "/rig/channels/6", "to":
        {"name": "oil", "role": "displacement", "interface": 3, "get": "T?"}}])",
      "/rig/channels/6/interface", "/partition/sensors has 2");
  row("fault of no sensor", frames,
      (sensors + R"({"set": "/rig/faults", "to":
      [{"kind": "drift", "interface": 4, "value": 0.001}]}])")
          .c_str(),
      "/rig/faults/0/interface", "there is no sensor 4");
  row("fault of no force sensor", frames,
      (sensors + R"({"set": "/rig/faults", "to":
      [{"kind": "drift", "interface": 3, "sensor": "force", "value": 1}]}])")
          .c_str(),
      "/rig/faults/0/interface", "there is no interface 3");
  row("unit on a bus", modbus, R"([{"set": "/rig/connection/unit_id", "to": 255}])", "/rig/connection/unit_id",
      "1 to 247");
  row("no channels", text, R"([{"drop": "/rig/channels"}])", "/rig/channels", "is missing");
  row("no command", text, R"([{"drop": "/rig/channels/1"}])", "/rig/channels", "interface 2 has no command");
  row("no force", modbus, R"([{"drop": "/rig/channels/5"}])", "/rig/channels", "interface 2 has no force");
  row("two displacements", text,
      R"([{"set": "/rig/channels/6", "to": {"name": "oil", "role": "displacement", "interface": 1, "get": "T?"}}])",
      "/rig/channels/6/role", "already");
  row("interface too high", modbus, R"([{"set": "/rig/channels/5/interface", "to": 3},
      {"set": "/rig/channels/6", "to": {"name": "f3", "role": "force", "interface": 2, "register": "input", "address": 8}}])",
      "/rig/channels/5/interface", "the cut has 2");
  row("monitor with an interface", text, R"([{"set": "/rig/channels/6/interface", "to": 1}])",
      "/rig/channels/6/interface", "belongs to no interface");
  row("name twice", text, R"([{"set": "/rig/channels/6/name", "to": "x1"}])", "/rig/channels/6/name", "\"x1\"");
  row("name with a slash", text, R"([{"set": "/rig/channels/6/name", "to": "a/b"}])", "/rig/channels/6/name",
      "letters, digits, _ and -");
  row("gain 0", text, R"([{"set": "/rig/channels/0/gain", "to": 0}])", "/rig/channels/0/gain", "is 0");
  row("table not sorted", text, R"([{"set": "/rig/channels/3/table/1/raw", "to": 6}])", "/rig/channels/3/table/2/raw",
      "sort");
  row("table that turns", text, R"([{"set": "/rig/channels/3/table/2/scaled", "to": -1}])", "/rig/channels/3/table",
      "monotonic");
  row("table of one point", text, R"([{"set": "/rig/channels/3/table", "to": [{"raw": 0, "scaled": 0}]}])",
      "/rig/channels/3/table", "at least two");
  row("table and gain", text, R"([{"set": "/rig/channels/3/gain", "to": 2}])", "/rig/channels/3/gain", "keep one");
  row("range upside down", text, R"([{"set": "/rig/channels/5/raw_max", "to": -10}])", "/rig/channels/5/raw_max",
      "not above");
  row("filtered output", text, R"([{"set": "/rig/channels/0/filter_hz", "to": 10}])", "/rig/channels/0/filter_hz",
      "inputs only");
  row("filter above half the rate", text, R"([{"set": "/rig/channels/4/filter_hz", "to": 500}])",
      "/rig/channels/4/filter_hz", "500 Hz");
  row("no such day", text, R"([{"set": "/rig/channels/5/calibrated_on", "to": "2026-02-29"}])",
      "/rig/channels/5/calibrated_on", "YYYY-MM-DD");
  row("level of no interlock", text, R"([{"set": "/rig/channels/6/open_above", "to": 1}])",
      "/rig/channels/6/open_above", "interlock");
  row("set without a value", text, R"([{"set": "/rig/channels/0/set", "to": "MOV 1"}])", "/rig/channels/0/set",
      "{x} once");
  row("set of an input", text, R"([{"set": "/rig/channels/2/set", "to": "POS {x}"}])", "/rig/channels/2/set",
      "is an input");
  row("get of an output", text, R"([{"set": "/rig/channels/0/get", "to": "MOV?"}])", "/rig/channels/0/get",
      "is an output");
  row("input without a query", text, R"([{"drop": "/rig/channels/6/get"}])", "/rig/channels/6/get", "is missing");
  row("pattern without a group", text, R"([{"set": "/rig/channels/2/pattern", "to": "POS=.*"}])",
      "/rig/channels/2/pattern", "0 groups");
  row("pattern that is none", text, R"([{"set": "/rig/channels/2/pattern", "to": "POS=(.*"}])",
      "/rig/channels/2/pattern", "not a regular expression");
  row("pattern that refers back", text, R"([{"set": "/rig/channels/2/pattern", "to": "(.)\\1"}])",
      "/rig/channels/2/pattern", "back-reference");
  row("set_all without an axis", text,
      R"([{"set": "/rig/connection/set_all", "to": "MOV {u1}"}, {"drop": "/rig/channels/0/set"},
          {"drop": "/rig/channels/1/set"}])",
      "/rig/connection/set_all", "{u2}");
  row("unit of an output", text, R"([{"set": "/rig/channels/0/reply_unit", "to": "mm"}])", "/rig/channels/0/reply_unit",
      "is an output");
  row("comma between and within numbers", text,
      R"([{"set": "/rig/connection/get_all", "to": "ALL?"}, {"set": "/rig/connection/separator", "to": ", "},
          {"drop": "/rig/channels/2/get"}, {"drop": "/rig/channels/3/get"}, {"drop": "/rig/channels/4/get"},
          {"drop": "/rig/channels/5/get"}, {"drop": "/rig/channels/6/get"}, {"drop": "/rig/channels/7/get"}])",
      "/rig/connection/separator", "decimal sign");
  row("another answer to an echo", text, R"([{"set": "/rig/connection/echo", "to": "ignore"}])", "/rig/connection/echo",
      "\"pass\"");
  row("identity without a query", text, R"([{"drop": "/rig/connection/identify"}])", "/rig/connection/identity",
      "\"identify\"");
  row("text key over Modbus", modbus, R"([{"set": "/rig/channels/2/get", "to": "POS?"}])", "/rig/channels/2/get",
      "\"text\"");
  row("Modbus key over text", text, R"([{"set": "/rig/channels/2/address", "to": 1}])", "/rig/channels/2/address",
      "\"modbus\"");
  row("output in an input register", modbus, R"([{"set": "/rig/channels/0/register", "to": "input"}])",
      "/rig/channels/0/register", "\"holding\"");
  row("outputs on one register", modbus, R"([{"set": "/rig/channels/1/address", "to": 1}])", "/rig/channels/1/address",
      "register 1");
  row("loop faster than the bus", modbus, R"([{"set": "/rig/connection/serial/baud", "to": 19200}])", "/loop/rate_hz",
      "at most");
  row("registers beyond the end", modbus, R"([{"set": "/rig/channels/2/address", "to": 65535}])",
      "/rig/channels/2/address", "65535");
  row("ADS over a serial port", ads, R"([{"set": "/rig/connection/address", "to": "serial:/dev/ttyS0"}])",
      "/rig/connection/address", "tcp://HOST:48898");
  row("NetId of four numbers", ads, R"([{"set": "/rig/connection/target_net_id", "to": "192.168.0.2"}])",
      "/rig/connection/target_net_id", "six numbers");
  row("source NetId too large", ads, R"([{"set": "/rig/connection/source_net_id", "to": "192.168.0.256.1.1"}])",
      "/rig/connection/source_net_id", "0 to 255");
  Json named = ads;
  named["rig"]["connection"]["address"] = "tcp://plc:48898";
  row("NetId of a name", named, R"([{"set": "/rig/connection/target_net_id", "to": ""}])",
      "/rig/connection/target_net_id", "does not follow");
  row("variable missing", ads, R"([{"drop": "/rig/channels/2/symbol"}])", "/rig/channels/2/symbol", "is missing");
  row("variable with a blank", ads, R"([{"set": "/rig/channels/2/symbol", "to": "MAIN. x"}])", "/rig/channels/2/symbol",
      "without blanks");
  row("variable and index group", ads, R"([{"set": "/rig/channels/2/index_group", "to": 16448}])",
      "/rig/channels/2/index_group", "\"PLC variable\"");
  row("variable and index offset", ads, R"([{"set": "/rig/channels/2/index_offset", "to": 8}])",
      "/rig/channels/2/index_offset", "\"PLC variable\"");
  row("bits as LREAL", ads,
      R"([{"drop": "/rig/channels/2/symbol"}, {"set": "/rig/channels/2/index_group", "to": 61473}])",
      "/rig/channels/2/plc_type", "61472");
  row("outputs on one variable", ads, R"([{"set": "/rig/channels/1/symbol", "to": "main.TARGET[1]"}])",
      "/rig/channels/1/symbol", "\"u1\"");
  row("outputs that overlap", ads,
      R"([{"drop": "/rig/channels/0/symbol"}, {"set": "/rig/channels/0/index_group", "to": 16448},
          {"drop": "/rig/channels/1/symbol"}, {"set": "/rig/channels/1/index_group", "to": 16448},
          {"set": "/rig/channels/1/index_offset", "to": 7}])",
      "/rig/channels/1/index_offset", "\"u1\"");
  row("watchdog that is an output", ads, R"([{"set": "/rig/connection/watchdog", "to": "MAIN.target[1]"}])",
      "/rig/channels/0/symbol", "watchdog");
  row("stop value beyond its type", ads, R"([{"set": "/rig/connection/stop_values/0/value", "to": 2}])",
      "/rig/connection/stop_values/0/value", "BOOL");
  row("stop value not whole", ads, R"([{"set": "/rig/connection/stop_values/0/value", "to": 0.5}])",
      "/rig/connection/stop_values/0/value", "whole number");
  row("stop value of nothing", ads, R"([{"drop": "/rig/connection/stop_values/0/symbol"}])",
      "/rig/connection/stop_values/0/symbol", "is missing");
  row("fault at no interface", frames, R"([{"set": "/rig/faults/0/interface", "to": 3}])", "/rig/faults/0/interface",
      "the cut has 2");
  row("value of a fault without one", frames, R"([{"set": "/rig/faults/0", "to": {"kind": "power-off", "value": 1}}])",
      "/rig/faults/0/value", "has no value");
  row("probability above 1", frames, R"([{"set": "/rig/faults/0", "to": {"kind": "frame-loss", "value": 1.5}}])",
      "/rig/faults/0/value", "0 to 1");
  row("sensor of a link", frames, R"([{"set": "/rig/faults/1/sensor", "to": "force"}])", "/rig/faults/1/sensor",
      "not a sensor fault");
}

HYB_SUITE(project_rig, RigSectionTest)
#include "rig_test.moc"
