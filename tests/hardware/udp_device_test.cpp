#include "hardware/udp_device.h"

#include <array>
#include <cmath>

#include "core/base/allocation_guard.h"
#include "core/base/error.h"
#include "core/rig/device_channels.h"
#include "hardware/udp_transit.h"
#include "tests/support/change_protocol.h"
#include "tests/support/set_clock.h"
#include "tests/support/suite.h"
#include "tests/support/udp_target.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Head = DatagramLayout::Head;

/// A device with its target; both in the thread of the test. Times are those of a clock that stands.
struct UdpBench {
  explicit UdpBench(const std::function<void(UdpSpec&)>& change = {}, bool paced = true) : rig(udpRig(target.port())) {
    if (change) change(*Change<UdpSpec>(rig.connection).operator->());
    target.use(rig);
    DeviceChannels channels = deviceChannels(rig.channels, 1000.0);
    channels.paced = paced;
    channels.answer_wait_s = 1e-3 * kHangs_ms;
    device = makeUdpDevice(rig, channels, clock);
  }
  void open() { target.open(*device); }
  RigStatus read() { return device->read(inputs); }
  RigStatus write(double command) { return device->write(tick++, std::span<const double>(&command, 1)); }
  /// A command and its answer, heard by both sides.
  bool exchange(double command) {
    if (write(command) != RigStatus::ok || !target.hear() || target.commands[0] != command) return false;
    target.say(target.answer(), {command, -1000.0 * command});
    return comesTrue([&] { return read() == RigStatus::ok && inputs[0] == command; });
  }
  /// Reads until the counter has this value.
  bool counts(const std::atomic<std::uint64_t>& counter, std::uint64_t value) {
    return comesTrue([&] {
      (void)read();
      return counter.load() == value;
    });
  }
  const LinkFigures& link() const { return device->link(); }
  bool failureNames(const char* words) const { return device->failure().find(words) != std::string::npos; }

  UdpTarget target;
  RigSpec rig;
  SetClock clock;
  std::unique_ptr<Device> device;
  std::array<double, 2> inputs{};
  std::uint64_t tick = 0;
};

/// Long time-outs: a busy machine must not end the link while a test waits for a datagram.
void patient(UdpSpec& spec) { spec.timeout_ticks = 100'000; }

}  // namespace

class UdpDeviceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void askingEnablesNothing() {
    UdpBench bench(patient);
    bench.open();
    QVERIFY(!bench.target.head.enable);
    QVERIFY(bench.read() != RigStatus::link_lost);
    QVERIFY(bench.target.hear());
    QVERIFY(!bench.target.head.enable);
    QCOMPARE(bench.target.commands[0], 0.0);
    QVERIFY(bench.exchange(0.25));
    QVERIFY(bench.target.head.enable);
    QCOMPARE(bench.inputs[1], -250.0);
  }

  /// Round trips by the echo, before the first command as well.
  void roundTripsAreMeasuredBeforeArming() {
    UdpBench bench(patient);
    bench.open();
    const double before = bench.link().roundTripNs(1.0);
    QVERIFY(before > 0.0);
    (void)bench.read();
    QVERIFY(bench.target.hear());
    bench.clock.pass(0.01);
    bench.target.say(bench.target.answer());
    QVERIFY(comesTrue([&] {
      (void)bench.read();
      return bench.link().last_round_trip_ns.load() == 10'000'000;
    }));
  }

  void whatTheWireDoesIsCounted() {
    UdpBench bench(patient);
    bench.open();
    QVERIFY(bench.exchange(0.1));
    Head said[8];
    for (Head& one : said) one = bench.target.answer();
    const std::uint64_t received = bench.link().received.load();
    bench.target.say(said[0]);
    bench.target.say(said[0]);  // doubled
    bench.target.say(said[2]);  // 1 is lost, or still on its way
    QVERIFY(bench.counts(bench.link().lost, 1));
    bench.target.say(said[1], {7.0, 7.0});  // it comes late, and is not used
    QVERIFY(bench.counts(bench.link().out_of_order, 1));
    QCOMPARE(bench.link().lost.load(), std::uint64_t{0});
    QVERIFY(bench.inputs[0] != 7.0);
    bench.target.say(said[6]);  // 3, 4, 5 are lost
    QVERIFY(bench.counts(bench.link().lost, 3));
    QCOMPARE(bench.link().doubled.load(), std::uint64_t{1});
    QCOMPARE(bench.link().received.load() - received, std::uint64_t{3});
    QCOMPARE(bench.link().errors(), std::uint64_t{5});
  }

  void silenceIsStaleAndLosesTheLink() {
    UdpBench bench([](UdpSpec& spec) { spec.timeout_ticks = 40, spec.gap_ticks = 3; });
    bench.open();
    QCOMPARE(static_cast<int>(bench.write(0.1)), static_cast<int>(RigStatus::ok));
    int fresh = 0, stale = 0;
    RigStatus status = RigStatus::ok;
    while ((status = bench.read()) != RigStatus::link_lost) (status == RigStatus::ok ? fresh : stale)++;
    QCOMPARE(stale, 37);
    QVERIFY(fresh == 2 || fresh == 3);  // the answer to the opening is news in the first tick
    QVERIFY2(bench.failureNames("link timeout"), bench.device->failure().c_str());
    QVERIFY(bench.write(0.1) == RigStatus::link_lost);
  }

  /// Datagrams keep coming, but the target hears no command any more.
  void aTargetThatHearsNothingIsNoHealthyOne() {
    UdpBench bench([](UdpSpec& spec) { spec.timeout_ticks = 2000; });
    bench.open();
    QVERIFY(bench.exchange(0.1));
    RigStatus status = RigStatus::ok;
    for (int k = 0; k < 4000 && status != RigStatus::link_lost; ++k) {
      bench.target.say(bench.target.answer(), {0.5, 0.5});
      status = bench.read();
      (void)bench.write(0.2);
    }
    QVERIFY(status == RigStatus::link_lost);
    QCOMPARE(bench.inputs[0], 0.5);
    QVERIFY2(bench.failureNames("echoes no command"), bench.device->failure().c_str());
  }

  void lateDatagramsAreStale() {
    UdpBench bench([](UdpSpec& spec) {
      patient(spec);
      spec.late_s = 0.01;
      spec.receives.push_back({FieldContent::time, FieldType::uint32});
      spec.receives.back().scale_s = 1e-6;
    });
    bench.open();
    const auto sayAt = [&](double sent_s) {
      (void)bench.write(0.1);
      QVERIFY(bench.target.hear());
      Head said = bench.target.answer();
      said.time_s = sent_s;
      bench.target.say(said);
    };
    bench.clock.pass(1.0);
    sayAt(1.0);
    const std::uint64_t received = bench.link().received.load();
    QVERIFY(bench.counts(bench.link().received, received + (received < 2 ? 1 : 0)));
    bench.clock.pass(0.5);  // sent after 0.4 s: 0.1 s longer on its way
    sayAt(1.4);
    RigStatus status = RigStatus::ok;
    QVERIFY(comesTrue([&] {
      const RigStatus one = bench.read();
      if (bench.link().late.load() != 1) return false;
      status = one;
      return true;
    }));
    QVERIFY(status == RigStatus::stale);
    QVERIFY(std::abs(1e-9 * static_cast<double>(bench.link().last_age_ns.load()) - 0.1) < 1e-5);
    bench.clock.pass(0.1);
    sayAt(1.6);
    QVERIFY(comesTrue([&] { return bench.read() == RigStatus::ok; }));
    QCOMPARE(bench.link().late.load(), std::uint64_t{1});
  }

  void strangersAreIgnoredAndCounted() {
    UdpBench bench([](UdpSpec& spec) { patient(spec); });
    { Change<UdpSpec>(bench.rig.connection)->source_port = bench.target.port(); }
    bench.device = makeUdpDevice(bench.rig, deviceChannels(bench.rig.channels, 1000.0), bench.clock);
    bench.open();
    QVERIFY(bench.exchange(0.1));
    UdpSocket stranger(UdpPeer::resolve(udpAddress(0)));
    Head said = bench.target.answer();
    for (int k = 0; k < 300; ++k)
      QVERIFY(comesTrue([&] {  // a full buffer empties by reading
        if (stranger.send(bench.target.bytesOf(said, {9.0, 9.0}), bench.target.bench)) return true;
        (void)bench.read();
        return false;
      }));
    QVERIFY(comesTrue([&] {
      (void)bench.read();
      return bench.link().foreign.load() >= 256;  // more than a tick takes
    }));
    QCOMPARE(bench.inputs[0], 0.1);
    QCOMPARE(bench.link().errors(), std::uint64_t{0});
    QVERIFY(bench.exchange(0.2));
  }

  void unusableDatagramsAreCountedAndNamed_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("empty") << 0 << QByteArray("0 bytes");
    QTest::newRow("half") << 1 << QByteArray("14 bytes");
    QTest::newRow("too long") << 2 << QByteArray("29 bytes");
    QTest::newRow("more than the buffer") << 3 << QByteArray("4000 bytes");
  }
  void unusableDatagramsAreCountedAndNamed() {
    QFETCH(int, kind);
    QFETCH(QByteArray, words);
    UdpBench bench([](UdpSpec& spec) { spec.timeout_ticks = 3000; });
    bench.open();
    QVERIFY(bench.exchange(0.1));
    std::vector<std::uint8_t> bytes = bench.target.bytesOf(bench.target.answer(), {9.0, 9.0});
    bytes.resize(std::array<std::size_t, 4>{0, 14, 29, 4000}[static_cast<std::size_t>(kind)]);
    for (int k = 0; k < 5; ++k) bench.target.say(bytes);
    QVERIFY(bench.counts(bench.link().corrupt, 5));
    QCOMPARE(bench.inputs[0], 0.1);
    while (bench.read() != RigStatus::link_lost) continue;
    const std::string failure = bench.device->failure();
    QVERIFY2(failure.find("28 bytes") != std::string::npos && failure.find(words.constData()) != std::string::npos,
             failure.c_str());
  }

  void valuesThatAreNoNumbersAreStale() {
    UdpBench bench(patient);
    bench.open();
    QVERIFY(bench.exchange(0.1));
    (void)bench.write(0.2);
    QVERIFY(bench.target.hear());
    bench.target.say(bench.target.answer(), {0.2, std::nan("")});
    QVERIFY(bench.counts(bench.link().corrupt, 1));
    QCOMPARE(bench.inputs[0], 0.2);
    QCOMPARE(bench.inputs[1], -100.0);
    QVERIFY(bench.read() == RigStatus::stale);
    QVERIFY(bench.failureNames("f is not a number"));
    QVERIFY(bench.exchange(0.3));
  }

  void openingNamesWhatIsWrong_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("size") << 0 << QByteArray("/rig/connection/receives: describes datagrams of 28 bytes");
    QTest::newRow("byte order of a mark") << 1 << QByteArray("/rig/connection/byte_order: is \"little\"");
    QTest::newRow("byte order of numbers") << 2 << QByteArray("Set it to \"big\"");
    QTest::newRow("nobody there") << 3 << QByteArray("no program listens on port");
    QTest::newRow("silence") << 4 << QByteArray("no datagram came");
    QTest::newRow("a stranger") << 5 << QByteArray("correct \"Address\" or \"Port of the sender\"");
  }
  void openingNamesWhatIsWrong() {
    QFETCH(int, kind);
    QFETCH(QByteArray, words);
    auto target = std::make_unique<UdpTarget>();
    RigSpec rig = udpRig(target->port());
    target->use(rig);
    rig.connection.connect_s = 1.0;
    if (kind == 1) {
      Change<UdpSpec> change(rig.connection);
      change->receives.insert(change->receives.begin(), {FieldContent::fixed, FieldType::uint32});
      change->receives.front().value = 0x48425231;
    }
    RigSpec other = rig;
    if (kind == 1 || kind == 2) Change<UdpSpec>(other.connection)->byte_order = ByteOrder::big;
    UdpTarget liar;  // knows the other layout
    liar.use(other);
    if (kind == 3) target.reset();
    if (kind == 5) Change<UdpSpec>(rig.connection)->source_port = 1;
    const auto device = makeUdpDevice(rig, deviceChannels(rig.channels, 1000.0));
    std::string said;
    std::thread opening([&] {
      try {
        device->open();
      } catch (const InputError& error) {
        said = error.issues().front().where + ": " + error.issues().front().message;
      } catch (const DeviceError& error) {
        said = error.what();
      }
    });
    if (target && kind != 4) {
      const bool heard = target->hear();
      liar.bench = target->bench;
      if (heard && kind == 0) target->say(std::vector<std::uint8_t>(20));
      if (heard && (kind == 1 || kind == 2)) target->say(liar.bytesOf(liar.answer(), {0.125, 12.6}));
      if (heard && kind == 5) target->say(target->answer());
    }
    opening.join();
    QVERIFY2(said.find(words.constData()) != std::string::npos, said.c_str());
  }

  void theStopIsConfirmedByItsField() {
    UdpBench bench(patient);
    bench.open();
    QVERIFY(bench.exchange(0.1));
    std::thread target([&] {
      while (bench.target.hear() && bench.target.head.enable) continue;
      bench.target.say(bench.target.answer(), {0.1, 0.0});
    });
    bench.device->safeStop();
    target.join();
    QCOMPARE(bench.target.commands[0], 0.1);  // holds
    bench.device->close();
    QCOMPARE(bench.device->failure(), std::string());
  }

  void aStopWithoutConfirmationIsTold() {
    UdpBench bench(patient);
    bench.open();
    QVERIFY(bench.exchange(0.1));
    bench.target.hearAll();
    bench.device->close();
    QVERIFY2(bench.failureNames("did not become 0"), bench.device->failure().c_str());
    int stops = 0;
    while (stops < 10 && bench.target.hear()) stops += bench.target.head.enable ? 0 : 1;
    QCOMPARE(stops, 10);
    QCOMPARE(bench.target.hearAll(), 0);
  }

  /// A layout with no field for it: sent, never confirmed; told where something else went wrong.
  void aStopThatNothingConfirmsIsSentManyTimes() {
    UdpBench bench([](UdpSpec& spec) {
      spec.timeout_ticks = 3000;
      spec.at_stop = AtStop::rest;
      spec.sends.back().value = -0.5;
      std::erase_if(spec.receives, [](const DatagramField& f) { return f.content == FieldContent::enabled; });
    });
    bench.open();
    QVERIFY(bench.exchange(0.1));
    while (bench.read() != RigStatus::link_lost) continue;
    bench.device->close();
    QVERIFY2(bench.failureNames("the stop was sent 10 times; no field of its datagrams confirms it"),
             bench.device->failure().c_str());
    int stops = 0;
    while (stops < 10 && bench.target.hear()) {
      QCOMPARE(bench.target.commands[0], -0.5);
      ++stops;
    }
    QCOMPARE(stops, 10);
  }

  void aTargetThatStopsOrFailsIsInFault() {
    for (const bool fails : {false, true}) {
      UdpBench bench([](UdpSpec& spec) {
        patient(spec);
        spec.receives.push_back({FieldContent::fault, FieldType::uint32});
      });
      bench.open();
      QVERIFY(bench.exchange(0.1));
      Head said = bench.target.answer();
      (fails ? said.fault : said.enabled) = fails;
      bench.target.say(said);
      QVERIFY(comesTrue([&] { return judged(bench.read(), bench.device->status()) == RigStatus::fault; }));
      QVERIFY2(bench.failureNames(fails ? "reports a fault" : "stopped by itself"), bench.device->failure().c_str());
    }
  }

  void aTargetThatRestartsLosesTheLink() {
    UdpBench bench(patient);
    bench.open();
    QVERIFY(bench.exchange(0.1));
    Head said = bench.target.answer();
    said.sequence = 1'000'000;
    bench.target.say(said);
    QVERIFY(comesTrue([&] { return bench.read() == RigStatus::link_lost; }));
    QVERIFY(bench.failureNames("started again"));
  }

  void aTickAllocatesNothingAndNeverWaits() {
    UdpBench bench(patient);
    bench.open();
    QVERIFY(bench.exchange(0.1));
    const AllocationGuard guard;
    for (int k = 0; k < 1000; ++k) {
      (void)bench.read();
      (void)bench.write(1e-3 * k);
    }
    bench.device->safeStop();
    (void)bench.read();
    QCOMPARE(guard.count(), std::uint64_t{0});
  }

  /// Without an enable field nothing is sent before the first command: a datagram would be a command.
  void aTargetThatSendsByItselfIsOnlyListenedTo() {
    std::uint16_t port = 0;
    { port = UdpSocket(UdpPeer::resolve(udpAddress(0))).local().port(); }
    UdpBench bench([&](UdpSpec& spec) {
      patient(spec);
      spec.local_port = port;
      spec.sends = {{FieldContent::channel, FieldType::float32, "u"}};
      spec.receives = {{FieldContent::channel, FieldType::float32, "x"},
                       {FieldContent::channel, FieldType::int16, "f"}};
    });
    bench.target.bench = UdpPeer::resolve(udpAddress(port));
    std::atomic<bool> open{false};
    std::thread target([&] {
      while (!open) {
        bench.target.say(bench.target.answer(), {0.25, -3.0});
        QThread::msleep(1);
      }
    });
    bench.device->open();
    open = true;
    target.join();
    for (int k = 0; k < 10; ++k) (void)bench.read();
    QCOMPARE(bench.inputs[0], 0.25);
    QCOMPARE(bench.inputs[1], -3.0);
    QCOMPARE(bench.target.hearAll(), 0);
    QVERIFY(bench.write(0.5) == RigStatus::ok);
    QVERIFY(bench.target.hear());
    QCOMPARE(bench.target.commands[0], 0.5);
  }

  /// Delays by the closed form: constant, a jump, a drift of the clocks, and a send time that wraps.
  void transitTimes() {
    TransitTime still;
    for (int k = 0; k < 100; ++k) QCOMPARE(still.add(0.25 * k + 100.0, 0.25 * k), 0.0);
    QCOMPARE(still.add(125.0, 25.5), 0.5);
    TransitTime drifting;
    double worst = 0.0;
    for (int k = 0; k < 36'000; ++k) worst = std::max(worst, drifting.add(0.1 * k, 0.1 * k * (1.0 + 1e-4)));
    QVERIFY2(worst > 4e-4 && worst <= 1e-3 + 1e-5, qPrintable(QString::number(worst)));
    TransitTime wrapping(8.0);
    for (int k = 0; k < 100; ++k) QCOMPARE(wrapping.add(std::fmod(0.5 * k, 8.0), 0.5 * k + 2.0), 0.0);
  }
};

HYB_SUITE(udp_device, UdpDeviceTest)
HYB_THREADS(udp_device)
#include "udp_device_test.moc"
