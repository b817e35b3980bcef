#include "core/rig/modbus_map.h"

#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

struct Wired {
  ChannelSpec channel;
  ModbusSpec::Channel registers;
};
Wired channel(ChannelRole role, int address, RegisterType type = RegisterType::float32,
              Register table = Register::holding) {
  ChannelSpec spec;
  spec.name = "at " + std::to_string(address);
  spec.role = role;
  return {spec, {table, address, type}};
}
RegisterPlan plan(const std::vector<Wired>& wired, bool writing) {
  std::vector<ChannelSpec> channels;
  std::vector<ModbusSpec::Channel> registers;
  for (const Wired& one : wired) {
    channels.push_back(one.channel);
    registers.push_back(one.registers);
  }
  return planRegisters(channels, registers, writing);
}
std::string refusal(const std::vector<Wired>& channels) {
  try {
    plan(channels, true);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

constexpr auto kIn = ChannelRole::displacement;
constexpr auto kOut = ChannelRole::command;

}  // namespace

Q_DECLARE_METATYPE(hyb::WordOrder)
Q_DECLARE_METATYPE(hyb::RegisterType)

class TestModbusMap : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// 123456.0 as devices in the field write it.
  void floatsInFourOrders_data() {
    QTest::addColumn<WordOrder>("order");
    QTest::addColumn<quint16>("first");
    QTest::addColumn<quint16>("second");
    QTest::newRow("abcd") << WordOrder::abcd << quint16{0x47F1} << quint16{0x2000};
    QTest::newRow("cdab") << WordOrder::cdab << quint16{0x2000} << quint16{0x47F1};
    QTest::newRow("badc") << WordOrder::badc << quint16{0xF147} << quint16{0x0020};
    QTest::newRow("dcba") << WordOrder::dcba << quint16{0x0020} << quint16{0xF147};
  }
  void floatsInFourOrders() {
    QFETCH(WordOrder, order);
    QFETCH(quint16, first);
    QFETCH(quint16, second);
    const std::array<std::uint16_t, 2> registers = {first, second};
    QCOMPARE(decodeRegisters(registers, RegisterType::float32, order), 123456.0);
    std::array<std::uint16_t, 2> written{};
    encodeRegisters(123456.0, RegisterType::float32, order, written);
    QVERIFY(written == registers);
  }

  void everyTypeComesBack_data() {
    QTest::addColumn<RegisterType>("type");
    QTest::addColumn<double>("value");
    QTest::newRow("int16") << RegisterType::int16 << -12345.0;
    QTest::newRow("uint16") << RegisterType::uint16 << 54321.0;
    QTest::newRow("int32") << RegisterType::int32 << -1234567890.0;
    QTest::newRow("uint32") << RegisterType::uint32 << 4123456789.0;
    QTest::newRow("float32") << RegisterType::float32 << 0.15625;
    QTest::newRow("float64") << RegisterType::float64 << 0.1;
  }
  void everyTypeComesBack() {
    QFETCH(RegisterType, type);
    QFETCH(double, value);
    std::array<std::uint16_t, 4> registers{};
    const std::span used = std::span(registers).first(static_cast<std::size_t>(registerCount(type)));
    for (const WordOrder order : {WordOrder::abcd, WordOrder::cdab, WordOrder::badc, WordOrder::dcba}) {
      encodeRegisters(value, type, order, used);
      QCOMPARE(decodeRegisters(used, type, order), value);
    }
  }

  void wholeNumbersStayInTheirRange() {
    std::array<std::uint16_t, 1> one{};
    const auto written = [&](double value, RegisterType type) {
      encodeRegisters(value, type, WordOrder::abcd, one);
      return decodeRegisters(one, type, WordOrder::abcd);
    };
    QCOMPARE(written(1e9, RegisterType::int16), 32767.0);
    QCOMPARE(written(-1e9, RegisterType::int16), -32768.0);
    QCOMPARE(written(-1.0, RegisterType::uint16), 0.0);
    QCOMPARE(written(2.6, RegisterType::uint16), 3.0);
    QCOMPARE(written(std::numeric_limits<double>::quiet_NaN(), RegisterType::int16), 0.0);
  }

  void neighboursAreReadAtOnce() {
    const RegisterPlan plan =
        ::plan({channel(kIn, 12), channel(kOut, 100), channel(kIn, 10), channel(kIn, 20, RegisterType::int16),
                channel(kIn, 10, RegisterType::int32), channel(kIn, 14, RegisterType::float64, Register::input)},
               false);
    QCOMPARE(plan.blocks.size(), std::size_t{3});
    QCOMPARE(plan.blocks[0].address, 10);
    QCOMPARE(plan.blocks[0].count, 4);
    QCOMPARE(plan.blocks[1].address, 20);
    QCOMPARE(plan.blocks[2].count, 4);
    QVERIFY(plan.blocks[2].table == Register::input);
    QCOMPARE(plan.places.size(), std::size_t{5});  // the inputs in the order of the channels
    QCOMPARE(plan.places[0].offset, std::size_t{2});
    QCOMPARE(plan.places[1].offset, std::size_t{0});
    QCOMPARE(plan.places[2].block, std::size_t{1});
    QCOMPARE(plan.places[4].block, std::size_t{2});
  }

  void requestsKeepToTheProtocolsLength() {
    std::vector<Wired> many;
    for (int k = 0; k < 100; ++k) many.push_back(channel(k < 70 ? kIn : kOut, 2 * k));
    const RegisterPlan read = plan(many, false), written = plan(many, true);
    QCOMPARE(read.blocks.size(), std::size_t{2});
    QCOMPARE(read.blocks[0].count, 124);
    QCOMPARE(read.blocks[1].count, 16);
    QCOMPARE(written.blocks.size(), std::size_t{1});
  }

  void registersThatDoNotFitAreRefused() {
    QVERIFY(refusal({channel(kOut, 65535)}).find("/rig/channels/0/address") == 0);
    QVERIFY(refusal({channel(kOut, 65534)}).empty());
    QVERIFY(refusal({channel(kIn, 0), channel(kOut, 10), channel(kOut, 11)}).find("/rig/channels/2/address") == 0);
    QVERIFY(refusal({channel(kOut, 0, RegisterType::int16, Register::input)}).find("/register") != std::string::npos);
  }

  /// Eight registers by function 3: the reference note's figures.
  void theBusTakesItsTime_data() {
    QTest::addColumn<int>("baud");
    QTest::addColumn<double>("expected_ms");
    QTest::newRow("19200") << 19200 << 20.6;
    QTest::newRow("115200") << 115200 << 6.3;
    QTest::newRow("921600") << 921600 << 3.8;
  }
  void theBusTakesItsTime() {
    QFETCH(int, baud);
    QFETCH(double, expected_ms);
    SerialSpec serial;
    serial.baud = baud;
    serial.parity = Parity::even;  // 11 bits a character
    std::vector<Wired> inputs;
    for (int k = 0; k < 4; ++k) inputs.push_back(channel(kIn, 2 * k));
    const double time_s = busTime_s(plan(inputs, false), plan(inputs, true), serial);
    QVERIFY(std::abs(1e3 * time_s - expected_ms) < 0.06);
    QVERIFY(busLimitSentence(100.0, 6.27e-3).empty());
    QVERIFY(busLimitSentence(1000.0, 6.27e-3).find("at most 159 Hz") != std::string::npos);
  }
};

HYB_SUITE(modbus_map, TestModbusMap)
#include "modbus_map_test.moc"
