/// The driver of the rig protocol against rigs that misbehave.
#include "hardware/frames_device.h"

#include <atomic>

#include "tests/hardware/frames_support.h"

using namespace hyb;
using namespace hyb::test;
using namespace std::chrono_literals;

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
                                           << "is invalid";
    QTest::newRow("refuses without sense") << "refuse 7"
                                           << "without a readable reason";
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
    QVERIFY(trial.begins());
    for (int k = 1; k < 4; ++k) QVERIFY(trial.tick() == RigStatus::stale);
    QVERIFY(trial.tick() == RigStatus::link_lost);
    QVERIFY(trial.tick() == RigStatus::link_lost);
    for (const char* words : {" ms, \"Link timeout\" allows 5 ticks", "Check that the rig is running"})
      QVERIFY2(has(trial.device->failure(), words), trial.device->failure().c_str());
    QCOMPARE(trial.device->link().lost.load(), std::uint64_t{5});
  }

  /// In real time the sentence gives the time-out in milliseconds, what the link needs, and the field.
  void theTimeOutSaysWhatWouldDo() {
    Trial trial([](FakeRig& rig) { (void)rig.await(FrameType::bye); }, 3, true);
    QVERIFY(trial.begins());
    QVERIFY(trial.reaches(RigStatus::link_lost));
    const std::string said = trial.device->failure();
    for (const char* words : {"\"Link timeout\" allows 3 ticks (3 ms)", "set \"Link timeout\" to "})
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
    constexpr int kAnswered = 20;
    Trial trial([](FakeRig& rig) {
      for (int k = 0; k < kAnswered && rig.await(FrameType::command); ++k)
        rig.say(FrameType::measurement, rig.last.first.tick, zeros());
    });
    for (int k = 0; k < kAnswered; ++k) QVERIFY(trial.tick() == RigStatus::ok);
    // With the last answer or instead of the next one; none that is stale lies between.
    const RigStatus last = trial.tick();
    QVERIFY(last == RigStatus::link_lost || (last == RigStatus::ok && trial.tick() == RigStatus::link_lost));
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
    const std::string why = trial.device->failure();
    QVERIFY2(has(why, "a frame arrived damaged (checksum)") && has(why, "1 damaged frame came from it"), why.c_str());
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

  /// More frames than are taken at a time do not hide the answer behind them: in free run it is not waited for again.
  void aFloodIsTakenInPortions() {
    constexpr int kFlood = 1000;
    std::atomic<bool> sent{false};
    Trial trial([&sent](FakeRig& rig) {
      (void)rig.await(FrameType::command);
      for (int k = 0; k < kFlood; ++k) rig.say(FrameType::pong);
      rig.say(FrameType::measurement, rig.last.first.tick, std::vector<double>(kInputs, 3e-3));
      sent = true;
      (void)rig.await(FrameType::bye);
    });
    (void)trial.tick();
    QVERIFY(comesTrue([&sent] { return sent.load(); }));
    QVERIFY(trial.tick() == RigStatus::ok);
    QCOMPARE(trial.read[0], 3e-3);
    QVERIFY(trial.device->link().received.load() > kFlood);
  }
};

HYB_SUITE(frames_device, FramesDeviceTest)
HYB_THREADS(frames_device)
#include "frames_device_test.moc"
