#include "hardware/modbus_device.h"

#include <cmath>

#include "core/base/error.h"
#include "tests/hardware/polled_support.h"
#include "tests/support/change_protocol.h"
#include "tests/support/modbus_partner.h"
#include "tests/support/pseudo_terminals.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;
using ModbusMode = ModbusPartner::Mode;

namespace {

std::string modbusRefusal(const RigSpec& rig, double rate_hz = 100.0) {
  try {
    DeviceChannels channels = channelsOf(rig);
    channels.rate_hz = rate_hz;
    makeModbusDevice(rig, channels)->open();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace

class TestModbusDevice : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { requirePseudoTerminals(); }

  void motionOverTheConnection_data() {
    QTest::addColumn<bool>("serial");
    QTest::addColumn<bool>("function_23");
    QTest::newRow("TCP") << false << true;
    QTest::newRow("TCP, two requests a tick") << false << false;
    QTest::newRow("RTU") << true << true;
    QTest::newRow("RTU, two requests a tick") << true << false;
  }
  void motionOverTheConnection() {
    QFETCH(bool, serial);
    QFETCH(bool, function_23);
    ModbusPartner partner(serial);
    partner.knows_function_23 = function_23;
    const RigSpec rig = modbusRig(partner.address());
    const auto device = makeModbusDevice(rig, channelsOf(rig));
    device->open();
    QCOMPARE(readFrom(*device).values[1], 0.0);
    QTRY_COMPARE_WITH_TIMEOUT(device->link().received.load(), std::uint64_t{1}, kHangs_ms);  // for the next reading
    const int before = partner.requests;
    for (int k = 0; k < 50; ++k) {
      const double x = static_cast<float>(0.1 * std::sin(0.2 * k));  // what a float32 register holds
      QVERIFY(writeTo(*device, x) == RigStatus::ok);
      const Reading reading = readFrom(*device);
      QVERIFY(reading.status == RigStatus::ok);
      QCOMPARE(reading.values[1], x);
      QCOMPARE(reading.values[0], -ModbusPartner::kStiffness * x);
    }
    QCOMPARE(partner.requests - before, function_23 ? 50 : 101);
    QCOMPARE(device->link().errors(), std::uint64_t{0});
    device->safeStop();
    QTRY_VERIFY_WITH_TIMEOUT(partner.stopped.load(), kHangs_ms);
    QVERIFY(readFrom(*device).status == RigStatus::fault);
    QVERIFY(writeTo(*device, 0.0) == RigStatus::fault);
  }

  void inputRegistersAreReadBesideHoldingOnes() {
    ModbusPartner partner(false);
    RigSpec rig = modbusRig(partner.address());
    Change<ModbusSpec>(rig.connection)->channels[2] = {Register::input, 0, RegisterType::uint16, WordOrder::abcd};
    const auto device = makeModbusDevice(rig, channelsOf(rig));
    device->open();
    (void)writeTo(*device, 0.5);
    const Reading reading = readFrom(*device);
    QCOMPARE(reading.values[1], 7.0);
    QCOMPARE(reading.values[0], -500.0);
  }

  void aTickAllocatesNothingAndNeverWaits() {
    ModbusPartner partner(false);
    RigSpec rig = modbusRig(partner.address());
    Change<ModbusSpec>(rig.connection)->reply_s = 3.0;
    const auto device = makeModbusDevice(rig, channelsOf(rig, true));
    device->open();
    partner.mode = ModbusPartner::Mode::silent;
    ticksNeitherAllocateNorWait(*device);
    partner.mode = ModbusPartner::Mode::good;
  }

  void whatIsNoReplyLosesTheLink_data() {
    QTest::addColumn<int>("mode");
    QTest::addColumn<int>("exception");
    QTest::addColumn<QString>("reason");
    QTest::newRow("nothing") << static_cast<int>(ModbusMode::silent) << 0 << "no answer";
    QTest::newRow("reset in a reply") << static_cast<int>(ModbusMode::reset_in_reply) << 0
                                      << "closed by the other side";
    QTest::newRow("exception 1") << static_cast<int>(ModbusMode::exception) << 1 << "Illegal function";
    QTest::newRow("exception 2") << static_cast<int>(ModbusMode::exception) << 2 << "Illegal data address";
    QTest::newRow("exception 3") << static_cast<int>(ModbusMode::exception) << 3 << "Illegal data value";
    QTest::newRow("exception 4") << static_cast<int>(ModbusMode::exception) << 4 << "Slave device or server failure";
  }
  void whatIsNoReplyLosesTheLink() {
    QFETCH(int, mode);
    QFETCH(int, exception);
    QFETCH(QString, reason);
    ModbusPartner partner(false);
    RigSpec rig = modbusRig(partner.address());
    Change<ModbusSpec>(rig.connection)->reply_s = mode == static_cast<int>(ModbusMode::silent) ? 1.0 : 5.0;
    const auto device = makeModbusDevice(rig, channelsOf(rig));
    device->open();
    partner.exception = exception;
    partner.mode = static_cast<ModbusMode>(mode);
    QVERIFY(ticksUntil(*device, RigStatus::link_lost));
    QVERIFY2(device->failure().find(reason.toStdString()) != std::string::npos, device->failure().c_str());
    QVERIFY(writeTo(*device, 0.5) == RigStatus::link_lost);
    if (mode != static_cast<int>(ModbusMode::reset_in_reply)) QVERIFY(device->link().errors() >= 3);
  }

  void withoutFunction23ItUsesTheOthers_data() {
    QTest::addColumn<bool>("serial");
    QTest::addColumn<int>("refusal");
    for (const bool serial : {false, true})
      for (const int refusal : {0, 1, 2, 3})
        QTest::addRow("%s, exception %d", serial ? "RTU" : "TCP", refusal) << serial << refusal;
  }
  void withoutFunction23ItUsesTheOthers() {
    QFETCH(bool, serial);
    QFETCH(int, refusal);
    ModbusPartner partner(serial);
    partner.knows_function_23 = false;
    partner.refuses_23_with = refusal;
    RigSpec rig = modbusRig(partner.address());
    if (refusal == 0) Change<ModbusSpec>(rig.connection)->reply_s = 0.3;
    const auto device = makeModbusDevice(rig, channelsOf(rig));
    device->open();
    bool right = false;
    for (int k = 0; k < 20 && !right && device->failure().empty(); ++k) {
      (void)writeTo(*device, 0.25);
      const Reading reading = readFrom(*device);
      right = reading.values[1] == 0.25 && reading.values[0] == -250.0;
    }
    QVERIFY2(right, device->failure().c_str());
    QCOMPARE(device->link().errors(), std::uint64_t{refusal == 0 ? 1u : 0u});
  }
  void function23CanBeTurnedOff() {
    ModbusPartner partner(false);
    RigSpec rig = modbusRig(partner.address());
    Change<ModbusSpec>(rig.connection)->function_23 = false;
    const auto device = makeModbusDevice(rig, channelsOf(rig));
    device->open();
    const int before = partner.requests;
    (void)writeTo(*device, 0.25);
    QCOMPARE(readFrom(*device).values[1], 0.25);
    QCOMPARE(partner.requests - before, 2);
  }

  void aBrokenTcpLinkIsOpenedAgain() {
    ModbusPartner partner(false);
    RigSpec rig = modbusRig(partner.address());
    rig.connection.connect_s = 60.0;
    const auto device = makeModbusDevice(rig, channelsOf(rig));
    device->open();
    (void)writeTo(*device, 0.25);
    QCOMPARE(readFrom(*device).values[1], 0.25);
    partner.resets_once = true;
    partner.mode = ModbusMode::reset_in_reply;
    QVERIFY(comesTrue([&] {
      (void)writeTo(*device, 0.5);
      return readFrom(*device).values[1] == 0.5 || !device->failure().empty();
    }));
    QCOMPARE(device->failure(), std::string());
    QCOMPARE(device->link().errors(), std::uint64_t{1});
    device->close();
    QVERIFY(comesTrue([&] { return partner.stopped.load(); }));
  }

  /// The answer takes an hour; the stop does not. The partner goes first: that ends a wait which should not be.
  void aStopWaitsForNoAnswer() {
    std::unique_ptr<Device> device;
    ModbusPartner partner(false);
    RigSpec rig = modbusRig(partner.address());
    Change<ModbusSpec>(rig.connection)->reply_s = 3600.0;
    device = makeModbusDevice(rig, channelsOf(rig, true));
    device->open();
    const int before = partner.requests;
    partner.mode = ModbusMode::silent;
    (void)writeTo(*device, 0.25);
    QTRY_VERIFY_WITH_TIMEOUT(partner.requests > before, kHangs_ms);
    partner.mode = ModbusMode::good;
    device->safeStop();
    QTRY_VERIFY_WITH_TIMEOUT(partner.stopped.load(), kHangs_ms);
    device->close();
    QCOMPARE(device->failure(), std::string());
  }

  void aStopThatIsNotConfirmedIsTold() {
    ModbusPartner partner(false);
    RigSpec rig = modbusRig(partner.address());
    Change<ModbusSpec>(rig.connection)->reply_s = 0.2;
    const auto device = makeModbusDevice(rig, channelsOf(rig));
    device->open();
    (void)writeTo(*device, 0.25);
    QCOMPARE(readFrom(*device).values[1], 0.25);
    partner.mode = ModbusMode::silent;
    device->rampBegins();
    (void)writeTo(*device, 0.2);
    device->close();
    const std::string failure = device->failure();
    for (const char* said : {"the ramp to zero was not confirmed", "did not confirm it"})
      QVERIFY2(failure.find(said) != std::string::npos, failure.c_str());
  }

  void openingTellsWhatIsWrong() {
    ModbusPartner partner(false);
    QVERIFY(modbusRefusal(modbusRig("tcp://127.0.0.1:1")).find("no connection") != std::string::npos);
    RigSpec rig = modbusRig(partner.address());
    Change<ModbusSpec>(rig.connection)->channels[0].address = 39;  // beyond the device's registers
    QVERIFY2(modbusRefusal(rig).find("holding register 39 on: Illegal data address") != std::string::npos,
             modbusRefusal(rig).c_str());
    rig.channels.clear();
    QVERIFY(modbusRefusal(rig).find("/rig/channels") == 0);
  }

  void aRateBeyondTheBusIsRefusedWithTheNumber() {
    const std::string said = modbusRefusal(modbusRig("serial:/dev/null"), 1000.0);
    QVERIFY2(said.find("/loop/rate_hz") == 0 && said.find("at most") != std::string::npos, said.c_str());
  }
};

HYB_SUITE(modbus_device, TestModbusDevice)
HYB_THREADS(modbus_device)
#include "modbus_device_test.moc"
