/// What a rig server does not do, whoever asks for it.
#include <cfloat>

#include "tests/hardware/frames_support.h"
#include "tests/support/hand_bench.h"
#include "tests/support/obedient_rig.h"
#include "tests/support/set_clock.h"

using namespace hyb;
using namespace hyb::test;
using namespace std::chrono_literals;

namespace {

constexpr double kStep_m = 1e-3, kSpeed_m_per_s = 0.5;  // of the bounds: 0.5 mm a tick
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

/// An obedient rig behind a server, at a clock that stands.
struct Served {
  explicit Served(const std::string& listen = "tcp://127.0.0.1:0", double place_s = 1e6,
                  const std::function<void(RigServerSpec&)>& change = {})
      : server(
            listen, {}, rigChannels({}, 2), std::make_unique<ObedientRig>(path), [this] { ++turns; }, {}, clock,
            [&](RigServerSpec& spec) {
              spec.bounds.assign(2, {kStep_m, kSpeed_m_per_s, "m", "m/s"});
              spec.place_s = place_s;
              if (change) change(spec);
            }) {}
  /// What had come has been dealt with, and the clock looked at.
  bool twoTurns() {
    const int from = turns;
    return comesTrue([&] { return turns >= from + 2; });
  }
  SetClock clock;
  std::shared_ptr<TruePath> path = std::make_shared<TruePath>();
  std::atomic<int> turns{0};
  ServedTwin server;
};

FramesSpec holding(double silence_s) { return {.silence_s = silence_s, .safe_action = SafeAction::hold}; }

}  // namespace

class RigServerTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { requirePseudoTerminals(); }

  // Bounds of its own.

  void commandsBeyondItsBounds_data() {
    QTest::addColumn<int>("output");
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("words");
    QTest::newRow("a step") << 0 << 0.015 << "command_1 would step in one tick by 15 mm; this rig allows 1 mm";
    QTest::newRow("backwards") << 1 << -0.002 << "command_2 would step in one tick by 2 mm; this rig allows 1 mm";
    QTest::newRow("speed") << 0 << 0.8e-3 << "command_1 would move at 0.8 m/s; this rig allows 0.5 m/s";
    QTest::newRow("rate") << 2 << 0.6 << "command_rate_1 is 0.6 m/s; this rig allows 0.5 m/s";
    QTest::newRow("NaN") << 0 << kNaN << "command_1 is not a number";
    QTest::newRow("rate NaN") << 3 << kNaN << "command_rate_2 is not a number";
    for (const double sign : {1.0, -1.0}) {
      QTest::addRow("infinite, %g", sign) << 0 << sign * kInfinity << "command_1 is infinite";
      QTest::addRow("largest, %g", sign) << 1 << sign * DBL_MAX << "command_2 would step in one tick by";
      for (int power = -2; power <= 300; power += power < 6 ? 2 : 49)
        QTest::addRow("%g", sign * std::pow(10.0, power))
            << 0 << sign * std::pow(10.0, power) << "command_1 would step in one tick by";
    }
  }
  /// Not followed, not even to the end of the range: the rig stops by itself from where it was, and says why.
  void commandsBeyondItsBounds() {
    QFETCH(int, output);
    QFETCH(double, value);
    QFETCH(QString, words);
    Served served;
    HandBench bench(served.server.address());
    QVERIFY(bench.greetAndArm(HandBench::hello(holding(0.1))));
    std::vector<double> command(4, 0.0);
    for (std::uint64_t tick = 1; tick <= 3; ++tick) {  // at the bound: followed
      command[0] += kSpeed_m_per_s / kServedRate_hz;
      command[1] -= kSpeed_m_per_s / kServedRate_hz;
      bench.command(tick, command);
      QVERIFY(bench.await(FrameType::measurement));
    }
    const Eigen::Vector2d stood = served.path->now();
    QVERIFY((stood - Eigen::Vector2d(1.5e-3, -1.5e-3)).norm() < 1e-12);
    const auto o = static_cast<std::size_t>(output);
    command[o] = output < 2 ? command[o] + value : value;
    bench.command(4, command);
    QVERIFY(bench.await(FrameType::event));
    QVERIFY2(has(readMessage(text(bench.frame)), "stopped: " + words.toStdString()), qPrintable(words));
    QVERIFY(bench.await(FrameType::stopped));
    QCOMPARE(served.server.state(), RigServer::State::stopped);
    QVERIFY(served.path->now() == stood);
    bench.command(5, std::vector<double>(4, 0.0));  // final
    QVERIFY(bench.await(FrameType::stopped));
    QVERIFY(served.path->now() == stood);
  }

  /// The first command counts from where the rig stands.
  void theFirstCommandIsBoundedToo() {
    Served served;
    HandBench bench(served.server.address());
    QVERIFY(bench.greetAndArm());
    bench.command(1, {2e-3, 0.0, 0.0, 0.0});
    QVERIFY(bench.await(FrameType::event));
    QVERIFY(has(readMessage(text(bench.frame)), "command_1 would step in one tick by 2 mm"));
    QCOMPARE(served.path->writes.load(), std::uint64_t{0});
  }

  void jumpingTicks_data() {
    QTest::addColumn<double>("silence_s");
    QTest::addColumn<std::uint64_t>("jump");
    QTest::addColumn<bool>("taken");
    QTest::newRow("within the silence") << 0.1 << std::uint64_t{100} << true;
    QTest::newRow("beyond it") << 0.1 << std::uint64_t{101} << false;
    QTest::newRow("within a second") << 10.0 << std::uint64_t{1000} << true;
    QTest::newRow("beyond a second") << 10.0 << std::uint64_t{1001} << false;
    QTest::newRow("by 9.9 s") << 10.0 << std::uint64_t{9900} << false;
    QTest::newRow("to the end") << 10.0 << ~std::uint64_t{0} - 1 << false;
  }
  void jumpingTicks() {
    QFETCH(double, silence_s);
    QFETCH(std::uint64_t, jump);
    QFETCH(bool, taken);
    Served served;
    HandBench bench(served.server.address());
    QVERIFY(bench.greetAndArm(HandBench::hello(holding(silence_s))));
    bench.command(1, std::vector<double>(4, 0.0));
    QVERIFY(bench.await(FrameType::measurement));
    bench.command(1 + jump, std::vector<double>(4, 0.0));
    if (taken) {
      QVERIFY(bench.await(FrameType::measurement));
      QCOMPARE(bench.frame.header.tick, 1 + jump);
      return;
    }
    QVERIFY(bench.await(FrameType::event));
    const std::string said = readMessage(text(bench.frame));
    QVERIFY2(has(said, "tick of a command jumps by " + std::to_string(jump) + " periods"), said.c_str());
  }

  /// Ticks that jump while no time passes allow no longer step.
  void aJumpIsNoWayRoundTheBounds() {
    Served served;
    HandBench bench(served.server.address());
    QVERIFY(bench.greetAndArm(HandBench::hello(holding(1.0))));
    bench.command(1, std::vector<double>(4, 0.0));
    QVERIFY(bench.await(FrameType::measurement));
    served.clock.pass(3.0 / kServedRate_hz);
    bench.command(4, {3 * 0.5e-3, 0.0, 0.0, 0.0});  // three periods late
    QVERIFY(bench.await(FrameType::measurement));
    bench.command(104, {10e-3, 0.0, 0.0, 0.0});
    QVERIFY(bench.await(FrameType::event));
    QVERIFY(has(readMessage(text(bench.frame)), "command_1 would step in one tick by 8.5 mm"));
  }

  // Silence.

  void aSilentBenchLosesItsPlace_data() {
    QTest::addColumn<QString>("listen");
    QTest::addColumn<bool>("arms");
    for (const char* listen : {"tcp://127.0.0.1:0", "serial:pty"})
      for (const bool arms : {false, true})
        QTest::addRow("%s, %s", listen, arms ? "armed" : "greeted") << listen << arms;
  }
  void aSilentBenchLosesItsPlace() {
    QFETCH(QString, listen);
    QFETCH(bool, arms);
    const double place_s = RigServerSpec{}.place_s;
    QCOMPARE(place_s, 5.0);  // what the help says
    Served served(listen.toStdString(), place_s);
    std::optional<HandBench> one(std::in_place, served.server.address());
    HandBench& bench = *one;
    QVERIFY(arms ? bench.greetAndArm() : bench.greet());
    const RigServer::State state = arms ? RigServer::State::armed : RigServer::State::greeted;
    for (int k = 0; k < 3; ++k) {  // it keeps it by any word
      served.clock.pass(place_s);
      QVERIFY(served.twoTurns());
      QCOMPARE(served.server.state(), state);
      bench.say(FrameType::ping, std::string(8, '\0'));
      QVERIFY(bench.await(FrameType::pong));
    }
    served.clock.pass(place_s);
    QVERIFY(served.twoTurns());
    QCOMPARE(served.server.state(), state);
    served.clock.pass(1e-3);
    QTRY_COMPARE_WITH_TIMEOUT(served.server.state(), RigServer::State::listening, kHangs_ms);
    QVERIFY2(served.server.said("the bench was silent for 5 s and lost its place"), served.server.log().c_str());
    QVERIFY(bench.await(FrameType::event));
    QVERIFY(bench.await(FrameType::bye));
    one.reset();  // a serial line has one user
    HandBench next(served.server.address());
    QVERIFY(next.greetAndArm());
  }

  void whoNeverGreetsLosesItToo() {
    Served served("tcp://127.0.0.1:0", 5.0);
    HandBench bench(served.server.address());
    QTRY_VERIFY_WITH_TIMEOUT(served.server.said("connected"), kHangs_ms);
    for (int k = 0; k < 6; ++k) {
      bench.say(FrameType::ping, std::string(8, '\0'));
      QVERIFY(bench.await(FrameType::pong));
      served.clock.pass(1.0);
    }
    QCOMPARE(bench.lastWords(), std::string());
  }

  /// In set-up, where nothing moves, the bench keeps its place by itself.
  void aQuietBenchKeepsItsPlace() {
    Served served("tcp://127.0.0.1:0", 5.0);
    const auto device = makeFramesDevice(patientConnection(served.server.address()), servedChannels(true));
    device->open();
    std::vector<double> read(kInputs);
    for (int second = 0; second < 20; ++second) {
      const std::uint64_t heard = device->link().received.load();
      QVERIFY(comesTrue([&] {
        (void)device->read(read);
        return device->link().received.load() > heard;
      }));
      served.clock.pass(1.0);
      QVERIFY(served.server.state() == RigServer::State::greeted || served.server.state() == RigServer::State::armed);
    }
  }

  // Damage on the way.

  void damagedFramesOverTcp() {
    Served served;
    HandBench bench(served.server.address());
    QVERIFY(bench.greetAndArm(HandBench::hello(holding(0.1))));
    bench.command(1, std::vector<double>(4, 0.0));
    QVERIFY(bench.await(FrameType::measurement));
    bench.damagedCommand(2, std::vector<double>(4, 1e-4));
    bench.command(3, std::vector<double>(4, 1e-4));  // cannot be told from the damage any more
    const std::string words = bench.lastWords();
    QVERIFY2(has(words, "stopped: 1 damaged frame came from the bench (wrong checksum)"), words.c_str());
    QVERIFY2(served.server.said("1 damaged frame") && !served.server.said("the bench closed the connection"),
             served.server.log().c_str());
  }

  void damagedFramesOverASerialLine() {
    Served served("serial:pty");
    HandBench bench(served.server.address());
    QVERIFY(bench.greetAndArm(HandBench::hello(holding(0.1))));
    bench.command(1, std::vector<double>(4, 0.0));
    QVERIFY(bench.await(FrameType::measurement));
    for (std::uint64_t tick = 2; tick <= 4; ++tick) bench.damagedCommand(tick, std::vector<double>(4, 1e-4));
    bench.say(FrameType::ping, std::string(8, '\0'));
    QVERIFY(bench.await(FrameType::pong));
    served.clock.pass(0.11);
    QVERIFY(bench.await(FrameType::event));
    const std::string words = readMessage(text(bench.frame));
    QVERIFY2(has(words, "no command for 0.1 s; 3 damaged frames came from the bench (wrong checksum)"), words.c_str());
  }

  /// The bench's own failure() says it.
  void theBenchIsToldOfDamage() {
    Trial trial([](FakeRig& rig) {
      (void)rig.await(FrameType::command);
      rig.sayText(FrameType::event, writeMessage("stopped: 1 damaged frame came from the bench (wrong checksum)"));
      rig.say(FrameType::stopped);
      rig.say(FrameType::bye);
      (void)rig.await(FrameType::bye);
    });
    QVERIFY(trial.reaches(RigStatus::link_lost));
    QVERIFY2(has(trial.device->failure(), "1 damaged frame"), trial.device->failure().c_str());
  }
};

HYB_SUITE(rig_server, RigServerTest)
HYB_THREADS(rig_server)
#include "rig_server_test.moc"
