#include "core/rig/ads_values.h"

#include <array>
#include <cmath>
#include <limits>

#include "tests/support/suite.h"

using namespace hyb;

namespace {

constexpr std::array<PlcType, 11> kAllPlcTypes = {PlcType::boolean, PlcType::sint, PlcType::usint, PlcType::int_,
                                                  PlcType::uint,    PlcType::dint, PlcType::udint, PlcType::lint,
                                                  PlcType::ulint,   PlcType::real, PlcType::lreal};

double throughPlc(double value, PlcType type) {
  std::array<std::uint8_t, 8> bytes{};
  encodePlc(value, type, bytes.data());
  return decodePlc(bytes.data(), type);
}

}  // namespace

class TestAdsValues : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// 0.001 and 0.002 as the reference note has them on the wire, and a negative number in each width.
  void bytesAreLittleEndian() {
    std::array<std::uint8_t, 8> bytes{};
    encodePlc(0.001, PlcType::lreal, bytes.data());
    QVERIFY((bytes == std::array<std::uint8_t, 8>{0xfc, 0xa9, 0xf1, 0xd2, 0x4d, 0x62, 0x50, 0x3f}));
    encodePlc(0.001, PlcType::real, bytes.data());
    QVERIFY(
        (std::array{bytes[0], bytes[1], bytes[2], bytes[3]} == std::array<std::uint8_t, 4>{0x6f, 0x12, 0x83, 0x3a}));
    encodePlc(-3.0, PlcType::int_, bytes.data());
    QVERIFY((std::array{bytes[0], bytes[1]} == std::array<std::uint8_t, 2>{0xfd, 0xff}));
    encodePlc(2.0, PlcType::udint, bytes.data());
    QVERIFY((std::array{bytes[0], bytes[1], bytes[2], bytes[3]} == std::array<std::uint8_t, 4>{2, 0, 0, 0}));
  }

  void boundsComeBackAndNothingGoesBeyond() {
    for (const PlcType type : kAllPlcTypes) {
      const double lowest = plcLowest(type), highest = plcHighest(type);
      QCOMPARE(throughPlc(lowest, type), lowest);
      QCOMPARE(throughPlc(highest, type), highest);
      if (type == PlcType::lreal) continue;
      QCOMPARE(throughPlc(2.0 * highest + 1.0, type), highest);
      QCOMPARE(throughPlc(2.0 * lowest - 1.0, type), lowest);
      QCOMPARE(throughPlc(std::numeric_limits<double>::infinity(), type), highest);
    }
  }

  void wholeNumbersAreRounded() {
    for (const PlcType type : kAllPlcTypes) {
      if (!isWholePlc(type)) continue;
      QCOMPARE(throughPlc(std::numeric_limits<double>::quiet_NaN(), type), 0.0);
      QCOMPARE(throughPlc(0.9, type), 1.0);
      if (type != PlcType::boolean && plcLowest(type) < 0.0) QCOMPARE(throughPlc(-100.4, type), -100.0);
      if (type != PlcType::boolean) QCOMPARE(throughPlc(100.6, type), 101.0);
    }
    QVERIFY(std::isnan(throughPlc(std::numeric_limits<double>::quiet_NaN(), PlcType::lreal)));
    QVERIFY(std::isnan(throughPlc(std::numeric_limits<double>::quiet_NaN(), PlcType::real)));
  }

  void typesOfSymbolEntries() {
    QVERIFY(plcTypeOfCode(5) == PlcType::lreal);
    QVERIFY(plcTypeOfCode(4) == PlcType::real);
    QVERIFY(plcTypeOfCode(0x21) == PlcType::boolean);
    QVERIFY(plcTypeOfCode(0x12) == PlcType::uint);
    QVERIFY(!plcTypeOfCode(0x41));
  }

  void netIds() {
    QCOMPARE(parseNetId("192.168.0.10.1.1")->text(), std::string("192.168.0.10.1.1"));
    QVERIFY((parseNetId("5.1.2.3.1.1")->bytes == std::array<std::uint8_t, 6>{5, 1, 2, 3, 1, 1}));
    for (const char* wrong : {"", "5.1.2.3.1", "5.1.2.3.1.1.1", "5.1.2.3.1.256", "5.1.2.3.1.", "5..2.3.1.1",
                              "a.1.2.3.1.1", "5.1.2.3.1.1 ", "0005.1.2.3.1.1", "-5.1.2.3.1.1"})
      QVERIFY2(!parseNetId(wrong), wrong);
    QCOMPARE(usualNetId("192.168.0.2")->text(), std::string("192.168.0.2.1.1"));
    QVERIFY(!usualNetId("plc.local"));
    QVERIFY(!usualNetId("::1"));
  }
};

HYB_SUITE(ads_values, TestAdsValues)
#include "ads_values_test.moc"
