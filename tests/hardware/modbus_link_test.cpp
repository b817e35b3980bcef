/// What a Modbus link takes for an answer, against a device that says byte for byte what a test wants.
#include "hardware/modbus_link.h"

#include <atomic>
#include <functional>
#include <thread>

#include "tests/support/patience.h"
#include "tests/support/pseudo_terminals.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;
using Answer = ModbusLink::Answer;
using Bytes = std::vector<std::uint8_t>;

namespace {

constexpr int kUnit = 5;
constexpr auto kReply = std::chrono::seconds(1);

Bytes withChecksum(Bytes frame) {
  unsigned sum = 0xFFFF;
  for (const std::uint8_t byte : frame) {
    sum ^= byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum & 1) != 0 ? sum >> 1 ^ 0xA001 : sum >> 1;
  }
  frame.push_back(static_cast<std::uint8_t>(sum & 0xFF));
  frame.push_back(static_cast<std::uint8_t>(sum >> 8));
  return frame;
}
Bytes joined(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Request k (from 0) is answered by what the script makes of it.
class ScriptedDevice {
 public:
  using Script = std::function<Bytes(int k, const Bytes& request)>;
  ScriptedDevice(bool serial, Script script)
      : script_(std::move(script)),
        listener_(parseAddress(serial ? "serial:pty" : "tcp://127.0.0.1:0", ""), SerialSpec()),
        thread_([this] { work(); }) {}
  ~ScriptedDevice() {
    closing_ = true;
    thread_.join();
  }
  std::unique_ptr<Port> port() const { return openPort(parseAddress(listener_.address(), ""), SerialSpec(), 10.0); }

 private:
  void work() {
    int k = 0;
    while (!closing_) {
      const std::unique_ptr<Port> client = listener_.accept(std::chrono::milliseconds(20));
      while (client && !closing_) {
        if (!client->waitReadable(std::chrono::milliseconds(20))) continue;
        std::array<std::uint8_t, 300> chunk;
        const Port::Result got = client->read(chunk);
        if (got.closed) break;
        const Bytes reply = script_(k++, Bytes(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(got.bytes)));
        (void)client->writeAll(reply, std::chrono::seconds(10));
      }
    }
  }
  Script script_;
  Listener listener_;
  std::atomic<bool> closing_{false};
  std::thread thread_;
};

/// Two registers with these values as TCP answers them, under the transaction of `request`.
Bytes tcpValues(const Bytes& request, int value) {
  return {request[0], request[1], 0, 0, 0, 7, kUnit, 3, 4, 0, static_cast<std::uint8_t>(value), 0, 0};
}
Bytes serialValues(int value) { return withChecksum({kUnit, 3, 4, 0, static_cast<std::uint8_t>(value), 0, 0}); }
Bytes serialProbe() { return withChecksum({kUnit, 3, 2, 0, 77}); }
int valueOf(const ModbusLink& link) { return link.answer()[3]; }

}  // namespace

class TestModbusLink : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { requirePseudoTerminals(); }

  /// Answers to older requests are dropped by their transaction number, however many there are.
  void overTcpOldAnswersAreDropped() {
    std::vector<Bytes> old;
    ScriptedDevice device(false, [&](int k, const Bytes& request) {
      old.push_back(tcpValues(request, k));
      if (k < 2) return Bytes();
      if (k == 2) return joined(joined(old[0], old[1]), old[2]);
      return old.back();
    });
    ModbusLink link(device.port(), kUnit, kReply, std::nullopt, never_);
    QVERIFY(link.ask(reading_) == Answer::late);
    QVERIFY(link.ask(reading_) == Answer::late);
    for (int k = 2; k < 5; ++k) {
      QVERIFY2(link.ask(reading_) == Answer::ok, link.complaint().c_str());
      QCOMPARE(valueOf(link), k);
    }
  }

  void overTcpOtherUnitsAndLengthsAreRefused() {
    for (int unit = 0; unit < 256; ++unit) {
      if (unit == kUnit) continue;
      ScriptedDevice device(false, [&](int, const Bytes& request) {
        Bytes reply = tcpValues(request, 1);
        reply[6] = static_cast<std::uint8_t>(unit);
        return reply;
      });
      ModbusLink link(device.port(), kUnit, std::chrono::seconds(60), std::nullopt, never_);
      QVERIFY(link.ask(reading_) == Answer::wrong);
      QVERIFY2(link.complaint().find("instead of unit 5") != std::string::npos, link.complaint().c_str());
      if (unit > 8) unit += 60;
    }
    for (const int length : {60000, 2, 255, 0}) {
      ScriptedDevice device(false, [&](int, const Bytes& request) {
        Bytes reply = tcpValues(request, 1);
        reply[4] = static_cast<std::uint8_t>(length >> 8);
        reply[5] = static_cast<std::uint8_t>(length & 0xFF);
        return reply;
      });
      ModbusLink link(device.port(), kUnit, std::chrono::seconds(60), std::nullopt, never_);
      QVERIFY(link.ask(reading_) == Answer::closed);
      QVERIFY2(link.complaint().find("length of " + std::to_string(length)) != std::string::npos,
               link.complaint().c_str());
    }
  }

  /// The late answer comes alone, or just before that to the probe, or never.
  void overRtuNoAnswerIsTakenForTheNextOne_data() {
    QTest::addColumn<int>("case_number");
    QTest::newRow("lost") << 0;
    QTest::newRow("before the probe's answer") << 1;
    QTest::newRow("damaged") << 2;
    QTest::newRow("two halves") << 3;
  }
  void overRtuNoAnswerIsTakenForTheNextOne() {
    QFETCH(int, case_number);
    ScriptedDevice device(true, [&](int k, const Bytes& request) {
      const bool probe = request.size() == 8 && request[5] == 1;
      const Bytes late = serialValues(9);
      if (k == 0 && case_number == 2) return Bytes{kUnit, 3, 4, 0, 9, 0, 0, 1, 2};
      if (k == 0 && case_number == 3) return Bytes(late.begin(), late.begin() + 4);
      if (k == 0) return Bytes();
      if (probe && case_number == 1) return joined(late, serialProbe());
      if (probe) return serialProbe();
      return serialValues(k);
    });
    ModbusLink link(device.port(), kUnit, kReply, ModbusRequest::read(3, 10, 1), never_);
    QVERIFY(link.ask(reading_) != Answer::ok);
    for (int k = 2; k < 5; ++k) {  // request 1 is the probe
      QVERIFY2(link.ask(reading_) == Answer::ok, link.complaint().c_str());
      QCOMPARE(valueOf(link), k);
    }
  }

  /// Answers to several probes, late: none of them is a value, and the order stays.
  void overRtuLateProbesAreNoAnswers() {
    int probes = 0;
    ScriptedDevice device(true, [&](int k, const Bytes& request) {
      if (request[5] == 1) {
        if (++probes < 3) return Bytes();
        return joined(serialValues(9), serialProbe());  // the other two come later
      }
      if (k == 0) return Bytes();
      const Bytes value = serialValues(k);
      if (probes == 3) {
        ++probes;
        return joined(joined(serialProbe(), serialProbe()), value);
      }
      return value;
    });
    ModbusLink link(device.port(), kUnit, kReply, ModbusRequest::read(3, 10, 1), never_);
    QVERIFY(link.ask(reading_) == Answer::late);
    QVERIFY(link.ask(reading_) == Answer::late);
    QVERIFY(link.ask(reading_) == Answer::late);
    for (int k = 4; k < 7; ++k) {
      QVERIFY2(link.ask(reading_) == Answer::ok, link.complaint().c_str());
      QCOMPARE(valueOf(link), k);
    }
  }

  void anEchoIsPassedOver_data() {
    QTest::addColumn<bool>("serial");
    QTest::newRow("TCP") << false;
    QTest::newRow("RTU") << true;
  }
  void anEchoIsPassedOver() {
    QFETCH(bool, serial);
    ScriptedDevice device(serial, [&](int k, const Bytes& request) {
      return joined(request, serial ? serialValues(k) : tcpValues(request, k));
    });
    ModbusLink link(device.port(), kUnit, std::chrono::seconds(60), std::nullopt, never_);
    for (int k = 0; k < 3; ++k) {
      QVERIFY2(link.ask(reading_) == Answer::ok, link.complaint().c_str());
      QCOMPARE(valueOf(link), k);
    }
  }

  /// It goes out while an answer is owed, and that answer does not confirm it.
  void aStopIsConfirmedByItsOwnAnswerAlone() {
    const std::uint16_t one = 1;
    const ModbusRequest stop = ModbusRequest::write(30, std::span(&one, 1));
    std::atomic<bool> answers{false};
    ScriptedDevice device(true, [&](int k, const Bytes& request) {
      if (k == 0) return Bytes();
      const Bytes late = serialValues(9);
      return answers ? joined(late, withChecksum(Bytes(request.begin(), request.begin() + 6))) : late;
    });
    ModbusLink link(device.port(), kUnit, kReply, std::nullopt, always_);
    QVERIFY(link.ask(reading_) == Answer::interrupted);
    QVERIFY(link.askForStop(stop) == Answer::late);
    answers = true;
    QVERIFY2(link.askForStop(stop) == Answer::ok, link.complaint().c_str());
  }

 private:
  const ModbusRequest reading_ = ModbusRequest::read(3, 10, 2);
  const std::atomic<bool> never_{false}, always_{true};
};

HYB_SUITE(modbus_link, TestModbusLink)
HYB_THREADS(modbus_link)
#include "modbus_link_test.moc"
