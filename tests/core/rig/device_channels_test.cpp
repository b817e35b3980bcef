// What raw values of a device mean: gain, offset, polarity, tare, calibration table, and the way back.
#include "core/rig/device_channels.h"
#include "tests/support/suite.h"

#include <QTest>
#include <cmath>
#include <limits>

using namespace hyb;

class DeviceChannelsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void scalesByGainOffsetPolarityAndTare() {
    ChannelSpec channel;
    channel.gain = 0.02;  // 20 mm/V
    channel.offset = 0.001;
    QCOMPARE(scaledValue(channel, 0.5), 0.011);
    channel.tare = 0.004;
    QCOMPARE(scaledValue(channel, 0.5), 0.007);
    channel.reversed = true;
    QCOMPARE(scaledValue(channel, 0.5), -0.015);
  }

  void tableReplacesGainAndGoesOnBeyondItsEnds() {
    ChannelSpec channel;
    channel.gain = 99.0;
    channel.table = {{0.0, 0.0}, {1.0, 2.0}, {3.0, 3.0}};
    QCOMPARE(scaledValue(channel, 0.5), 1.0);
    QCOMPARE(scaledValue(channel, 2.0), 2.5);
    QCOMPARE(scaledValue(channel, 5.0), 4.0);
    QCOMPARE(scaledValue(channel, -1.0), -2.0);
  }

  void theWayBackIsTheInverse_data() {
    QTest::addColumn<bool>("table");
    QTest::addColumn<bool>("reversed");
    for (const bool table : {false, true})
      for (const bool reversed : {false, true})
        QTest::addRow("%s, %s", table ? "table" : "gain", reversed ? "reversed" : "as it is") << table << reversed;
  }
  void theWayBackIsTheInverse() {
    QFETCH(bool, table);
    QFETCH(bool, reversed);
    ChannelSpec channel;
    channel.gain = -0.02;
    channel.offset = 0.003;
    channel.tare = 0.0005;
    channel.reversed = reversed;
    if (table) channel.table = {{-10.0, 0.21}, {-1.0, 0.02}, {2.0, -0.03}, {10.0, -0.2}};  // falls as raw rises
    for (const double raw : {-12.0, -10.0, -4.0, 0.0, 1.5, 2.0, 7.0, 11.0})
      QVERIFY(std::abs(rawValue(channel, scaledValue(channel, raw)) - raw) < 1e-12);
  }

  void withoutChannelsTheyAreInSiOneToOne() {
    const std::vector<ChannelSpec> channels = rigChannels({}, 2);
    const DeviceChannels wanted = deviceChannels(channels, 512.0);
    QCOMPARE(wanted.rate_hz, 512.0);
    QStringList outputs, inputs;
    for (const DeviceChannel& output : wanted.outputs)
      outputs << QString::fromStdString(output.name + " " + output.units);
    for (const DeviceChannel& input : wanted.inputs) inputs << QString::fromStdString(input.name + " " + input.units);
    QCOMPARE(outputs, (QStringList{"command_1 m", "command_2 m", "command_rate_1 m/s", "command_rate_2 m/s"}));
    QCOMPARE(inputs, (QStringList{"measured_1 m", "measured_2 m", "force_1 N", "force_2 N"}));
    for (const ChannelSpec& channel : channels) QCOMPARE(scaledValue(channel, 0.125), 0.125);
  }

  void anInterlockOpensAboveItsValueOrBelowIt() {
    ChannelSpec door;
    door.role = ChannelRole::interlock;
    QVERIFY(!interlockOpen(door, 0.0) && interlockOpen(door, 1.0));
    door.reversed = true;
    QVERIFY(interlockOpen(door, 0.0) && !interlockOpen(door, 1.0));
    QVERIFY(interlockOpen(door, std::numeric_limits<double>::quiet_NaN()));  // a broken wire is not a closed door
  }
};

HYB_SUITE(device_channels, DeviceChannelsTest)
#include "device_channels_test.moc"
