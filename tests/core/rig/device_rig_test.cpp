#include "core/rig/device_rig.h"

#include "core/base/error.h"
#include "core/rig/shadow_rig.h"
#include "tests/core/rig/loopback_device.h"
#include "tests/support/rig_contract.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kRate_hz = 1000.0;

/// Two interfaces behind volts, a table, a reversed sensor and a tare.
std::vector<ChannelSpec> calibratedChannels() {
  const auto channel = [](const char* name, ChannelRole role, int interface, double gain) {
    ChannelSpec spec;
    spec.name = name;
    spec.role = role;
    spec.interface = interface;
    spec.gain = gain;
    return spec;
  };
  std::vector<ChannelSpec> channels = {
      channel("u1", ChannelRole::command, 1, 0.002),      channel("u2", ChannelRole::command, 2, -0.001),
      channel("x1", ChannelRole::displacement, 1, 0.002), channel("x2", ChannelRole::displacement, 2, 1.0),
      channel("f1", ChannelRole::force, 1, 50.0),         channel("f2", ChannelRole::force, 2, 20.0),
      channel("oil", ChannelRole::monitor, 0, 10.0),      channel("door", ChannelRole::interlock, 0, 1.0)};
  channels[0].raw_min = -10.0;
  channels[0].raw_max = 10.0;
  channels[3].table = {{-5.0, -0.01}, {0.0, 0.001}, {5.0, 0.01}};
  channels[3].reversed = true;
  channels[4].tare = 3.0;
  channels[4].offset = 1.0;
  return channels;
}

struct RigBench {
  explicit RigBench(std::vector<ChannelSpec> channels = calibratedChannels()) {
    auto owned = std::make_unique<LoopbackDevice>(channels);
    device = owned.get();
    rig = makeDeviceRig(std::move(owned), std::move(channels), 2, kRate_hz);
    rig->open();
  }
  RigStatus move(double first_m, double second_m, std::int64_t elapsed = 1) {
    (void)rig->write({Eigen::Vector2d(first_m, second_m), Eigen::Vector2d::Zero()});
    return rig->read(state, elapsed);
  }
  std::vector<double> columns() const {
    std::vector<double> values(rig->channels().size());
    rig->readChannels(values);
    return values;
  }
  double column(const std::string& name) const {
    const auto channels = rig->channels();
    for (std::size_t c = 0; c < channels.size(); ++c)
      if (channels[c].name == name) return columns()[c];
    return std::nan("");
  }
  LoopbackDevice* device;
  std::unique_ptr<Rig> rig;
  RigState state{Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()};
};

}  // namespace

class DeviceRigContract : public RigContract {
  Q_OBJECT
 public:
  DeviceRigContract() { noise_m = 1e-15, noise_n = 1e-11; }

 protected:
  std::unique_ptr<Rig> makeRig() override {
    return makeDeviceRig(std::make_unique<LoopbackDevice>(calibratedChannels()), calibratedChannels(), 2, kRate_hz);
  }
};

class ShadowRigContract : public DeviceRigContract {
  Q_OBJECT
 protected:
  std::unique_ptr<Rig> makeRig() override {
    return makeShadowRig(DeviceRigContract::makeRig(), DeviceRigContract::makeRig());
  }
};

class DeviceRigTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void rawValuesAreWhatTheChannelsSay() {
    RigBench bench;
    QVERIFY(bench.move(0.004, -0.003) == RigStatus::ok);
    QCOMPARE(bench.device->sent[0], 2.0);  // V: 0.004 m / 0.002 m/V
    QCOMPARE(bench.device->sent[1], 3.0);
    QVERIFY(std::abs(bench.state.measured[0] - 0.004) < 1e-15);
    QVERIFY(std::abs(bench.state.measured[1] + 0.003) < 1e-15);
    QVERIFY(std::abs(bench.state.force[0] + 4.0) < 1e-12);
    QVERIFY(std::abs(bench.state.force[1] - 3.0) < 1e-12);
    // -4 N = 50 raw + 1 - 3; the table is reversed: 0.003 m = 0.001 + raw (0.009 / 5)
    QVERIFY(std::abs(bench.column("raw_f1") + 0.04) < 1e-15);
    QVERIFY(std::abs(bench.column("raw_x2") - 0.002 / 0.009 * 5.0) < 1e-12);
  }

  void missingAndBrokenValuesKeepTheOldOnes() {
    RigBench bench;
    (void)bench.move(0.004, -0.003);
    bench.device->broken_input = 0;
    QVERIFY(bench.move(0.001, 0.002) == RigStatus::stale);
    QVERIFY(std::abs(bench.state.measured[0] - 0.004) < 1e-15);  // kept
    QVERIFY(std::abs(bench.state.measured[1] - 0.002) < 1e-15);  // new
    QVERIFY(std::isnan(bench.column("raw_x1")));
    bench.device->broken_input = -1;
    bench.device->reading = RigStatus::stale;
    QVERIFY(bench.move(0.0, 0.0) == RigStatus::stale);
    QVERIFY(std::abs(bench.state.measured[1] - 0.002) < 1e-15);
    bench.device->reading = RigStatus::ok;
    QVERIFY(bench.move(0.0, 0.0) == RigStatus::ok);
  }

  /// A command that begins at a value nobody measured would be a jump.
  void withoutTheFirstValuesNothingIsArmed_data() {
    QTest::addColumn<int>("broken_input");
    QTest::addColumn<bool>("opens");
    int input = 0;
    for (const ChannelSpec& channel : calibratedChannels()) {
      if (isOutput(channel.role)) continue;
      QTest::newRow(channel.name.c_str()) << input++ << (channel.role == ChannelRole::monitor);
    }
    QTest::newRow("no reading at all") << -1 << false;
  }
  void withoutTheFirstValuesNothingIsArmed() {
    QFETCH(int, broken_input);
    QFETCH(bool, opens);
    auto owned = std::make_unique<LoopbackDevice>(calibratedChannels());
    LoopbackDevice& device = *owned;
    device.broken_input = broken_input;
    if (broken_input < 0) device.reading = RigStatus::stale;
    const auto rig = makeDeviceRig(std::move(owned), calibratedChannels(), 2, kRate_hz);
    if (opens) return rig->open();
    QVERIFY_THROWS_EXCEPTION(DeviceError, rig->open());
    QVERIFY(device.stops > 0);
    QVERIFY(rig->write({Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()}) == RigStatus::fault);
  }

  void closingStopsAndLetsGo() {
    RigBench bench;
    bench.rig->close();
    QVERIFY(bench.device->stops > 0);
    QVERIFY(bench.move(0.0, 0.0) == RigStatus::fault);
    bench.rig->open();
    QVERIFY(bench.move(0.0, 0.0) == RigStatus::ok);
  }

  void whatTheStatusWordSaysIsTold() {
    RigBench bench;
    QVERIFY(bench.rig->failure().empty());
    bench.device->word = kDeviceEnabled | kDeviceSensorFault;
    QVERIFY(bench.move(0.0, 0.0) == RigStatus::fault);
    bench.device->word = kDeviceEnabled;
    QCOMPARE(bench.rig->failure(), std::string("loop-back reports a sensor in fault"));
  }

  void commandsBeyondTheRangeAreClippedAndTold() {
    RigBench bench;
    QVERIFY(bench.move(0.05, 0.0) == RigStatus::saturated);
    QCOMPARE(bench.device->sent[0], 10.0);
    QVERIFY(bench.move(0.01, 0.0) == RigStatus::ok);
  }

  /// One pole: after a step, 1 - exp(-2 pi f t) of it is left, whatever ticks were skipped.
  void filtersAreOnePoleAndKnowSkippedPeriods() {
    std::vector<ChannelSpec> channels = calibratedChannels();
    channels[2].filter_hz = 20.0;
    RigBench bench(channels);
    (void)bench.move(0.0, 0.0, 0);
    double expected = 0.0;
    for (const std::int64_t elapsed : {1, 1, 5, 1, 20}) {
      (void)bench.move(0.01, 0.0, elapsed);
      expected += (0.01 - expected) * (1.0 - std::exp(-2.0 * M_PI * 20.0 * static_cast<double>(elapsed) / kRate_hz));
      QVERIFY(std::abs(bench.state.measured[0] - expected) < 1e-15);
    }
  }

  void statusWordsDecide_data() {
    QTest::addColumn<uint>("word");
    QTest::addColumn<int>("status");
    const auto row = [](const char* name, std::uint32_t word, RigStatus status) {
      QTest::newRow(name) << word << static_cast<int>(status);
    };
    row("enabled", kDeviceEnabled | kDeviceSimulated, RigStatus::ok);
    row("fault", kDeviceFault, RigStatus::fault);
    row("stopped", kDeviceStopped, RigStatus::fault);
    row("e-stop", kDeviceEmergencyStop, RigStatus::interlock);
    row("interlock", kDeviceInterlock, RigStatus::interlock);
    row("saturated", kDeviceSaturated, RigStatus::saturated);
    row("command clipped", kDeviceCommandClipped, RigStatus::saturated);
    row("speed clipped", kDeviceRateClipped, RigStatus::saturated);
    row("position limit", kDevicePositionLimit, RigStatus::saturated);
    row("force limit", kDeviceForceLimit, RigStatus::saturated);
    row("sensor fault", kDeviceSensorFault, RigStatus::fault);
    row("interlock and fault", kDeviceInterlock | kDeviceFault, RigStatus::fault);
  }
  void statusWordsDecide() {
    QFETCH(uint, word);
    QFETCH(int, status);
    RigBench bench;
    bench.device->word = word;
    QCOMPARE(static_cast<int>(bench.move(0.0, 0.0)), status);
    QCOMPARE(bench.column("device_status"), static_cast<double>(word));
  }

  void interlocksHaveNames() {
    RigBench bench;
    QCOMPARE(bench.rig->interlocks(), (std::vector<std::string>{"e-stop", "door"}));
    bench.device->monitor = 1.0;
    QVERIFY(bench.move(0.0, 0.0) == RigStatus::interlock);
    QCOMPARE(bench.rig->interlocksOpen(), 2u);
    QCOMPARE(bench.column("monitor_oil"), 10.0);
    bench.device->monitor = 0.0;
    bench.device->emergency = true;
    QVERIFY(bench.move(0.0, 0.0) == RigStatus::interlock);
    QCOMPARE(bench.rig->interlocksOpen(), 1u);
  }

  void aLostLinkStaysLostUntilItIsOpenedAgain() {
    RigBench bench;
    bench.device->reading = RigStatus::link_lost;
    bench.device->figures.lost = 3;
    QVERIFY(bench.move(0.0, 0.0) == RigStatus::link_lost);
    QCOMPARE(bench.column("link_errors"), 3.0);
    bench.device->reading = RigStatus::ok;
    QVERIFY(bench.move(0.0, 0.0) == RigStatus::link_lost);
    bench.rig->open();
    QVERIFY(bench.move(0.0, 0.0) == RigStatus::ok);
  }

  /// The device learns the tick, skipped ones included.
  void skippedPeriodsCount() {
    RigBench bench;
    (void)bench.move(0.0, 0.0, 0);
    (void)bench.move(0.0, 0.0, 3);
    (void)bench.move(0.0, 0.0, 1);
    (void)bench.move(0.0, 0.0, 1);
    QCOMPARE(bench.device->last_tick, std::uint64_t{4});
  }

  void theShadowShowsTheDifference() {
    const std::vector<ChannelSpec> channels = calibratedChannels();
    auto rig = std::make_unique<LoopbackDevice>(channels), twin = std::make_unique<LoopbackDevice>(channels);
    LoopbackDevice *const real = rig.get(), *const model = twin.get();
    const auto shadow = makeShadowRig(makeDeviceRig(std::move(rig), channels, 2, kRate_hz),
                                      makeDeviceRig(std::move(twin), channels, 2, kRate_hz));
    shadow->open();
    RigState state{Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()};
    (void)shadow->write({Eigen::Vector2d(0.002, 0.001), Eigen::Vector2d::Zero()});
    QVERIFY(shadow->read(state, 1) == RigStatus::ok);
    real->reading = RigStatus::stale;  // the rig stands still, the twin goes on
    (void)shadow->write({Eigen::Vector2d(0.003, 0.001), Eigen::Vector2d::Zero()});
    QVERIFY(shadow->read(state, 1) == RigStatus::stale);
    const auto names = shadow->channels();
    std::vector<double> values(names.size());
    shadow->readChannels(values);
    const auto value = [&](const char* name) {
      for (std::size_t c = 0; c < names.size(); ++c)
        if (names[c].name == name) return values[c];
      return std::nan("");
    };
    QVERIFY(std::abs(value("twin_measured_1") - 0.003) < 1e-15);
    QVERIFY(std::abs(value("twin_force_2") + 1.0) < 1e-12);
    QVERIFY(std::abs(value("shadow_gap_1") + 0.001) < 1e-15);
    QVERIFY(std::abs(value("raw_x1") - 1.0) < 1e-12);
    model->word = kDeviceFault;  // what happens to the twin does not count
    real->reading = RigStatus::ok;
    QVERIFY(shadow->read(state, 1) == RigStatus::ok);
    shadow->safeStop();
    QVERIFY(real->stops > 0 && model->stops > 0);
  }
};

HYB_SUITE(device_rig, DeviceRigTest, DeviceRigContract, ShadowRigContract)
HYB_THREADS(device_rig)
#include "device_rig_test.moc"
