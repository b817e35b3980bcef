/// The driver of the rig protocol against rigs that misbehave, and the rig server against benches that do.
#include "hardware/frames_device.h"

#include <pty.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "tests/support/fake_rig.h"
#include "tests/support/patience.h"
#include "tests/support/pseudo_terminals.h"
#include "tests/support/served_twin.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kInputs = 4;  // measured_1, measured_2, force_1, force_2

const std::vector<double>& zeros() {
  static const std::vector<double> values(4, 0.0);
  return values;
}

ConnectionSpec hasty(const std::string& address, int timeout_ticks = 5) {
  ConnectionSpec connection = patientConnection(address);
  std::get<FramesSpec>(connection.protocol).timeout_ticks = timeout_ticks;
  return connection;
}

/// The sentence with which opening fails: "device: ..." or the place of the InputError.
std::string openingFails(const ConnectionSpec& connection, const DeviceChannels& channels = servedChannels(false)) {
  const std::unique_ptr<Device> device = makeFramesDevice(connection, channels);
  try {
    device->open();
  } catch (const InputError& error) {
    return error.issues().front().where + ": " + error.issues().front().message;
  } catch (const DeviceError& error) {
    return std::string("device: ") + error.what();
  }
  return "opened";
}

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

/// A device on a fake rig that has been armed and then follows a script.
struct Trial {
  explicit Trial(const FakeRig::Script& script, int timeout_ticks = 5, bool paced = false, double answer_wait_s = 20.0)
      : rig([script](FakeRig& fake) {
          if (fake.greetAndArm()) script(fake);
        }),
        device(makeFramesDevice(hasty(rig.address(), timeout_ticks), channels(paced, answer_wait_s))) {
    device->open();
  }
  static DeviceChannels channels(bool paced, double answer_wait_s) {
    DeviceChannels made = servedChannels(paced);
    made.answer_wait_s = answer_wait_s;
    return made;
  }
  ~Trial() { device.reset(); }  // the connection ends first, then the rig's script
  RigStatus tick() {
    const RigStatus status = device->read(read);
    (void)device->write(next_tick++, zeros());
    return status;
  }
  /// Ticks until this status.
  bool reaches(RigStatus wanted) {
    return comesTrue([&] { return tick() == wanted; });
  }
  FakeRig rig;
  std::unique_ptr<Device> device;
  std::vector<double> read = std::vector<double>(kInputs, 99.0);
  std::uint64_t next_tick = 0;
};

/// Answers every command with these values until the bench goes.
void answerAll(FakeRig& rig, const std::vector<double>& values) {
  while (rig.await(FrameType::command)) rig.say(FrameType::measurement, rig.last.first.tick, values);
}

}  // namespace

class FramesDeviceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { requirePseudoTerminals(); }

  // Greeting.

  void nobodyThere() {
    std::string address;
    { address = Listener(parseAddress("tcp://127.0.0.1:0", ""), {}).address(); }
    QVERIFY(openingFails(patientConnection(address)).starts_with("device: " + address));
    QVERIFY(openingFails(patientConnection("serial:/dev/does-not-exist")).starts_with("device: serial:"));
    QVERIFY(openingFails(patientConnection("serial:/dev/null")).starts_with("device: serial:"));
    QVERIFY_THROWS_EXCEPTION(InputError, makeFramesDevice(patientConnection("nowhere"), servedChannels(true)));
  }

  void rigsThatGreetBadly_data() {
    QTest::addColumn<QString>("said");
    QTest::addColumn<QString>("words");
    QTest::newRow("a web server") << "HTTP/1.1 400 Bad Request\r\n\r\n"
                                  << "no frame";
    QTest::newRow("nothing") << ""
                             << "no answer within";
    QTest::newRow("hangs up") << "close"
                              << "closed the connection";
    QTest::newRow("welcome without sense") << "welcome {}"
                                           << "makes no sense";
    QTest::newRow("refuses without sense") << "refuse 7"
                                           << "without a reason";
  }
  void rigsThatGreetBadly() {
    QFETCH(QString, said);
    QFETCH(QString, words);
    const std::string bytes = said.toStdString();
    FakeRig rig([&](FakeRig& fake) {
      if (!fake.await(FrameType::hello) || bytes == "close") return;
      if (bytes.starts_with("welcome "))
        fake.sayText(FrameType::welcome, bytes.substr(8));
      else if (bytes.starts_with("refuse "))
        fake.sayText(FrameType::refuse, bytes.substr(7));
      else
        (void)fake.port().writeAll({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, 1s);
      (void)fake.await(FrameType::bye);
    });
    ConnectionSpec connection = patientConnection(rig.address());
    if (bytes.empty()) connection.connect_s = 0.3;
    const std::string failure = openingFails(connection);
    QVERIFY2(failure.starts_with("device: ") && has(failure, words.toStdString()), failure.c_str());
  }

  void whatTheServerRefuses() {
    const ServedTwin served;
    const ConnectionSpec connection = patientConnection(served.address());
    DeviceChannels channels = servedChannels(false);
    channels.rate_hz = 500.0;
    QVERIFY(openingFails(connection, channels).starts_with("/loop/rate_hz: "));
    channels = servedChannels(false);
    channels.outputs[1].units = "mm";
    QVERIFY(has(openingFails(connection, channels), "/commands/1/units"));
    channels = servedChannels(false);
    std::swap(channels.inputs[0], channels.inputs[1]);
    QVERIFY(openingFails(connection, channels).starts_with("/rig/channels: "));
    channels = servedChannels(false);
    channels.inputs.pop_back();
    QVERIFY(has(openingFails(connection, channels), "/measurements"));
    QCOMPARE(openingFails(connection), std::string("opened"));
  }

  void oneBenchAtATime() {
    const ServedTwin served;
    const auto first = makeFramesDevice(patientConnection(served.address()), servedChannels(false));
    first->open();
    QVERIFY(has(openingFails(patientConnection(served.address())), "another bench"));
  }

  // In the tick.

  /// In free run the k-th reading is the sample of tick k - 1 of the twin itself, bit for bit.
  void samplesAreTheTwins() {
    const ServedTwin served;
    const auto device = makeFramesDevice(patientConnection(served.address()), servedChannels(false));
    device->open();
    TwinBench twin(twoActuators(), 1.0 / kServedRate_hz);
    std::vector<double> read(kInputs), out(4), before(kInputs, 0.0);
    for (int k = 0; k < 500; ++k) {
      QVERIFY(device->read(read) == RigStatus::ok);
      if (k > 0) QVERIFY(read == before);
      twin.tick();
      for (Eigen::Index i = 0; i < 2; ++i) {
        before[static_cast<std::size_t>(i)] = twin.state.measured[i];
        before[static_cast<std::size_t>(i) + 2] = twin.state.force[i];
        out[static_cast<std::size_t>(i)] = twin.command.position[i] = 1e-3 * std::sin(0.05 * k);
        out[static_cast<std::size_t>(i) + 2] = twin.command.rate[i] = 0.05 * std::cos(0.05 * k);
      }
      QVERIFY(device->write(static_cast<std::uint64_t>(k), out) == RigStatus::ok);
    }
    QVERIFY(std::abs(read[0]) > 1e-5);
    QCOMPARE(device->link().lost.load(), std::uint64_t{0});
  }

  void silenceLosesTheLink() {
    Trial trial([](FakeRig& rig) { (void)rig.await(FrameType::bye); }, 5, false, 0.05);
    QVERIFY(trial.tick() == RigStatus::ok);
    for (int k = 0; k < 4; ++k) QVERIFY(trial.tick() == RigStatus::stale);
    QVERIFY(trial.tick() == RigStatus::link_lost);
    QVERIFY(trial.tick() == RigStatus::link_lost);
    for (const char* words : {" ms, /rig/connection/timeout_ticks allows 5", "See that the rig is alive"})
      QVERIFY2(has(trial.device->failure(), words), trial.device->failure().c_str());
    QCOMPARE(trial.device->link().lost.load(), std::uint64_t{5});
  }

  /// In real time the sentence gives the time-out in milliseconds, what the link needs, and the field.
  void theTimeOutSaysWhatWouldDo() {
    Trial trial([](FakeRig& rig) { (void)rig.await(FrameType::bye); }, 3, true);
    for (int k = 0; k < 4; ++k) (void)trial.tick();
    QVERIFY(trial.tick() == RigStatus::link_lost);
    const std::string said = trial.device->failure();
    for (const char* words : {"timeout_ticks allows 3 (3 ms)", "set timeout_ticks to "})
      QVERIFY2(has(said, words), said.c_str());
  }

  void readingNeverWaitsInRealTime() {
    Trial trial([](FakeRig& rig) { (void)rig.await(FrameType::bye); }, 1'000'000, true);
    QElapsedTimer time;
    time.start();
    for (int k = 0; k < 1000; ++k) (void)trial.tick();
    QVERIFY(time.elapsed() < kHangs_ms);  // a thousand waits of 0.5 s would take 500 s
  }

  void aClosedConnectionLosesTheLink() {
    Trial trial([](FakeRig&) {});
    QVERIFY(trial.reaches(RigStatus::link_lost));
    QVERIFY(has(trial.device->failure(), "closed the connection"));
  }

  void nonsenseLosesTheLink() {
    Trial trial([](FakeRig& rig) {
      (void)rig.await(FrameType::command);
      const std::vector<std::uint8_t> nonsense(1000, 0x5A);
      (void)rig.port().writeAll(nonsense, 1s);
      (void)rig.await(FrameType::bye);
    });
    QVERIFY(trial.reaches(RigStatus::link_lost));
    QVERIFY(has(trial.device->failure(), "no frame"));
    QVERIFY(trial.device->link().corrupt.load() > 0);
  }

  void aDamagedFrameEndsATcpSession() {
    Trial trial([](FakeRig& rig) {
      (void)rig.await(FrameType::command);
      std::vector<std::uint8_t> out(kMaxFrame);
      out.resize(encodeFrame({.type = FrameType::measurement, .sequence = 100}, std::vector<std::uint8_t>(32), out));
      out[44] = static_cast<std::uint8_t>(out[44] ^ 1u);
      (void)rig.port().writeAll(out, 1s);
      (void)rig.await(FrameType::bye);
    });
    QVERIFY(trial.reaches(RigStatus::link_lost));
    QVERIFY(has(trial.device->failure(), "checksum"));
  }

  void aRigThatStopsSaysWhy() {
    Trial trial(
        [](FakeRig& rig) {
          (void)rig.await(FrameType::command);
          rig.sayText(FrameType::event, writeMessage("stopped: the oil is hot"));
          rig.say(FrameType::stopped);
          (void)rig.await(FrameType::bye);
        },
        10'000);  // a script that comes late on a busy machine is no lost link
    QVERIFY(trial.reaches(RigStatus::fault));
    QVERIFY2(has(trial.device->failure(), "the oil is hot"), trial.device->failure().c_str());
  }

  /// What must never be acted on: another session, an older number, a tick that is not newer or was never sent.
  void oldFramesAreNotTaken() {
    Trial trial(
        [](FakeRig& rig) {
          const std::vector<double> bad(kInputs, 7.0);
          for (int k = 0; rig.await(FrameType::command); ++k) {
            const std::uint64_t tick = rig.last.first.tick;
            if (k % 2 == 0) {
              rig.session += 1;
              rig.say(FrameType::measurement, tick, bad);
              rig.session -= 1;
              rig.sequence -= 2;
              rig.say(FrameType::measurement, tick, bad);
              rig.sequence += 1;
            }
            rig.say(FrameType::measurement, tick, std::vector<double>(kInputs, 1e-3));
            rig.say(FrameType::measurement, tick, bad);
            rig.say(FrameType::measurement, tick + 50, bad);
          }
        },
        1000);
    (void)trial.tick();
    for (int k = 0; k < 50; ++k) {
      QVERIFY(trial.tick() == RigStatus::ok);
      QVERIFY(trial.read == std::vector<double>(kInputs, 1e-3));
    }
    QVERIFY(trial.device->link().out_of_order.load() >= 100);
  }

  void sequencesWrap() {
    Trial trial(
        [](FakeRig& rig) {
          for (const std::uint32_t sequence : {0x70000000u, 0xE0000000u, 0xFFFFFFF0u}) {
            rig.sequence = sequence;
            rig.say(FrameType::pong);
          }
          answerAll(rig, std::vector<double>(kInputs, 2e-3));
        },
        1000);
    (void)trial.tick();
    for (int k = 0; k < 40; ++k) QVERIFY(trial.tick() == RigStatus::ok);
    QCOMPARE(trial.device->link().out_of_order.load(), std::uint64_t{0});
  }

  void valuesThatAreNoNumbersAreStale() {
    Trial trial([](FakeRig& rig) {
      answerAll(rig, {1e-3, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 5.0});
    });
    QVERIFY(trial.tick() == RigStatus::ok);
    for (int k = 0; k < 20; ++k) QVERIFY(trial.tick() == RigStatus::stale);
    QVERIFY((trial.read == std::vector<double>{1e-3, 0.0, 0.0, 5.0}));
    QCOMPARE(trial.device->link().corrupt.load(), std::uint64_t{40});
  }

  void valuesOutsideTheirRangeAreClipped() {
    const ServedTwin served;
    DeviceChannels channels = servedChannels(false);
    channels.outputs[0].max = 1e-3;
    channels.outputs[0].min = -1e-3;
    const auto device = makeFramesDevice(patientConnection(served.address()), channels);
    device->open();
    std::vector<double> read(kInputs);
    for (std::uint64_t k = 0; k < 1000; ++k) {
      QVERIFY(device->read(read) == RigStatus::ok);
      QVERIFY(device->write(k, std::vector<double>{0.1, 0.0, 0.0, 0.0}) == RigStatus::ok);
      QVERIFY((device->status() & kDeviceCommandClipped) != 0);
    }
    QVERIFY(std::abs(read[0] - 1e-3) < 1e-6);
    QCOMPARE(device->link().clipped.load(), std::uint64_t{1000});
  }

  void aFloodIsTakenInPortions() {
    Trial trial(
        [](FakeRig& rig) {
          for (int k = 0; k < 20'000; ++k) rig.say(FrameType::pong);
          answerAll(rig, std::vector<double>(kInputs, 3e-3));
        },
        1'000'000);
    QVERIFY(trial.reaches(RigStatus::ok));
    QTRY_VERIFY_WITH_TIMEOUT(((void)trial.tick(), trial.read[0] == 3e-3), kHangs_ms);
    QVERIFY(trial.device->link().received.load() >= 20'000);
  }

  // The rig by itself.

  void theRigStopsWhenCommandsCease() {
    const ServedTwin served;
    ConnectionSpec connection = patientConnection(served.address());
    std::get<FramesSpec>(connection.protocol) = {.timeout_ticks = 10'000, .silence_s = 0.2, .ramp_s = 0.1};
    const auto device = makeFramesDevice(connection, servedChannels(true));
    device->open();
    QTRY_COMPARE_WITH_TIMEOUT(served.state(), RigServer::State::armed, kHangs_ms);
    std::vector<double> read(kInputs);
    (void)device->write(0, std::vector<double>{1e-3, 0.0, 0.0, 0.0});
    QTRY_COMPARE_WITH_TIMEOUT(served.state(), RigServer::State::stopped, kHangs_ms);
    QVERIFY2(served.said("no command for 0.2 s") && served.said("ramped to zero"), served.log().c_str());
    QTRY_VERIFY_WITH_TIMEOUT(device->read(read) == RigStatus::fault, kHangs_ms);
    QVERIFY2(has(device->failure(), "no command for 0.2 s"), device->failure().c_str());
    QVERIFY(device->write(1, zeros()) == RigStatus::fault);
    // Greeting and arming lead back.
    device->open();
    QTRY_COMPARE_WITH_TIMEOUT(served.state(), RigServer::State::armed, kHangs_ms);
  }

  void safeActions_data() {
    QTest::addColumn<int>("action");
    QTest::addColumn<QString>("words");
    QTest::newRow("hold") << static_cast<int>(SafeAction::hold) << "holding the last command";
    QTest::newRow("ramp") << static_cast<int>(SafeAction::ramp) << "ramped to zero";
    QTest::newRow("off") << static_cast<int>(SafeAction::off) << "powered off";
  }
  /// A bench that vanishes is a bench that says stop.
  void safeActions() {
    QFETCH(int, action);
    QFETCH(QString, words);
    const ServedTwin served;
    const auto port = openPort(parseAddress(served.address(), ""), {}, 20.0);
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
    // Not newer, another session, not a number: no answer. Then a good one.
    QVERIFY(link.send({.type = FrameType::command, .tick = 5}, command));
    const std::uint32_t session = link.session;
    link.session = session + 1;
    QVERIFY(link.send({.type = FrameType::command, .tick = 6}, command));
    link.session = session;
    std::vector<std::uint8_t> nan = command;
    putValue(nan.data(), std::numeric_limits<double>::quiet_NaN());
    QVERIFY(link.send({.type = FrameType::command, .tick = 7}, nan));
    QVERIFY(link.send({.type = FrameType::command, .tick = 8}, command));
    QVERIFY(await(FrameType::measurement));
    QCOMPARE(frame.header.tick, std::uint64_t{8});
    const std::vector<std::uint8_t> garbage(100, 0xEE);  // ends the session
    QVERIFY(port->writeAll(garbage, 1s));
    QTRY_VERIFY2_WITH_TIMEOUT(served.said(words.toStdString()), served.log().c_str(), kHangs_ms);
    QTRY_COMPARE_WITH_TIMEOUT(served.state(), RigServer::State::listening, kHangs_ms);
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
    ConnectionSpec connection = patientConnection(served.address());
    // Only a cut cable is to be silent for so long.
    if (fault.kind == FaultKind::link_loss) std::get<FramesSpec>(connection.protocol).timeout_ticks = 400;
    const auto device = makeFramesDevice(connection, servedChannels(true));
    device->open();
    std::vector<double> read(kInputs);
    std::uint64_t k = 0;
    RigStatus status = RigStatus::ok;
    const auto ticks = [&](const std::function<bool()>& done) {
      return comesTrue([&] {
        status = device->read(read);
        (void)device->write(k++, zeros());
        return done();
      });
    };
    const LinkFigures& link = device->link();
    QVERIFY(ticks([&] { return link.received.load() > 20; }));
    QVERIFY(device->inject(fault, true));
    const bool tcp = listen.startsWith("tcp");
    if (fault.kind == FaultKind::link_loss || (fault.kind == FaultKind::corruption && tcp)) {
      QVERIFY(ticks([&] { return status == RigStatus::link_lost; }));
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
      if (listen.startsWith("serial")) std::get<FramesSpec>(connection.protocol).silence_s = 1.0;
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
        QVERIFY(port->writeAll(link.seal({.type = type}, bytes), std::chrono::seconds(20)));
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
};

HYB_SUITE(frames_device, FramesDeviceTest)
#include "frames_device_test.moc"
