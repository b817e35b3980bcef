/// The twin as a text instrument, driven by the product's own device.
#include "hardware/text_server.h"

#include <cmath>

#include "core/base/error.h"
#include "core/rig/text_example.h"
#include "hardware/port.h"
#include "hardware/text_device.h"
#include "tests/hardware/polled_support.h"
#include "tests/support/change_protocol.h"
#include "tests/support/polled_run.h"
#include "tests/support/pseudo_terminals.h"
#include "tests/support/suite.h"
#include "tests/support/text_partner.h"

using namespace hyb;
using namespace hyb::test;

namespace {

Json textProject(bool all_at_once) {
  Json connection = {{"protocol", "text"},
                     {"identify", "*IDN?"},
                     {"identity", "^HYB,[A-Z]+"},
                     {"prepare", Json::array({"SVO 1 1"})},
                     {"fault_query", "ERR?"},
                     {"no_fault", "^[+]?0"},
                     {"stop", "STP"},
                     {"set_is_answered", true},
                     {"accepted", "^OK$"},
                     {"reply_end", "crlf"},
                     {"reply_s", 60.0},
                     {"max_age_s", 60.0},
                     {"connect_s", 20.0}};
  if (all_at_once) {
    connection["set_all"] = "MOV {command_1},{command_2},{command_rate_1},{command_rate_2}";
    connection["get_all"] = "READ?";
    connection["separator"] = ";";
  }
  const auto own = [&](const std::string& name, bool output) -> Json {
    if (all_at_once) return Json::object();
    if (output) return {{"set", "SET " + name + "={x}"}};
    return {{"get", name + "?"}, {"pattern", name + "=([-+.0-9eE]+)"}};
  };
  return {{"connection", connection}, {"channels", polledChannels(own)}};
}

/// Lines by hand.
class HandText {
 public:
  explicit HandText(const std::string& address) : port_(openPort(parseAddress(address, ""), {}, kHangs_s)) {}
  void tell(const std::string& line) {
    const std::string whole = line + "\n";
    QVERIFY(port_->writeAll({reinterpret_cast<const std::uint8_t*>(whole.data()), whole.size()},
                            std::chrono::milliseconds(kHangs_ms)));
  }
  std::string ask(const std::string& line) {
    tell(line);
    return hear();
  }
  /// The next line; "closed": there is none.
  std::string hear() {
    for (;;) {
      if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
        const std::string line = received_.substr(0, end);
        received_.erase(0, end + 1);
        return line;
      }
      if (!port_->waitReadable(std::chrono::milliseconds(kHangs_ms))) return "silence";
      std::array<std::uint8_t, 256> bytes;
      const Port::Result got = port_->read(bytes);
      received_.append(reinterpret_cast<const char*>(bytes.data()), got.bytes);
      if (got.closed) return "closed";
    }
  }

 private:
  std::unique_ptr<Port> port_;
  std::string received_;
};

/// The instrument of textRig(), with answers to what sets.
RigSpec answering() {
  RigSpec rig = textRig("tcp://127.0.0.1:0");
  Change<TextSpec>(rig.connection)->set_is_answered = true;
  Change<TextSpec>(rig.connection)->accepted = "^OK";
  return rig;
}

}  // namespace

class TestTextServer : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { requirePseudoTerminals(); }

  void aWholeRunIsThatOfTheTwin_data() {
    QTest::addColumn<QString>("listen");
    QTest::addColumn<bool>("all_at_once");
    QTest::newRow("TCP") << "tcp://127.0.0.1:0" << false;
    QTest::newRow("one line for all") << "tcp://127.0.0.1:0" << true;
    QTest::newRow("pseudo-terminal") << "serial:pty" << true;
  }
  void aWholeRunIsThatOfTheTwin() {
    QFETCH(QString, listen);
    QFETCH(bool, all_at_once);
    const ServedRunFindings run = runServed(textProject(all_at_once), listen.toStdString());
    QVERIFY2(run.result.reason == EndReason::completed, (run.result.stop_reason + run.log).c_str());
    QVERIFY(run.rows > 900 && run.largest_m > 1e-4);
    QVERIFY2(run.off < 1e-7, qPrintable(QString::number(run.off)));  // ten significant digits
    QVERIFY2(run.log.find("stopped: the bench stopped it") != std::string::npos, run.log.c_str());
  }

  /// Lines that are none of the project, numbers that are none, and a flood.
  void badLines() {
    ServedPolled served(answering());
    HandText bench(served.address());
    QCOMPARE(bench.ask("*IDN?"), std::string("HYB,"));
    QCOMPARE(bench.ask("ERR?"), std::string("0,"));
    for (const char* line : {"MOV", "MOV one", "MOV 1e-3", "MOV 0.1 0.2", "mov 0", "GO"})
      QVERIFY(!bench.ask(line).starts_with("OK"));
    QVERIFY(served.said("not one of the project: \"MOV\""));
    bench.tell(std::string(2 * kLongestReply, '7'));
    while (bench.ask("*IDN?") != "HYB,") continue;  // the rest of the flood is a line of its own
    QVERIFY(served.state() == ServedRig::State::ready);
    QCOMPARE(bench.ask("MOV 0"), std::string("OK"));
    QVERIFY(served.state() == ServedRig::State::following);
    QCOMPARE(bench.ask("POS?"), std::string("1=0"));
  }

  void itStopsByItself_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("words");
    QTest::newRow("step") << "MOV 0.5"
                          << "would step in one tick";
    QTest::newRow("start elsewhere") << ""
                                     << "away from where it is";
  }
  void itStopsByItself() {
    QFETCH(QString, line);
    QFETCH(QString, words);
    SetClock clock;
    ServedPolled served(answering(), "tcp://127.0.0.1:0", clock, ServedTwin::twin(), [](RigServerSpec& spec) {
      spec.bounds = {{.step = 2e-3, .rate = 10.0, .unit = "m", .rate_unit = "m/s"}};
    });
    HandText bench(served.address());
    if (!line.isEmpty()) QCOMPARE(bench.ask("MOV 0"), std::string("OK"));
    QVERIFY(!bench.ask(line.isEmpty() ? "MOV 0.01" : line.toStdString()).starts_with("OK"));
    QVERIFY2(served.said(words.toStdString()), served.log().c_str());
    QVERIFY(!bench.ask("ERR?").starts_with("0,"));
    QVERIFY(!bench.ask("MOV 0").starts_with("OK"));  // stays stopped
    QVERIFY(served.state() == ServedRig::State::stopped);
  }

  /// By its clock, which stands until the test lets time pass.
  void itStopsWithoutRequests() {
    SetClock clock;
    ServedPolled served(answering(), "tcp://127.0.0.1:0", clock, ServedTwin::twin(),
                        [](RigServerSpec& spec) { spec.place_s = 1.0; });
    HandText bench(served.address());
    QCOMPARE(bench.ask("MOV 0"), std::string("OK"));
    for (int k = 0; k < 5; ++k) {
      clock.pass(0.9);  // a question keeps it alive
      QCOMPARE(bench.ask("POS?"), std::string("1=0"));
    }
    QVERIFY(served.state() == ServedRig::State::following);
    clock.pass(1.1);
    QTRY_VERIFY_WITH_TIMEOUT(served.state() == ServedRig::State::stopped, kHangs_ms);
    QVERIFY(served.said("no command for 1 s"));
    HandText next(served.address());  // takes the place of the silent one
    QCOMPARE(next.ask("*IDN?"), std::string("HYB,"));
    QCOMPARE(next.ask("MOV 0"), std::string("OK"));
    QCOMPARE(bench.hear(), std::string("closed"));
  }

  void oneBenchAtATime() {
    ServedPolled served(answering());
    auto first = std::make_unique<HandText>(served.address());
    QCOMPARE(first->ask("MOV 0"), std::string("OK"));
    QCOMPARE(HandText(served.address()).hear(), std::string("closed"));
    QVERIFY(served.said("refused: "));
    QCOMPARE(first->ask("POS?"), std::string("1=0"));
    first.reset();  // without a stop
    QTRY_VERIFY_WITH_TIMEOUT(served.said("stopped: the connection ended"), kHangs_ms);
    QCOMPARE(HandText(served.address()).ask("*IDN?"), std::string("HYB,"));
  }

  /// On a line that never ends.
  void aNewBenchOnASerialLine() {
    const RigSpec rig = answering();
    ServedPolled served(rig, "serial:pty");
    for (int k = 0; k < 2; ++k) {
      HandText bench(served.address());
      QCOMPARE(bench.ask("MOV 0"), std::string("OK"));
      QVERIFY(served.state() == ServedRig::State::following);
      QCOMPARE(bench.ask("ABOR"), std::string("OK"));
      QVERIFY(served.state() == ServedRig::State::stopped);
    }
  }

  void whoMayReachIt() {
    const auto refusal = [&](const std::function<void(RigServerSpec&)>& change) {
      try {
        ServedPolled served(answering(), "tcp://127.0.0.1:0", systemClock(), ServedTwin::twin(), change);
      } catch (const InputError& error) {
        return error.issues().front().where + " " + error.issues().front().message;
      }
      return std::string();
    };
    const auto everywhere = [](RigServerSpec& spec) { spec.listen.host = "0.0.0.0"; };
    const auto trusted = [](RigServerSpec& spec) { spec.listen.host = "0.0.0.0", spec.trust_network = true; };
    QVERIFY(refusal(everywhere).find("--trust-network") != std::string::npos);
    QCOMPARE(refusal(trusted), std::string());
    QVERIFY(refusal([](RigServerSpec& spec) { spec.key.emplace(); }).find("--key-file") == 0);
  }

  /// A device that drops out and lies, by the faults of the project.
  void faultsOfTheWire() {
    SetClock clock;
    ServedPolled served(answering(), "tcp://127.0.0.1:0", clock, ServedTwin::twin(), [](RigServerSpec& spec) {
      spec.faults.push_back({.kind = FaultKind::link_loss, .from_s = 0.5, .duration_s = 0.0});
    });
    HandText bench(served.address());
    QCOMPARE(bench.ask("MOV 0"), std::string("OK"));
    clock.pass(0.4);
    QCOMPARE(bench.ask("POS?"), std::string("1=0"));
    clock.pass(0.2);
    bench.tell("POS?");
    QTRY_VERIFY_WITH_TIMEOUT(served.said("fault on purpose begins"), kHangs_ms);
  }

  // The answers.

  void examples_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("text");
    QTest::newRow("plain") << "^HYB,"
                           << "HYB,";
    QTest::newRow("class") << "^[A-Z]{3}-[^,]+$"
                           << "AAA-x";
    QTest::newRow("alternatives") << "^(?:OK|DONE) .* -- "
                                  << "OK  -- ";
    QTest::newRow("escapes") << "^\\[\\d+\\.\\d\\]\\s?$"
                             << "[0.0]";
    QTest::newRow("optional") << "^[+]?0"
                              << "0";
  }
  void examples() {
    QFETCH(QString, pattern);
    QFETCH(QString, text);
    QCOMPARE(exampleText(pattern.toStdString()).value_or("none"), text.toStdString());
    const auto other = counterexampleText(pattern.toStdString());
    QVERIFY(other && !std::regex_search(*other, replyPattern(pattern.toStdString(), "")));
  }

  /// Whatever a pattern asks for, the bench reads the number that the twin wrote.
  void numbers_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("unit");
    QTest::addColumn<bool>("comma");
    QTest::addColumn<double>("step");
    QTest::newRow("all of it") << ""
                               << "" << false << 1e-10;
    QTest::newRow("after a name") << "1=([-+.0-9eE]+)"
                                  << "" << false << 1e-10;
    QTest::newRow("decimal comma and unit") << ""
                                            << "mm" << true << 1e-10;
    QTest::newRow("unit behind") << "^A ([-.0-9]+)"
                                 << "N" << false << 1e-10;
    QTest::newRow("unit in the pattern") << "^([-.0-9]+) mm"
                                         << "" << false << 1e-10;
    QTest::newRow("whole") << "-- ([-0-9]+)$"
                           << "" << false << 1.0;
    QTest::newRow("exponent") << "^([-+][0-9]\\.[0-9]+E[-+][0-9]+)"
                              << "" << false << 1e-9;
    QTest::newRow("second alternative") << "^(?:none|v(?:al)?=(.*))$"
                                        << "" << false << 1e-10;
  }
  void numbers() {
    QFETCH(QString, pattern);
    QFETCH(QString, unit);
    QFETCH(bool, comma);
    QFETCH(double, step);
    const DecimalSign decimal = comma ? DecimalSign::comma : DecimalSign::point;
    const NumberReply writer(pattern.toStdString(), "", decimal, unit.toStdString());
    const NumberPattern reader(pattern.toStdString(), "", decimal, unit.toStdString());
    for (const double value : {0.0, 12.5, -0.001234567891, 3.0e5, -98765.4321, 1e-7}) {
      const std::string text = writer.text(value);
      const std::optional<double> read = reader.find(text);
      QVERIFY2(read && std::abs(*read - value) <= 0.5 * step * std::max(1.0, std::abs(value)), text.c_str());
    }
  }

  void aPatternWithoutAnExample() {
    try {
      const NumberReply writer("^(?=x)([-.0-9]+)", "/rig/channels/1/pattern", DecimalSign::point, "");
      QFAIL("taken");
    } catch (const InputError& error) {
      QCOMPARE(error.issues().front().where, std::string("/rig/channels/1/pattern"));
    }
  }

  /// One line may query a value and the faults, as with a Zaber stage; a reply may be the echo.
  void oneQueryForValueAndFault() {
    RigSpec rig = answering();
    {
      Change<TextSpec> change(rig.connection);
      change->fault_query = "POS?";
      change->no_fault = " OK .* -- ";
      change->channels[1].pattern = "-- ([-0-9]+)";
      change->echo = Echo::confirm;
      change->accepted.clear();
    }
    ServedPolled served(rig);
    HandText bench(served.address());
    QCOMPARE(bench.ask("POS?"), std::string(" OK  -- 0"));
    QCOMPARE(bench.ask("MOV 0"), std::string("MOV 0"));
    rig.connection.address = served.address();
  }
};

HYB_SUITE(text_server, TestTextServer)
HYB_THREADS(text_server)
#include "text_server_test.moc"
