// Set-up of a rig: live values, zeroing, slow motion that ends when nobody asks for it, wiring check.
#include <QTest>
#include <cmath>
#include <future>
#include <limits>

#include "core/run/rig_setup.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"
#include "tests/support/wired_device.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr JogLimits kSlow{0.002, 0.004, 500.0};

Project threeMassProject(double noise_m = 0.0) {
  Json document = templateDocument("three-mass");
  document["rig"]["displacement_sensor"] = Json::object({{"noise_rms_m", noise_m}});
  document["rig"]["force_sensor"] = Json::object({{"noise_rms_n", noise_m * 1e3}});
  return parseProject(document);
}

/// The set-up on a wired twin, period by period.
class SetupBench {
 public:
  explicit SetupBench(double noise_m = 0.0, std::function<void(Wires&)> wire = {},
                      std::vector<ChannelSpec> channels = {})
      : wires(std::make_shared<Wires>()), project(threeMassProject(noise_m)) {
    if (wire) wire(*wires);
    project.rig.channels = std::move(channels);
    rig_channels = rigChannels(project.rig, 2);
    device = wiredDevices(project, wires)(project.rig, deviceChannels(rig_channels, 1000.0));
    device->open();
    setup = std::make_unique<SetupTick>(*device, rig_channels, 1000.0);
    run(0.1);
  }
  void run(double seconds) {
    for (int k = 0; k < static_cast<int>(std::lround(1e3 * seconds)); ++k) setup->tick(1);
  }
  /// Holds a jog button down.
  void hold(int interface, double speed, double seconds, const JogLimits& limits = kSlow) {
    for (double t = 0.0; t < seconds - 1e-9; t += 0.1) {
      setup->jog(interface, speed, limits);
      run(std::min(0.1, seconds - t));
    }
  }
  SetupView view() { return setup->takeView(); }
  std::size_t channel(const std::string& name) const {
    for (std::size_t c = 0; c < rig_channels.size(); ++c)
      if (rig_channels[c].name == name) return c;
    qFatal("no such channel");
  }
  WiringFinding finding(const SetupView& seen, const std::string& name) const {
    for (const WiringFinding& one : seen.wiring.value())
      if (one.channel == channel(name)) return one;
    qFatal("no such finding");
  }
  SetupView wiring(double amplitude_m = 0.001) {
    setup->checkWiring(amplitude_m, kSlow);
    for (int k = 0; k < 200 && setup->takeView().activity == SetupActivity::checking; ++k) run(0.1);
    return view();
  }

  std::shared_ptr<Wires> wires;
  Project project;
  std::vector<ChannelSpec> rig_channels;
  std::unique_ptr<Device> device;
  std::unique_ptr<SetupTick> setup;
};

}  // namespace

class SetupTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void watchingSendsNothing() {
    SetupBench bench(0.0, [](Wires& wires) { wires.offset["force_1"] = 3.0; });
    bench.run(1.0);
    const SetupView seen = bench.view();
    QCOMPARE(bench.wires->written.load(), 0);
    QCOMPARE(seen.activity, SetupActivity::watching);
    QCOMPARE(seen.raw[bench.channel("force_1")], 3.0);
    QVERIFY(std::isnan(seen.raw[bench.channel("command_1")]));
    QVERIFY(seen.readings > 1000);
  }

  void zeroingGivesMeanAndScatterOfTheReadings() {
    constexpr double noise = 1e-5;
    SetupBench bench(noise, [](Wires& wires) { wires.offset["measured_2"] = 0.003; });
    const std::size_t c = bench.channel("measured_2");
    bench.setup->zero({c}, 2000);
    bench.run(2.5);
    const SetupView seen = bench.view();
    QVERIFY(seen.zero.has_value());
    QVERIFY(std::abs(seen.zero->mean[c] - 0.003) < 5.0 * noise / std::sqrt(2000.0));
    QVERIFY(std::abs(seen.zero->scatter[c] / noise - 1.0) < 0.1);
  }

  void zeroingADisplacementTakesItsCommandAlong() {
    std::vector<ChannelSpec> channels = rigChannels({}, 1);
    for (ChannelSpec& channel : channels) channel.tare = 0.001;
    ZeroResult zero{{2, 3}, {0.0, 0.0, 0.004, -7.0}, {0.0, 0.0, 0.0, 0.0}};
    QCOMPARE(taresAfter(zero, channels), (std::vector<double>{0.004, 0.001, 0.004, -7.0}));
    // Where the actuator stands, it is told to stand as before.
    const double raw_before = rawValue(channels[0], scaledValue(channels[2], 0.005));
    channels[0].tare = channels[2].tare = 0.004;
    QVERIFY(std::abs(rawValue(channels[0], scaledValue(channels[2], 0.005)) - raw_before) < 1e-15);
  }

  void zeroingGivesUpWithoutReadings() {
    SetupBench bench;
    bench.wires->silent = true;
    bench.setup->zero({bench.channel("force_1")}, 100);
    bench.run(6.0);
    const SetupView seen = bench.view();
    QCOMPARE(seen.activity, SetupActivity::watching);
    QVERIFY(!seen.zero && QString::fromStdString(seen.problem).contains("too few"));
  }

  void joggingMovesOneActuatorAtItsSpeedAndStopsUnasked() {
    SetupBench bench;
    bench.hold(1, 0.002, 1.0);
    SetupView seen = bench.view();
    QVERIFY(std::abs(seen.command_m[0] - 0.002) < 5e-6);
    QCOMPARE(seen.command_m[1], 0.0);
    bench.run(0.5);  // nobody asks any more
    seen = bench.view();
    QCOMPARE(seen.activity, SetupActivity::watching);
    const double most = 0.002 + 0.002 * SetupTick::kRenewal_s;
    QVERIFY2(seen.command_m[0] < most + 5e-6, qPrintable(QString::number(seen.command_m[0])));
    const double rest = seen.command_m[0];
    bench.run(1.0);
    seen = bench.view();
    QCOMPARE(seen.command_m[0], rest);
    QVERIFY(std::abs(seen.scaled[bench.channel("measured_1")] - rest) < 1e-6);
    bench.setup->jog(1, -0.002, kSlow);
    bench.run(0.1);
    bench.setup->release();
    bench.run(0.1);
    QVERIFY(std::abs(bench.view().command_m[0] - (rest - 0.0002)) < 5e-6);
  }

  void aStalledComputerDoesNotMakeAJump() {
    SetupBench bench;
    bench.setup->jog(1, 0.002, kSlow);
    bench.setup->tick(5000);  // five seconds late: the button counts as released
    QCOMPARE(bench.view().command_m[0], 0.0);
  }

  void travelEndsQuietlyAndSpeedIsLimited() {
    SetupBench bench;
    bench.hold(2, -1.0, 1.0);
    QVERIFY(std::abs(bench.view().command_m[1] + 0.002) < 5e-6);  // not a metre a second
    bench.hold(2, -1.0, 2.0);
    const SetupView seen = bench.view();
    QCOMPARE(seen.command_m[1], -kSlow.travel_m);
    QCOMPARE(bench.wires->safe_stops.load(), 0);
    QVERIFY(QString::fromStdString(seen.problem).contains("travel"));
  }

  void whatIsWrongWhileMovingStopsForGood_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("told");
    QTest::newRow("force") << "force"
                           << "force_1 reached";
    QTest::newRow("runaway") << "runaway"
                             << "ran away";
    QTest::newRow("link") << "link"
                          << "the cable was pulled";
    QTest::newRow("interlock") << "interlock"
                               << "door";
    QTest::newRow("emergency stop") << "emergency stop"
                                    << "emergency stop";
    QTest::newRow("fault") << "fault"
                           << "fault";
    QTest::newRow("sensor") << "sensor"
                            << "sensor in fault";
    QTest::newRow("silence") << "silence"
                             << "no new readings";
    QTest::newRow("not a number") << "nan"
                                  << "not a number";
  }
  void whatIsWrongWhileMovingStopsForGood() {
    QFETCH(QString, what);
    QFETCH(QString, told);
    SetupBench bench;
    bench.hold(1, 0.002, 0.2);
    Wires& wires = *bench.wires;
    if (what == "force") wires.offset["force_1"] = 600.0;
    if (what == "runaway") wires.offset["measured_2"] = 0.02;
    if (what == "link") wires.link_lost = true;
    if (what == "interlock") wires.interlock_open = true;
    if (what == "emergency stop") wires.word = kDeviceEnabled | kDeviceEmergencyStop;
    if (what == "fault") wires.word = kDeviceFault;
    if (what == "sensor") wires.word = kDeviceEnabled | kDeviceSensorFault;
    if (what == "silence") wires.silent = true;
    if (what == "nan") wires.offset["measured_1"] = std::numeric_limits<double>::quiet_NaN();
    bench.run(0.5);
    SetupView seen = bench.view();
    QCOMPARE(seen.activity, SetupActivity::stopped);
    QVERIFY2(QString::fromStdString(seen.problem).contains(told), seen.problem.c_str());
    QVERIFY(wires.safe_stops > 0);
    const int written = wires.written;
    bench.hold(1, 0.002, 0.3);
    QCOMPARE(wires.written.load(), written);
  }

  void nothingMovesWhileAnInterlockIsOpen() {
    SetupBench bench;
    bench.wires->interlock_open = true;
    bench.run(0.1);
    bench.hold(1, 0.002, 0.5);
    QCOMPARE(bench.wires->written.load(), 0);
    QVERIFY(QString::fromStdString(bench.view().problem).contains("door"));
  }

  void nothingMovesWhileTheDeviceSaysNo() {
    SetupBench bench;
    bench.wires->word = kDeviceEnabled | kDeviceEmergencyStop;
    bench.run(0.1);
    bench.hold(1, 0.002, 0.5);
    bench.setup->checkWiring(0.001, kSlow);
    bench.run(0.5);
    const SetupView seen = bench.view();
    QCOMPARE(bench.wires->written.load(), 0);
    QVERIFY2(QString::fromStdString(seen.problem).contains("emergency stop"), seen.problem.c_str());
    QVERIFY(seen.readings > 600);  // values stay in view
    bench.wires->word = kDeviceEnabled;
    bench.hold(1, 0.002, 0.5);
    QVERIFY(bench.wires->written > 0);
  }

  void theWiringCheckFindsWhatIsWrong_data() {
    QTest::addColumn<QString>("wrong");
    for (const char* wrong :
         {"nothing", "displacement reversed", "displacements swapped", "displacement dead", "displacement gain",
          "command reversed", "commands swapped", "force reversed", "forces swapped", "force dead"})
      QTest::newRow(wrong) << wrong;
  }
  void theWiringCheckFindsWhatIsWrong() {
    QFETCH(QString, wrong);
    SetupBench bench(
        1e-6,
        [&](Wires& wires) {
          if (wrong == "displacement reversed") wires.factor["measured_1"] = -1.0;
          if (wrong == "displacements swapped")
            wires.plugged = {{"measured_1", "measured_2"}, {"measured_2", "measured_1"}};
          if (wrong == "displacement dead") wires.factor["measured_1"] = 0.0;
          if (wrong == "displacement gain") wires.factor["measured_1"] = 0.4;
          if (wrong == "command reversed") wires.factor["command_1"] = -1.0;
          if (wrong == "force reversed") wires.factor["force_1"] = -1.0;
          if (wrong == "forces swapped") wires.plugged = {{"force_1", "force_2"}, {"force_2", "force_1"}};
          if (wrong == "force dead") wires.factor["force_1"] = 0.0;
        },
        wrong == "commands swapped" ? swappedCommands() : std::vector<ChannelSpec>());
    const SetupView seen = bench.wiring();
    QVERIFY2(seen.wiring.has_value(), seen.problem.c_str());
    QCOMPARE(seen.wiring->size(), std::size_t{4});
    QCOMPARE(bench.wires->safe_stops.load(), 0);
    const auto verdict = [&](const char* channel) { return bench.finding(seen, channel).verdict; };
    const bool both_displacements = wrong == "displacements swapped" || wrong == "commands swapped";
    const bool swapped_forces = wrong == "forces swapped" || wrong == "commands swapped";
    const WiringVerdict first = both_displacements ? WiringVerdict::swapped
                                : wrong == "displacement reversed" || wrong == "command reversed"
                                    ? WiringVerdict::reversed
                                : wrong == "displacement dead" ? WiringVerdict::silent
                                : wrong == "displacement gain" ? WiringVerdict::wrong_gain
                                                               : WiringVerdict::right;
    const WiringVerdict force = swapped_forces                                             ? WiringVerdict::swapped
                                : wrong == "force dead"                                    ? WiringVerdict::silent
                                : wrong == "force reversed" || wrong == "command reversed" ? WiringVerdict::reversed
                                                                                           : WiringVerdict::right;
    QCOMPARE(verdict("measured_1"), first);
    QCOMPARE(verdict("measured_2"), both_displacements ? WiringVerdict::swapped : WiringVerdict::right);
    QCOMPARE(verdict("force_1"), force);
    QCOMPARE(verdict("force_2"), swapped_forces ? WiringVerdict::swapped : WiringVerdict::right);
    for (const WiringFinding& one : *seen.wiring) QVERIFY(QString::fromStdString(one.sentence).endsWith('.'));
    if (wrong == "nothing")  // back where it began, held
      for (const double command : seen.command_m) QVERIFY(std::abs(command) < 1e-5);
  }

  /// The answer belongs to the motion of the check, wherever the actuators were jogged before.
  void theWiringCheckMayFollowAJogAndACheckCutShort() {
    SetupBench bench(1e-6);
    bench.hold(1, 0.002, 1.0);
    bench.run(1.0);
    const double from_m = bench.view().command_m[0];
    QVERIFY(from_m > 1.5e-3);
    SetupView seen = bench.wiring();
    QVERIFY2(seen.wiring.has_value(), seen.problem.c_str());
    for (const WiringFinding& one : *seen.wiring) QCOMPARE(one.verdict, WiringVerdict::right);
    QVERIFY(std::abs(seen.command_m[0] - from_m) < 1e-12);

    bench.setup->checkWiring(0.001, kSlow);
    bench.run(0.31 + 0.001 / kSlow.speed_m_per_s + 0.2);
    bench.setup->release();
    bench.run(0.5);
    QVERIFY(bench.view().command_m[0] > from_m + 0.5e-3);
    bench.setup->checkWiring(0.002, kSlow);  // would go beyond the travel from here
    bench.run(0.1);
    seen = bench.view();
    QVERIFY2(QString::fromStdString(seen.problem).contains("Jog it back"), seen.problem.c_str());
    QCOMPARE(seen.activity, SetupActivity::watching);
    seen = bench.wiring(0.0005);
    QVERIFY2(seen.wiring.has_value(), seen.problem.c_str());
    for (const WiringFinding& one : *seen.wiring) QCOMPARE(one.verdict, WiringVerdict::right);
  }

  void theWiringCheckEndsWhenReleased() {
    SetupBench bench;
    bench.setup->checkWiring(0.001, kSlow);
    bench.run(0.5);
    bench.setup->release();
    bench.run(1.0);
    const SetupView seen = bench.view();
    QVERIFY(seen.activity == SetupActivity::watching && !seen.wiring);
    bench.setup->checkWiring(0.01, kSlow);  // beyond the travel
    QVERIFY(QString::fromStdString(bench.view().problem).contains("travel"));
  }

  void commandsGoOutThroughGainAndPolarity() {
    std::vector<ChannelSpec> channels = rigChannels({}, 2);
    for (ChannelSpec& channel : channels)
      if (channel.name == "command_1") channel.gain = 0.5, channel.reversed = true;
    SetupBench bench(
        0.0, [](Wires& wires) { wires.factor["command_1"] = -0.5; }, channels);
    bench.hold(1, 0.002, 1.0);
    bench.run(1.0);
    bench.view();
    bench.run(0.1);
    const SetupView seen = bench.view();
    QVERIFY(std::abs(seen.scaled[bench.channel("measured_1")] - seen.command_m[0]) < 1e-6);
    QVERIFY(std::abs(seen.raw[bench.channel("command_1")] + 2.0 * seen.command_m[0]) < 1e-12);
  }

  // On a thread of its own
  void connectsWatchesAndLeavesInTheSafeState() {
    const Project project = threeMassProject();
    auto wires = std::make_shared<Wires>();
    {
      RigSetup setup(project, wiredDevices(project, wires));
      QTRY_COMPARE_WITH_TIMEOUT(setup.state(), RigSetup::State::open, kHangs_ms);
      QTRY_VERIFY_WITH_TIMEOUT(setup.view().readings > 50, kHangs_ms);
      QCOMPARE(setup.description(), std::string("bench of the test"));
      setup.jog(1, 0.001, kSlow);
      QTRY_VERIFY_WITH_TIMEOUT(!setup.view().command_m.empty() && setup.view().command_m[0] > 0.0, kHangs_ms);
      QTRY_COMPARE_WITH_TIMEOUT(setup.view().activity, SetupActivity::watching, kHangs_ms);  // not renewed
      QVERIFY(setup.view().command_m[0] < 0.001);
      QCOMPARE(wires->safe_stops.load(), 0);
      setup.close();
      QTRY_COMPARE_WITH_TIMEOUT(setup.state(), RigSetup::State::closed, kHangs_ms);
      QVERIFY(wires->safe_stops > 0 && setup.failure().empty());
    }
    QCOMPARE(wires->alive.load(), 0);
  }

  void stopReachesTheDeviceAndStaysConnectedForReading() {
    const Project project = threeMassProject();
    auto wires = std::make_shared<Wires>();
    RigSetup setup(project, wiredDevices(project, wires));
    QTRY_VERIFY_WITH_TIMEOUT(setup.view().readings > 0, kHangs_ms);
    setup.stop("STOP");
    QTRY_COMPARE_WITH_TIMEOUT(setup.view().activity, SetupActivity::stopped, kHangs_ms);
    QCOMPARE(setup.view().problem, std::string("STOP"));
    QVERIFY(wires->safe_stops > 0);
    QCOMPARE(setup.state(), RigSetup::State::open);
  }

  void whyItCannotConnectIsTold() {
    const Project project = threeMassProject();
    auto wires = std::make_shared<Wires>();
    wires->on_open = [] { throw DeviceError("nobody answers at this address"); };
    RigSetup setup(project, wiredDevices(project, wires));
    QTRY_COMPARE_WITH_TIMEOUT(setup.state(), RigSetup::State::closed, kHangs_ms);
    QCOMPARE(setup.failure(), std::string("nobody answers at this address"));
    QVERIFY_THROWS_EXCEPTION(InputError, RigSetup(project, {}));
  }

  void connectingCanBeCancelled() {
    const Project project = threeMassProject();
    auto wires = std::make_shared<Wires>();
    std::promise<void> answer;
    wires->on_open = [answered = answer.get_future().share()] { answered.wait(); };
    RigSetup setup(project, wiredDevices(project, wires));
    QCOMPARE(setup.state(), RigSetup::State::opening);
    setup.close();
    answer.set_value();
    QTRY_COMPARE_WITH_TIMEOUT(setup.state(), RigSetup::State::closed, kHangs_ms);
    QVERIFY(wires->safe_stops > 0);
    QCOMPARE(wires->written.load(), 0);
  }

 private:
  static std::vector<ChannelSpec> swappedCommands() {
    std::vector<ChannelSpec> channels = rigChannels({}, 2);
    for (ChannelSpec& channel : channels)
      if (isOutput(channel.role)) channel.interface = 3 - channel.interface;
    return channels;
  }
};

HYB_SUITE(setup, SetupTest)
HYB_THREADS(setup)
#include "setup_test.moc"
