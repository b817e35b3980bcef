/// The twin as a Modbus device, driven by the product's own device.
#include "hardware/modbus_server.h"

#include <cmath>

#include "core/base/error.h"
#include "core/rig/modbus_map.h"
#include "hardware/port.h"
#include "tests/support/change_protocol.h"
#include "tests/support/modbus_partner.h"
#include "tests/support/polled_run.h"
#include "tests/support/pseudo_terminals.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// float64 for all, or float32 in the usual other order; side by side, or with gaps between the channels.
Json modbusProject(bool doubles, bool adjacent, bool serial) {
  Json connection = {{"protocol", "modbus"}, {"unit_id", 5},
                     {"reply_s", 60.0},      {"max_age_s", 60.0},
                     {"connect_s", 20.0},    {"stop_registers", {{{"address", 900}, {"value", 1}}}}};
  if (serial) connection["serial"] = {{"baud", 4000000}};
  int address = 100;
  const auto own = [&](const std::string&, bool) -> Json {
    const Json settings = {{"register", "holding"},
                           {"address", address},
                           {"type", doubles ? "float64" : "float32"},
                           {"word_order", doubles ? "abcd" : "cdab"}};
    address += (doubles ? 4 : 2) + (adjacent ? 0 : 3);
    return settings;
  };
  return {{"connection", connection}, {"channels", polledChannels(own)}};
}

using Bytes = std::vector<std::uint8_t>;

/// Requests by hand.
class HandModbus {
 public:
  explicit HandModbus(const std::string& address) : port_(openPort(parseAddress(address, ""), {}, kHangs_s)) {}
  void tell(const Bytes& bytes) { QVERIFY(port_->writeAll(bytes, std::chrono::milliseconds(kHangs_ms))); }
  /// The answer over TCP, from the function code on, without looking at the header beyond its length.
  Bytes ask(const Bytes& request, std::uint8_t unit = ModbusPartner::kUnit) {
    Bytes bytes = {0x12, 0x34, 0, 0, 0, static_cast<std::uint8_t>(request.size() + 1), unit};
    bytes.insert(bytes.end(), request.begin(), request.end());
    tell(bytes);
    const Bytes head = hear(7);
    if (head.size() != 7 || head[0] != 0x12 || head[1] != 0x34) return {};
    return hear(static_cast<std::size_t>(head[4] << 8 | head[5]) - 1);
  }
  Bytes hear(std::size_t count) {
    Bytes all;
    while (all.size() < count && port_->waitReadable(std::chrono::milliseconds(kHangs_ms))) {
      Bytes bytes(count - all.size());
      const Port::Result got = port_->read(bytes);
      if (got.closed) break;
      all.insert(all.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(got.bytes));
    }
    return all;
  }

 private:
  std::unique_ptr<Port> port_;
};

}  // namespace

class TestModbusServer : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { requirePseudoTerminals(); }

  void aWholeRunIsThatOfTheTwin_data() {
    QTest::addColumn<QString>("listen");
    QTest::addColumn<bool>("doubles");
    QTest::addColumn<bool>("adjacent");
    QTest::newRow("TCP, function 23") << "tcp://127.0.0.1:0" << true << true;
    QTest::newRow("TCP, functions 16 and 3") << "tcp://127.0.0.1:0" << false << false;
    QTest::newRow("RTU") << "serial:pty" << true << true;
  }
  void aWholeRunIsThatOfTheTwin() {
    QFETCH(QString, listen);
    QFETCH(bool, doubles);
    QFETCH(bool, adjacent);
    const bool serial = listen.startsWith("serial");
    const ServedRunFindings run =
        runServed(modbusProject(doubles, adjacent, serial), listen.toStdString(), serial ? 125.0 : 1000.0);
    QVERIFY2(run.result.reason == EndReason::completed, (run.result.stop_reason + run.log).c_str());
    QVERIFY(run.rows > 400 && run.largest_m > 1e-4);
    const double resolution = doubles ? 1e-12 : 1e-5;  // a step of a command moves the servo by a multiple of it
    QVERIFY2(run.off < resolution, qPrintable(QString::number(run.off)));
    QVERIFY2(run.log.find("stopped: the bench stopped it") != std::string::npos, run.log.c_str());
  }

  void exceptions_data() {
    QTest::addColumn<QByteArray>("request");
    QTest::addColumn<int>("code");
    QTest::newRow("function 1") << QByteArray::fromHex("0100000001") << 1;
    QTest::newRow("function 43") << QByteArray::fromHex("2b0e0100") << 1;
    QTest::newRow("no channel there") << QByteArray::fromHex("0300140001") << 2;
    QTest::newRow("the end of the table") << QByteArray::fromHex("03ffff0002") << 2;
    QTest::newRow("input registers") << QByteArray::fromHex("0400000001") << 2;
    QTest::newRow("half a value") << QByteArray::fromHex("0600003f80") << 2;
    QTest::newRow("no registers") << QByteArray::fromHex("03000a0000") << 3;
    QTest::newRow("too many registers") << QByteArray::fromHex("03000a007e") << 3;
    QTest::newRow("wrong count of bytes") << QByteArray::fromHex("1000000002020000") << 3;
    QTest::newRow("too short") << QByteArray::fromHex("0300") << 3;
    QTest::newRow("start elsewhere") << QByteArray::fromHex("10000000020400003f80") << 4;
    QTest::newRow("not a number") << QByteArray::fromHex("10000000020400007fc0") << 4;
  }
  void exceptions() {
    QFETCH(QByteArray, request);
    QFETCH(int, code);
    ServedPolled served(modbusRig("tcp://127.0.0.1:0"));
    HandModbus bench(served.address());
    const Bytes answer = bench.ask({request.begin(), request.end()});
    QCOMPARE(answer.size(), std::size_t{2});
    QCOMPARE(answer[0], static_cast<std::uint8_t>(static_cast<std::uint8_t>(request[0]) | 0x80));
    QCOMPARE(static_cast<int>(answer[1]), code);
    QVERIFY(served.state() == (code == 4 ? ServedRig::State::stopped : ServedRig::State::ready));
  }

  void functions() {
    ServedPolled served(modbusRig("tcp://127.0.0.1:0"));
    HandModbus bench(served.address());
    QCOMPARE(bench.ask({3, 0, 10, 0, 6}), (Bytes{3, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    QVERIFY(served.state() == ServedRig::State::ready);
    QCOMPARE(bench.ask({3, 0, 10, 0, 6}, 6), (Bytes{0x83, 11}));  // another unit
    QCOMPARE(bench.ask({16, 0, 0, 0, 2, 4, 0, 0, 0, 0}), (Bytes{16, 0, 0, 0, 2}));
    QVERIFY(served.state() == ServedRig::State::following);
    QCOMPARE(bench.ask({23, 0, 10, 0, 2, 0, 0, 0, 2, 4, 0, 0, 0, 0}).size(), std::size_t{6});
    QCOMPARE(bench.ask({6, 0, 30, 0, 0}), (Bytes{6, 0, 30, 0, 0}));  // not the value that stops
    QVERIFY(served.state() == ServedRig::State::following);
    QCOMPARE(bench.ask({6, 0, 30, 0, 1}), (Bytes{6, 0, 30, 0, 1}));
    QVERIFY(served.state() == ServedRig::State::stopped);
    QCOMPARE(bench.ask({16, 0, 0, 0, 2, 4, 0, 0, 0, 0}), (Bytes{0x90, 4}));  // stays stopped
    QCOMPARE(bench.ask({3, 0, 10, 0, 2}).size(), std::size_t{6});
  }

  void headersOfAnotherProtocol() {
    ServedPolled served(modbusRig("tcp://127.0.0.1:0"));
    HandModbus bench(served.address());
    bench.tell({'G', 'E', 'T', ' ', '/', ' ', 'H', 'T', 'T', 'P', '/', '1'});
    QTRY_VERIFY_WITH_TIMEOUT(served.said("ignored: a header that is not Modbus TCP"), kHangs_ms);
    QCOMPARE(bench.ask({3, 0, 10, 0, 2}).size(), std::size_t{6});
    // A request in pieces.
    bench.tell({0x12, 0x34, 0, 0, 0, 6, 5, 3});
    bench.tell({0, 10, 0, 2});
    QCOMPARE(bench.hear(13).size(), std::size_t{13});
  }

  /// Damaged frames get no answer, and the next one does; a frame of another unit neither.
  void damagedFramesOnASerialLine() {
    ServedPolled served(modbusRig("tcp://127.0.0.1:0"), "serial:pty");
    HandModbus bench(served.address());
    const Bytes good = {5, 3, 0, 10, 0, 2, 0xE5, 0x8D};
    Bytes damaged = good, other = good;
    damaged[3] ^= 1;
    other[0] = 6, other[7] = 0xBE;
    bench.tell({1, 2, 3});
    bench.tell(damaged);
    bench.tell(other);
    bench.tell(good);
    const Bytes answer = bench.hear(9);
    QCOMPARE(answer.size(), std::size_t{9});
    QCOMPARE(answer[0], std::uint8_t{5});
    QCOMPARE(answer[2], std::uint8_t{4});
    bench.tell({5, 43, 0x42, 0xFF});  // function 43: an exception with its checksum
    QCOMPARE(bench.hear(5).size(), std::size_t{5});
  }
};

HYB_SUITE(modbus_server, TestModbusServer)
HYB_THREADS(modbus_server)
#include "modbus_server_test.moc"
