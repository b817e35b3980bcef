/// What a rig server does not do, whoever asks for it.
#include <cfloat>

#include "core/base/allocation_guard.h"
#include "tests/hardware/frames_support.h"
#include "tests/support/hand_bench.h"
#include "tests/support/obedient_rig.h"
#include "tests/support/set_clock.h"
#include "tests/support/tapped_line.h"

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

const Bytes32 kKey{7, 7, 7}, kOtherKey{8};

void withKey(RigServerSpec& spec) { spec.key = kKey; }

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
    bench.command(104, {30e-3, 0.0, 0.0, 0.0});
    QVERIFY(bench.await(FrameType::event));
    QVERIFY(has(readMessage(text(bench.frame)), "command_1 would step in one tick by 1.4"));
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

  // Connecting is looking.

  /// Whoever only reads arms nothing; the first command does, and is answered.
  void connectingDoesNotArm_data() {
    QTest::addColumn<QString>("listen");
    QTest::addColumn<bool>("paced");
    for (const char* listen : {"tcp://127.0.0.1:0", "serial:pty"})
      for (const bool paced : {false, true})
        QTest::addRow("%s, %s", listen, paced ? "paced" : "free") << listen << paced;
  }
  void connectingDoesNotArm() {
    QFETCH(QString, listen);
    QFETCH(bool, paced);
    Served served(listen.toStdString());
    ConnectionSpec connection = patientConnection(served.server.address());
    Change<FramesSpec>(connection)->safe_action = SafeAction::hold;  // a ramp would take time, and the clock stands
    const auto device = makeFramesDevice(connection, servedChannels(paced));
    device->open();
    std::vector<double> read(kInputs, 99.0);
    int fresh = 0;
    QVERIFY(comesTrue([&] {
      fresh += device->read(read) == RigStatus::ok ? 1 : 0;
      return fresh >= 20;
    }));
    QVERIFY(read == std::vector<double>(kInputs, 0.0));
    QCOMPARE(served.server.state(), RigServer::State::greeted);
    QVERIFY2(!served.server.said("armed"), served.server.log().c_str());
    QCOMPARE(served.path->writes.load(), std::uint64_t{0});
    std::uint64_t tick = 0;
    QVERIFY(comesTrue([&] {
      (void)device->read(read);
      (void)device->write(tick++, std::vector<double>{1e-4, 0.0, 0.0, 0.0});
      return read[0] == 1e-4;
    }));
    QCOMPARE(served.server.state(), RigServer::State::armed);
    QVERIFY(served.server.said("taking commands"));
    QCOMPARE(device->failure(), std::string());
    QCOMPARE(device->link().errors(), std::uint64_t{0});
  }

  /// A rig that will not be armed says why, and the bench sends no more.
  void aRigThatIsNotArmedSaysWhy() {
    FakeRig rig([](FakeRig& fake) {
      if (!fake.await(FrameType::hello)) return;
      Welcome welcome;
      welcome.accepted = readHello(fake.last.second);
      welcome.positions.assign(welcome.accepted.commands.size(), 0.0);
      fake.sayText(FrameType::welcome, writeWelcome(welcome));
      for (;;) {
        fake.last = fake.next();
        if (fake.last.first.type == FrameType::bye) return;
        if (fake.last.first.type == FrameType::hold) fake.say(FrameType::measurement, fake.last.first.tick, zeros());
        if (fake.last.first.type == FrameType::arm)
          fake.sayText(FrameType::refuse, writeRefusal({"/positions/0", "is 5 mm away from where command_1 stands."}));
      }
    });
    auto device = makeFramesDevice(patientConnection(rig.address()), servedChannels(true));
    device->open();
    std::vector<double> read(kInputs);
    std::uint64_t tick = 0;
    QVERIFY(comesTrue([&] {
      (void)device->read(read);
      return device->write(tick++, zeros()) == RigStatus::fault;
    }));
    QVERIFY2(has(device->failure(), "5 mm away from where command_1 stands"), device->failure().c_str());
    device.reset();
  }

  /// A rig of an older version has to be armed to be read: it is told so, and not armed.
  void olderRigsAreNotArmedToBeRead() {
    FakeRig rig([](FakeRig& fake) {
      if (!fake.await(FrameType::hello)) return;
      Welcome welcome;
      welcome.accepted = readHello(fake.last.second);
      welcome.accepted.version = 1;
      welcome.positions.assign(welcome.accepted.commands.size(), 0.0);
      fake.sayText(FrameType::welcome, writeWelcome(welcome));
      QVERIFY(!fake.await(FrameType::arm));
    });
    QVERIFY(has(openingFails(patientConnection(rig.address())), "speaks version 1 of the rig protocol"));
  }

  // Who may move it.

  void otherComputers_data() {
    QTest::addColumn<QString>("listen");
    QTest::addColumn<bool>("key");
    QTest::addColumn<bool>("trusts");
    QTest::addColumn<bool>("serves");
    for (const char* listen : {"tcp://0.0.0.0:0", "tcp://[::]:0"}) {
      QTest::addRow("%s", listen) << listen << false << false << false;
      QTest::addRow("%s, key", listen) << listen << true << false << true;
      QTest::addRow("%s, trusted", listen) << listen << false << true << true;
    }
    for (const char* listen : {"tcp://127.0.0.1:0", "tcp://127.3.2.1:0", "tcp://localhost:0", "serial:pty"})
      QTest::addRow("%s", listen) << listen << false << false << true;
  }
  void otherComputers() {
    QFETCH(QString, listen);
    QFETCH(bool, key);
    QFETCH(bool, trusts);
    QFETCH(bool, serves);
    std::string said;
    try {
      const Served served(listen.toStdString(), 5.0, [&](RigServerSpec& spec) {
        if (key) spec.key = kKey;
        spec.trust_network = trusts;
      });
    } catch (const InputError& error) {
      said = error.issues().front().where + " " + error.issues().front().message;
    } catch (const DeviceError& error) {
      if (listen.contains("::")) HYB_SKIP("this machine has no IPv6");
      said = error.what();
    }
    QCOMPARE(said.empty(), serves);
    for (const char* words : {"--listen", "move the rig", "--key-file", "--new-key", "--trust-network", "127.0.0.1"})
      QVERIFY2(serves || has(said, words), said.c_str());
  }

  void benchesWithoutTheKey() {
    QTemporaryDir folder;
    const std::filesystem::path right(folder.filePath("right.key").toStdString()),
        wrong(folder.filePath("wrong.key").toStdString());
    makeKeyFile(right);
    makeKeyFile(wrong);
    const Bytes32 key = readKeyFile(right);
    Served served("tcp://127.0.0.1:0", 1e6, [&](RigServerSpec& spec) { spec.key = key; });
    ConnectionSpec connection = patientConnection(served.server.address());
    QVERIFY(openingFails(connection).starts_with("/rig/connection/key_file: is missing"));
    Change<FramesSpec>(connection)->key_file = wrong;
    QVERIFY2(has(openingFails(connection), "the key of the rig differs from"), openingFails(connection).c_str());
    Change<FramesSpec>(connection)->key_file = right;
    QCOMPARE(openingFails(connection), std::string("opened"));
    Change<FramesSpec>(connection)->key_file = folder.filePath("none.key").toStdString();
    QVERIFY(has(openingFails(connection), "none.key"));
    // A rig without a key does not get away with it: it could be anybody.
    const ServedTwin open;
    connection.address = open.address();
    Change<FramesSpec>(connection)->key_file = right;
    QVERIFY(has(openingFails(connection), "does not use the key"));
  }

  /// A test with a key over a real connection; a tick still allocates nothing.
  void benchesWithTheKey() {
    QTemporaryDir folder;
    const std::filesystem::path file(folder.filePath("a.key").toStdString());
    makeKeyFile(file);
    const Bytes32 key = readKeyFile(file);
    for (const char* listen : {"tcp://127.0.0.1:0", "serial:pty"}) {
      Served served(listen, 1e6, [&](RigServerSpec& spec) { spec.key = key; });
      ConnectionSpec connection = patientConnection(served.server.address());
      Change<FramesSpec>(connection)->key_file = file;
      Change<FramesSpec>(connection)->safe_action = SafeAction::hold;
      const auto device = makeFramesDevice(connection, servedChannels(false));
      device->open();
      std::vector<double> read(kInputs), out(4, 0.0);
      const AllocationGuard guard;
      for (std::uint64_t tick = 0; tick < 100; ++tick) {
        if (device->read(read) != RigStatus::ok) break;
        out[0] = 1e-5 * static_cast<double>(tick);
        (void)device->write(tick, out);
      }
      QCOMPARE(guard.count(), std::uint64_t{0});
      QVERIFY(device->read(read) == RigStatus::ok);
      QCOMPARE(read[0], 98e-5);
      QCOMPARE(device->failure(), std::string());
      device->close();
      if (QString(listen).startsWith("tcp"))
        QTRY_COMPARE_WITH_TIMEOUT(served.server.state(), RigServer::State::listening, kHangs_ms);
      QVERIFY2(!served.server.said("refused"), served.server.log().c_str());
    }
  }

  /// What a stranger wrote down of a real session moves nothing when it is said again.
  void aRecordedSessionIsRefused() {
    QTemporaryDir folder;
    const std::filesystem::path file(folder.filePath("a.key").toStdString());
    makeKeyFile(file);
    const Bytes32 key = readKeyFile(file);
    Served served("tcp://127.0.0.1:0", 1e6, [&](RigServerSpec& spec) { spec.key = key; });
    TappedLine tap(served.server.address());
    ConnectionSpec connection = patientConnection(tap.address());
    Change<FramesSpec>(connection)->key_file = file;
    const auto device = makeFramesDevice(connection, servedChannels(false));
    device->open();
    std::vector<double> read(kInputs);
    for (std::uint64_t tick = 0; tick < 50; ++tick) {
      QVERIFY(device->read(read) == RigStatus::ok);
      QVERIFY(device->write(tick, std::vector<double>{1e-5 * static_cast<double>(tick), 0.0, 0.0, 0.0}) ==
              RigStatus::ok);
    }
    device->close();
    tap.end();
    QTRY_COMPARE_WITH_TIMEOUT(served.server.state(), RigServer::State::listening, kHangs_ms);
    const std::uint64_t moved = served.path->writes;
    const auto armings = [&] {
      const std::string log = served.server.log();
      std::size_t count = 0;
      for (std::size_t at = log.find("taking commands"); at != std::string::npos;
           at = log.find("taking commands", at + 1))
        ++count;
      return count;
    };
    QVERIFY(moved > 0 && armings() == 1);
    HandBench stranger(served.server.address());
    stranger.put(tap.heard());
    QVERIFY(stranger.await(FrameType::challenge));
    QVERIFY(stranger.await(FrameType::refuse));
    QVERIFY2(has(readRefusal(text(stranger.frame)).message, "recorded session"), served.server.log().c_str());
    QTRY_COMPARE_WITH_TIMEOUT(served.server.state(), RigServer::State::listening, kHangs_ms);
    QCOMPARE(served.path->writes.load(), moved);
    QCOMPARE(armings(), std::size_t{1});
  }

  /// Within a session, too: what comes twice is passed over, what is altered or was never sealed ends it.
  void framesOfALiveSession_data() {
    QTest::addColumn<QString>("what");
    for (const char* what : {"twice", "altered", "plain", "stranger", "sent back"}) QTest::newRow(what) << what;
  }
  void framesOfALiveSession() {
    QFETCH(QString, what);
    Served served("tcp://127.0.0.1:0", 1e6, withKey);
    HandBench bench(served.server.address());
    QVERIFY(bench.authenticate(kKey) && bench.greetAndArm(HandBench::hello(holding(0.1))));
    const std::vector<std::uint8_t> first = bench.sealedCommand(1, {1e-4, 0.0, 0.0, 0.0});
    bench.put(first);
    QVERIFY(bench.await(FrameType::measurement));
    bench.command(2, {2e-4, 0.0, 0.0, 0.0});
    QVERIFY(bench.await(FrameType::measurement));
    std::vector<std::uint8_t> bytes = first;
    if (what == "altered") {
      putValue(&bytes[kFrameHeader], 3e-4);
      const std::uint32_t crc = crc32c(std::span(bytes).first(bytes.size() - kFrameCrc));
      for (std::size_t b = 0; b < 4; ++b) bytes[bytes.size() - 4 + b] = static_cast<std::uint8_t>(crc >> (8 * b));
    }
    const auto made = [&](FrameAuth* auth) {
      bytes.resize(kMaxFrame);
      FrameHeader header{.type = FrameType::command, .sequence = 1000, .tick = 3, .session = bench.link().session};
      bytes.resize(encodeFrame(header, std::vector<std::uint8_t>(32, 0), bytes, auth));
    };
    FrameAuth stranger(kOtherKey, Bytes32{}, Bytes32{}, FrameAuth::Side::bench);
    if (what == "plain") made(nullptr);
    if (what == "stranger") made(&stranger);
    FrameAuth mirror(kKey, Bytes32{}, Bytes32{}, FrameAuth::Side::rig);
    if (what == "sent back") made(&mirror);
    bench.put(bytes);
    if (what == "twice") {
      bench.say(FrameType::ping, std::string(8, '\0'));
      QVERIFY(bench.await(FrameType::pong));
      QCOMPARE(served.server.state(), RigServer::State::armed);
    } else {
      QVERIFY(has(bench.lastWords(), "not sealed with the key"));
    }
    QCOMPARE(served.path->now()[0], 2e-4);
  }

  /// A bench that begins anew on the same serial line is asked for the key again.
  void aKeyOverASerialLine() {
    Served served("serial:pty", 5.0, withKey);
    HandBench bench(served.server.address());
    QVERIFY(bench.authenticate(kKey) && bench.greetAndArm());
    bench.link().auth.reset();  // as a new program
    QVERIFY(bench.authenticate(kKey) && bench.greetAndArm());
    bench.link().auth.reset();
    bench.say(FrameType::stop);  // a stranger's
    served.clock.pass(5.1);
    QTRY_COMPARE_WITH_TIMEOUT(served.server.state(), RigServer::State::listening, kHangs_ms);
    QVERIFY(!served.server.said("the bench said stop"));
  }

  /// Whoever has not shown the key gets neither answers nor more time.
  void strangersAreNotAnswered() {
    Served served("tcp://127.0.0.1:0", 5.0, withKey);
    HandBench stranger(served.server.address());
    Hello asks = HandBench::hello();
    asks.nonce = Bytes32{1};
    QTRY_VERIFY_WITH_TIMEOUT(served.server.said("connected"), kHangs_ms);
    for (int k = 0; k < 4; ++k) {
      stranger.say(FrameType::ping, std::string(8, '\0'));
      stranger.say(FrameType::arm, writeArm(zeros()));
      stranger.say(FrameType::hello, writeHello(asks));
      QVERIFY(stranger.await(FrameType::challenge));
      served.clock.pass(1.0);
    }
    served.clock.pass(1.1);
    for (auto got = FrameLink::Got::frame; got != FrameLink::Got::ended;) {
      got = stranger.link().receive(stranger.frame);
      QVERIFY(got != FrameLink::Got::frame || stranger.frame.header.type == FrameType::bye);
      if (got == FrameLink::Got::nothing) stranger.port().waitReadable(50ms);
    }
    QVERIFY(!served.server.said("armed"));
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
