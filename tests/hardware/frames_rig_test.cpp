/// The rig server against benches that end, vanish and fail, over links that do.
#include <cmath>
#include <numbers>

#include "core/project/project.h"
#include "tests/hardware/frames_support.h"
#include "tests/support/obedient_rig.h"
#include "tests/support/set_clock.h"

using namespace hyb;
using namespace hyb::test;
using namespace std::chrono_literals;

class FramesRigTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { requirePseudoTerminals(); }

  // The rig by itself.

  /// Not before they have ceased for as long as was agreed on; then along a cosine, period by period, to zero and off.
  void theRigStopsWhenCommandsCease() {
    constexpr double kSilence_s = 0.2, kRamp_s = 0.1;
    const Eigen::Vector2d start(1e-3, 2e-3);
    const auto path = std::make_shared<TruePath>();
    std::atomic<int> turns{0};
    const auto twoTurns = [&] {
      const int from = turns;
      return comesTrue([&] { return turns >= from + 2; });
    };
    SetClock clock;
    const ServedTwin served(
        "tcp://127.0.0.1:0", {}, rigChannels({}, 2), std::make_unique<ObedientRig>(path), [&] { ++turns; }, {}, clock);
    ConnectionSpec connection = patientConnection(served.address());
    connection.protocol = protocolOf(FramesSpec{.timeout_ticks = 10'000, .silence_s = kSilence_s, .ramp_s = kRamp_s});
    const auto device = makeFramesDevice(connection, servedChannels(true));
    device->open();
    QTRY_COMPARE_WITH_TIMEOUT(served.state(), RigServer::State::greeted, kHangs_ms);
    std::vector<double> read(kInputs);
    (void)device->write(0, std::vector<double>{start[0], start[1], 0.0, 0.0});
    QVERIFY(comesTrue([&] { return path->writes == 1; }));
    clock.pass(kSilence_s);
    QVERIFY(twoTurns());
    QCOMPARE(served.state(), RigServer::State::armed);
    clock.pass(1e-9);
    QTRY_COMPARE_WITH_TIMEOUT(served.state(), RigServer::State::stopping, kHangs_ms);
    QCOMPARE(path->writes.load(), std::uint64_t{1});
    const auto periods = static_cast<std::size_t>(std::lround(kRamp_s * kServedRate_hz));
    for (std::size_t k = 1; k <= periods; ++k) {
      QCOMPARE(served.state(), RigServer::State::stopping);
      clock.pass(1.0 / kServedRate_hz);
      QVERIFY(comesTrue([&] { return path->writes == 1 + k; }));
      const double share = static_cast<double>(k) / static_cast<double>(periods);
      const Eigen::Vector2d expected = 0.5 * (1.0 + std::cos(std::numbers::pi * share)) * start;
      QVERIFY2((path->now() - expected).norm() < 1e-12, qPrintable(QString::number(k)));
    }
    QTRY_COMPARE_WITH_TIMEOUT(served.state(), RigServer::State::stopped, kHangs_ms);
    QVERIFY2(served.said("powered off, 0.3 s after the last command, at 0 m, 0 m"), served.log().c_str());
    QVERIFY2(served.said("no command for 0.2 s") && served.said("ramped to zero"), served.log().c_str());
    QTRY_VERIFY_WITH_TIMEOUT(device->read(read) == RigStatus::fault, kHangs_ms);
    QVERIFY2(has(device->failure(), "no command for 0.2 s"), device->failure().c_str());
    QVERIFY(device->write(1, zeros()) == RigStatus::fault);
    // Greeting and arming lead back.
    device->open();
    QTRY_COMPARE_WITH_TIMEOUT(served.state(), RigServer::State::greeted, kHangs_ms);
    (void)device->write(0, zeros());
    QTRY_COMPARE_WITH_TIMEOUT(served.state(), RigServer::State::armed, kHangs_ms);
  }

  void safeActions_data() {
    QTest::addColumn<int>("action");
    QTest::addColumn<bool>("hangs_up");
    QTest::addColumn<double>("takes_s");
    QTest::addColumn<QString>("words");
    for (const bool hangs_up : {false, true}) {
      const auto row = [&](const char* name, SafeAction action, double takes_s, const char* words) {
        QTest::addRow("%s, %s", name, hangs_up ? "hangs up" : "garbage")
            << static_cast<int>(action) << hangs_up << takes_s << words;
      };
      row("hold", SafeAction::hold, 0.0,
          "at rest: holding the last command, 0 s after the last command, at 0.001 m, 0 m");
      row("ramp", SafeAction::ramp, 0.05,
          "at rest: ramped to zero and powered off, 0.05 s after the last command, at 0 m, 0 m");
      row("off", SafeAction::off, 0.0, "at rest: powered off, 0 s after the last command, at 0.001 m, 0 m");
    }
  }
  /// A bench that vanishes is a bench that says stop: the rig takes the time of its ramp, and none to wait.
  void safeActions() {
    QFETCH(int, action);
    QFETCH(bool, hangs_up);
    QFETCH(double, takes_s);
    QFETCH(QString, words);
    SetClock clock;
    const ServedTwin served("tcp://127.0.0.1:0", {}, rigChannels({}, 2),
                            std::make_unique<ObedientRig>(std::make_shared<TruePath>()), {}, {}, clock);
    auto port = openPort(parseAddress(served.address(), ""), {}, kHangs_s);
    LinkFigures figures;
    FrameLink link(*port, figures);
    Hello hello{"test", kServedRate_hz, servedChannels(true).outputs, servedChannels(true).inputs, "bench", {}};
    hello.timing = {.silence_s = 1000.0, .safe_action = static_cast<SafeAction>(action), .ramp_s = 0.05};
    const auto say = [&](FrameType type, const std::string& text) {
      QVERIFY(link.send({.type = type}, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
    };
    Frame frame;
    const auto await = [&](FrameType type) {
      for (QElapsedTimer time; !time.isValid() || time.elapsed() < kHangs_ms; port->waitReadable(50ms)) {
        if (!time.isValid()) time.start();
        while (link.receive(frame) == FrameLink::Got::frame)
          if (frame.header.type == type) return true;
      }
      return false;
    };
    say(FrameType::hello, writeHello(hello));
    QVERIFY(await(FrameType::welcome));
    link.session = frame.header.session;
    // Armed from where it does not stand: refused.
    say(FrameType::arm, writeArm(std::vector{0.01, 0.0, 0.0, 0.0}));
    QVERIFY(await(FrameType::refuse));
    say(FrameType::arm, writeArm(zeros()));
    QVERIFY(await(FrameType::armed));
    std::vector<std::uint8_t> command(32, 0);
    putValue(command.data(), 1e-3);
    QVERIFY(link.send({.type = FrameType::command, .tick = 5}, command));
    QVERIFY(await(FrameType::measurement));
    QCOMPARE(frame.header.tick, std::uint64_t{5});
    QVERIFY((frame.header.status & kDeviceEnabled) != 0 && (frame.header.status & kDeviceSimulated) != 0);
    // Not newer, another session: no answer. Then a good one.
    QVERIFY(link.send({.type = FrameType::command, .tick = 5}, command));
    const std::uint32_t session = link.session;
    link.session = session + 1;
    QVERIFY(link.send({.type = FrameType::command, .tick = 6}, command));
    link.session = session;
    QVERIFY(link.send({.type = FrameType::command, .tick = 8}, command));
    QVERIFY(await(FrameType::measurement));
    QCOMPARE(frame.header.tick, std::uint64_t{8});
    const std::int64_t from_ns = clock.nowNs();
    const std::vector<std::uint8_t> garbage(100, 0xEE);  // ends the session
    if (hangs_up)
      port.reset();
    else
      QVERIFY(port->writeAll(garbage, 1s));
    QTRY_COMPARE_WITH_TIMEOUT(served.state(), RigServer::State::listening, kHangs_ms);
    QVERIFY2(served.said(words.toStdString()), served.log().c_str());
    QCOMPARE(clock.nowNs() - from_ns, static_cast<std::int64_t>(std::llround(1e9 * takes_s)));
  }

  void anEndingServerTellsTheBench() {
    ServedTwin served;
    const auto device = makeFramesDevice(patientConnection(served.address()), servedChannels(false));
    device->open();
    std::vector<double> read(kInputs);
    (void)device->read(read);
    (void)device->write(0, std::vector<double>{1e-3, 0.0, 0.0, 0.0});
    QVERIFY(device->read(read) == RigStatus::ok);
    served.end();
    QTRY_VERIFY_WITH_TIMEOUT(device->read(read) != RigStatus::ok, kHangs_ms);
    QVERIFY2(has(device->failure(), "told to end"), device->failure().c_str());
    QVERIFY(served.said("ramped to zero"));
  }

  // Faults of the connection on purpose.

  void faultsOfTheConnection_data() {
    QTest::addColumn<QString>("listen");
    QTest::addColumn<int>("kind");
    QTest::addColumn<double>("value");
    const auto row = [](const char* listen, FaultKind kind, double value) {
      QTest::newRow((std::string(listen, 3) + " " + std::string(name(kind))).c_str())
          << listen << static_cast<int>(kind) << value;
    };
    for (const char* listen : {"tcp://127.0.0.1:0", "serial:pty"}) {
      row(listen, FaultKind::frame_loss, 0.2);
      row(listen, FaultKind::reorder, 0.2);
      row(listen, FaultKind::latency, 0.01);
      row(listen, FaultKind::jitter, 0.02);
      row(listen, FaultKind::corruption, 0.2);
      row(listen, FaultKind::link_loss, 0.0);
    }
  }
  void faultsOfTheConnection() {
    QFETCH(QString, listen);
    QFETCH(int, kind);
    QFETCH(double, value);
    const FaultSpec fault{static_cast<FaultKind>(kind), 0.0, 0.0, 0, FaultSensor::displacement, value};
    const ServedTwin served(listen.toStdString());
    const auto device = makeFramesDevice(patientConnection(served.address()), servedChannels(true));
    device->open();
    std::vector<double> read(kInputs);
    std::uint64_t k = 0;
    RigStatus status = RigStatus::ok;
    const auto tick = [&] {
      status = device->read(read);
      (void)device->write(k++, zeros());
    };
    const auto ticks = [&](const std::function<bool()>& done) {
      return comesTrue([&] {
        tick();
        return done();
      });
    };
    const LinkFigures& link = device->link();
    QVERIFY(ticks([&] { return link.received.load() > 20; }));
    QVERIFY(device->inject(fault, true));
    const bool tcp = listen.startsWith("tcp");
    if (fault.kind == FaultKind::link_loss || (fault.kind == FaultKind::corruption && tcp)) {
      QVERIFY(comesTrue([&] {  // a cut cable is silent for more ticks than any busy computer
        for (int n = 0; n < 200 && status != RigStatus::link_lost; ++n) tick();
        return status == RigStatus::link_lost;
      }));
      QVERIFY(!device->failure().empty());
      return;
    }
    switch (fault.kind) {
      case FaultKind::frame_loss:
        QVERIFY(ticks([&] { return link.lost.load() > 20; }));
        break;
      case FaultKind::reorder:
        QVERIFY(ticks([&] { return link.out_of_order.load() > 5; }));
        break;
      case FaultKind::corruption:
        QVERIFY(ticks([&] { return link.corrupt.load() > 5; }));
        break;
      case FaultKind::jitter:
        QVERIFY(ticks([&] { return link.roundTripNs(1.0) > 5e6 && link.out_of_order.load() > 0; }));
        break;
      default:  // latency
        QVERIFY(ticks([&] { return link.last_round_trip_ns.load() >= 10'000'000; }));
        break;
    }
    QVERIFY(status == RigStatus::ok || status == RigStatus::stale);
    QVERIFY(ticks([&] { return (device->status() & kDeviceFaultInjected) != 0; }));
    QVERIFY(device->inject(fault, false));
    QVERIFY(ticks([&] { return status == RigStatus::ok && (device->status() & kDeviceFaultInjected) == 0; }));
  }

  /// A fault belongs to the test in which it was asked for: the next bench is heard.
  void afterAnyFaultTheNextBenchIsServed_data() { faultsOfTheConnection_data(); }
  void afterAnyFaultTheNextBenchIsServed() {
    QFETCH(QString, listen);
    QFETCH(int, kind);
    QFETCH(double, value);
    const ServedTwin served(listen.toStdString());
    std::vector<double> read(kInputs);
    for (int bench = 0; bench < 2; ++bench) {
      ConnectionSpec connection = patientConnection(served.address());
      // Over a serial line, where nothing tells that the bench has gone, the next one is served after this.
      if (listen.startsWith("serial")) Change<FramesSpec>(connection)->silence_s = 3.0;
      const auto device = makeFramesDevice(connection, servedChannels(true));
      device->open();
      std::uint64_t k = 0;
      QVERIFY(comesTrue([&] {
        (void)device->read(read);
        return device->write(k, zeros()) != RigStatus::ok || ++k == 20;
      }));
      QCOMPARE(k, std::uint64_t{20});
      QVERIFY(device->inject({static_cast<FaultKind>(kind), 0.0, 0.0, 0, FaultSensor::displacement, value}, true));
      QTRY_VERIFY_WITH_TIMEOUT(served.said("fault on purpose begins"), kHangs_ms);
      if (bench == 0 && listen.startsWith("serial"))  // there nothing tells the rig that the bench has gone
        QTRY_VERIFY_WITH_TIMEOUT(served.state() == RigServer::State::stopped, kHangs_ms);
    }
  }

  /// After a test the rig is free without the program having to end.
  void aClosedDeviceLeavesTheRigToOthers_data() {
    QTest::addColumn<QString>("listen");
    QTest::newRow("tcp") << "tcp://127.0.0.1:0";
    QTest::newRow("serial") << "serial:pty";
  }
  void aClosedDeviceLeavesTheRigToOthers() {
    QFETCH(QString, listen);
    const ServedTwin served(listen.toStdString());
    std::vector<double> read(kInputs);
    const auto first = makeFramesDevice(patientConnection(served.address()), servedChannels(false));
    const auto second = makeFramesDevice(patientConnection(served.address()), servedChannels(false));
    for (const auto* device : {&first, &second, &first}) {
      (*device)->open();
      for (std::uint64_t k = 0; k < 10; ++k) {
        QVERIFY((*device)->read(read) == RigStatus::ok);
        QVERIFY((*device)->write(k, zeros()) == RigStatus::ok);
      }
      (*device)->close();
      QVERIFY2((*device)->failure().empty(), (*device)->failure().c_str());
      QVERIFY((*device)->link().received.load() > 0);  // figures stay
    }
  }

  void aStopThatIsNotConfirmedIsTold() {
    Trial trial([](FakeRig& rig) { answerAll(rig, std::vector<double>(kInputs, 0.0)); });
    (void)trial.tick();
    trial.device->close();
    QVERIFY2(has(trial.device->failure(), "did not confirm the stop"), trial.device->failure().c_str());
  }

  /// Over a serial line a bench that armed and died cannot hang up; the next one need not wait for anybody.
  void aBenchThatDiedArmedDoesNotKeepOthersOut() {
    const ServedTwin served("serial:pty");
    {
      const auto port = openPort(parseAddress(served.address(), ""), SerialSpec(), 1.0);
      LinkFigures figures;
      FrameLink link(*port, figures);
      const auto say = [&](FrameType type, const std::string& text) {
        const std::span bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
        QVERIFY(port->writeAll(link.seal({.type = type}, bytes), std::chrono::milliseconds(kHangs_ms)));
      };
      const auto heard = [&](FrameType type) {
        Frame frame;
        for (QDeadlineTimer patience(kHangs_ms); !patience.hasExpired(); port->waitReadable(10ms))
          if (link.receive(frame) == FrameLink::Got::frame && frame.header.type == type) {
            link.session = frame.header.session;
            return true;
          }
        return false;
      };
      const DeviceChannels channels = servedChannels(true);
      say(FrameType::hello, writeHello({"0", channels.rate_hz, channels.outputs, channels.inputs, "bench", {}}));
      QVERIFY(heard(FrameType::welcome));
      say(FrameType::arm, writeArm(zeros()));
      QVERIFY(heard(FrameType::armed));
    }
    const auto device = makeFramesDevice(patientConnection(served.address()), servedChannels(false));
    device->open();
    QVERIFY(served.said("a bench begins anew"));
  }

  void aSerialLineThatHangsUpIsClosed() {
    int terminal = -1, line = -1;
    QVERIFY(::openpty(&terminal, &line, nullptr, nullptr, nullptr) == 0);
    const auto port = openPort(parseAddress(std::string("serial:") + ::ttyname(line), ""), SerialSpec(), 1.0);
    ::close(line);
    std::array<std::uint8_t, 8> bytes{};
    QVERIFY(!port->read(bytes).closed);
    ::close(terminal);  // the adapter is unplugged
    QVERIFY(port->read(bytes).closed);
  }

  /// A bench with the same project asks for the faults that the server plays already.
  void faultsOfBothProjectsCountOnce() {
    const FaultSpec drift{FaultKind::drift, 0.0, 0.0, 1, FaultSensor::displacement, 1.0};
    const ServedTwin served("tcp://127.0.0.1:0", {drift});
    const auto device = makeFramesDevice(patientConnection(served.address()), servedChannels(false));
    device->open();
    std::vector<double> read(kInputs);
    for (std::uint64_t k = 0; k < 1000; ++k) {
      QVERIFY(device->read(read) == RigStatus::ok);
      QVERIFY(device->write(k, zeros()) == RigStatus::ok);
      if (k == 0) QVERIFY(device->inject(drift, true));
    }
    QVERIFY2(std::abs(read[0] - 1.0) < 0.01, std::to_string(read[0]).c_str());  // 1 m/s for a second, not twice
  }

  /// Faults of the served project begin and end by the time since the first command.
  void faultsOfTheServedProject() {
    const ServedTwin served("tcp://127.0.0.1:0", {{FaultKind::drift, 0.1, 0.1, 1, FaultSensor::displacement, 1.0}});
    const auto device = makeFramesDevice(patientConnection(served.address()), servedChannels(false));
    device->open();
    std::vector<double> read(kInputs);
    double largest = 0.0;
    for (std::uint64_t k = 0; k < 400; ++k) {
      QVERIFY(device->read(read) == RigStatus::ok);
      if (k < 100 || k > 210) QCOMPARE(read[0], 0.0);
      largest = std::max(largest, std::abs(read[0]));
      QCOMPARE(read[1], 0.0);
      (void)device->write(k, zeros());
    }
    QVERIFY2(std::abs(largest - 0.1) < 0.01, qPrintable(QString::number(largest)));  // 1 m/s for 0.1 s
  }

  /// A project whose rig speaks volts: the server gives and takes the same raw values.
  void rawValuesOfTheProject() {
    std::vector<ChannelSpec> channels = rigChannels({}, 2);
    for (ChannelSpec& channel : channels) {
      channel.units = "V";
      channel.gain = 0.01;
      channel.offset = 0.002;
      channel.reversed = channel.role == ChannelRole::displacement;
    }
    const ServedTwin served("tcp://127.0.0.1:0", {}, channels);
    DeviceChannels wanted = deviceChannels(channels, kServedRate_hz);
    wanted.paced = false;
    const auto device = makeFramesDevice(patientConnection(served.address()), wanted);
    device->open();
    std::vector<double> read(kInputs), out(4);
    for (std::size_t k = 0; k < 4; ++k) out[k] = rawValue(channels[k], k == 0 ? 1e-3 : 0.0);
    for (std::uint64_t k = 0; k < 1000; ++k) {
      QVERIFY(device->read(read) == RigStatus::ok);
      QVERIFY(device->write(k, out) == RigStatus::ok);
    }
    QVERIFY(std::abs(read[0] - (-1e-3 - 0.002) / 0.01) < 1e-6);  // -(gain raw + offset) = 1 mm
  }

  /// A monitor with the name of a column that the served rig has gives that one.
  void monitorsGiveTheColumnsOfTheRig() {
    const Project project = parseProject(templateDocument("force-shear-building"));
    TwinParams params = project.twin;
    params.displacement_sensor = params.force_sensor = {};
    params.solver = TwinSolver::exact;
    const std::vector<ChannelSpec> channels = rigChannels({}, 1, 0, {"specimen_1", "nothing"});
    const ServedTwin served(
        "tcp://127.0.0.1:0", {}, channels,
        makeTwin(cut(buildModel(project.structure), project.partition), params, 1.0 / kServedRate_hz));
    DeviceChannels wanted = deviceChannels(channels, kServedRate_hz);
    wanted.paced = false;
    const auto device = makeFramesDevice(patientConnection(served.address()), wanted);
    device->open();
    std::vector<double> read(wanted.inputs.size()), out{1e-3, 0.0};
    for (std::uint64_t k = 0; k < 2000; ++k) {
      QVERIFY(device->read(read) == RigStatus::ok);
      QVERIFY(device->write(k, out) == RigStatus::ok);
    }
    // Piston, force, specimen, nothing: the force on the computed side is that of the spring.
    QVERIFY(std::abs(read[2]) > 1e-6);
    QVERIFY(std::abs(read[1] - 541800.0 * (read[2] - read[0])) < 1e-6);
    QCOMPARE(read[3], 0.0);
  }
};

HYB_SUITE(frames_rig, FramesRigTest)
HYB_THREADS(frames_rig)
#include "frames_rig_test.moc"
