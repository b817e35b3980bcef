/// A UDP target whose clock leads the loop. Times are those of a clock that stands until the test lets time pass.
#include <array>
#include <cmath>

#include "core/base/allocation_guard.h"
#include "core/base/error.h"
#include "core/project/project.h"
#include "core/rig/device_channels.h"
#include "core/run/build.h"
#include "hardware/udp_device.h"
#include "tests/support/change_protocol.h"
#include "tests/support/served_udp.h"
#include "tests/support/set_clock.h"
#include "tests/support/suite.h"
#include "tests/support/udp_target.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Head = DatagramLayout::Head;
constexpr double kPeriod_s = 1e-3;

/// A device with its target, which says a datagram in each period; both in the thread of the test.
struct LeadingTargetBench {
  explicit LeadingTargetBench(int timeout_ticks = 100'000) : rig(udpRig(target.port())) {
    Change<UdpSpec> spec(rig.connection);
    spec->leads = TickBegin::target;
    spec->target_rate_hz = 1.0 / kPeriod_s;
    spec->timeout_ticks = timeout_ticks;
  }
  /// The target counts `numbers` datagrams in a quarter of a second.
  void open(double numbers = 250.0, double connect_s = kHangs_s) {
    rig.connection.connect_s = connect_s;
    target.use(rig);
    device = makeUdpDevice(rig, deviceChannels(rig.channels, 1.0 / kPeriod_s), clock);
    std::thread opening([&] {
      try {
        device->open();
      } catch (const std::exception& error) {
        refused = error.what();
      }
    });
    const bool heard = target.hear();
    if (heard) {
      say(1.0);
      // The quarter of a second begins when the first datagram is heard.
      while (device->link().received.load() == 0) std::this_thread::yield();
      clock.pass(0.25);
      say(1.0 + numbers);
    }
    opening.join();
    QVERIFY(heard);
    target.hearAll();
    if (refused.empty()) QCOMPARE(device->lead()->await().elapsed, std::int64_t{1});
  }
  void say(double number_said, double value = 0.0) {
    number = number_said;
    Head said;
    said.sequence = number;
    said.echo = target.head.sequence;
    said.enabled = target.head.enable;
    target.say(said, {value, -1000.0 * value});
  }
  Beat await() {
    silent = false;
    return device->lead()->await();
  }
  /// No datagram comes: the bench ticks by itself when it is due.
  Beat own() {
    clock.pass((silent ? 1.0 : 1.5) * kPeriod_s);
    const Beat beat = await();
    silent = true;
    return beat;
  }
  /// The next datagram, a period after the last one.
  Beat next(double value = 0.0, double skip = 0.0) {
    clock.pass(kPeriod_s);
    say(number + 1.0 + skip, value);
    return await();
  }
  RigStatus read() { return device->read(inputs); }
  RigStatus write(double command) {
    const RigStatus status = device->write(tick++, std::span<const double>(&command, 1));
    return hear(true) ? status : RigStatus::fault;
  }
  /// The next datagram that commands, or that does not. Until the first command the bench asks in each tick.
  bool hear(bool commands) {
    while (target.hear())
      if (target.head.enable == commands) return true;
    return false;
  }

  UdpTarget target;
  RigSpec rig;
  SetClock clock;
  std::unique_ptr<Device> device;
  std::string refused;
  std::array<double, 2> inputs{};
  std::uint64_t tick = 0;
  double number = 0.0;
  bool silent = false;
};

}  // namespace

class UdpLeadTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aBenchThatLeadsWaitsForNobody() {
    const UdpTarget target;
    const RigSpec rig = udpRig(target.port());
    QVERIFY(makeUdpDevice(rig, deviceChannels(rig.channels, 1000.0))->lead() == nullptr);
  }

  void eachDatagramBeginsATick() {
    LeadingTargetBench bench;
    bench.open();
    for (int k = 1; k <= 20; ++k) {
      QCOMPARE(bench.next(1e-4 * k).elapsed, std::int64_t{1});
      QVERIFY(bench.read() == RigStatus::ok);
      QCOMPARE(bench.inputs[0], 1e-4 * k);
      QVERIFY(bench.write(1e-4 * k) == RigStatus::ok);
      QCOMPARE(bench.target.commands[0], 1e-4 * k);
    }
    QCOMPARE(bench.device->link().errors(), std::uint64_t{249});  // those of the opening
  }

  /// In the tick in which it is missed the values are stale; the tick is made up for.
  void aLostDatagramIsFlaggedAndCostsNoTick() {
    LeadingTargetBench bench;
    bench.open();
    (void)bench.next(1e-3);
    QVERIFY(bench.read() == RigStatus::ok);
    QCOMPARE(bench.own().elapsed, std::int64_t{1});
    QVERIFY(bench.read() == RigStatus::stale);
    QCOMPARE(bench.inputs[0], 1e-3);
    bench.clock.pass(-0.5 * kPeriod_s);
    const std::uint64_t lost = bench.device->link().lost.load();
    QCOMPARE(bench.next(2e-3, 1.0).elapsed, std::int64_t{1});
    QVERIFY(bench.read() == RigStatus::ok);
    QCOMPARE(bench.inputs[0], 2e-3);
    QCOMPARE(bench.device->link().lost.load(), lost + 1);
  }

  void ofABurstTheNewestCounts() {
    LeadingTargetBench bench;
    bench.open();
    (void)bench.next();
    (void)bench.read();
    bench.clock.pass(kPeriod_s);
    for (int k = 1; k <= 5; ++k) bench.say(bench.number + 1.0, 1e-4 * k);
    QCOMPARE(bench.await().elapsed, std::int64_t{5});
    QVERIFY(bench.read() == RigStatus::ok);
    QCOMPARE(bench.inputs[0], 5e-4);
    // Old and doubled ones begin no tick.
    bench.say(bench.number - 2.0, 0.7);
    bench.say(bench.number + 2.0, 0.7);
    QCOMPARE(bench.own().elapsed, std::int64_t{1});
    QVERIFY(bench.read() == RigStatus::stale);
    QCOMPARE(bench.inputs[0], 5e-4);
  }

  void aPauseEndsInTheSafeState() {
    LeadingTargetBench bench(30);
    bench.open();
    (void)bench.next();
    (void)bench.read();
    QVERIFY(bench.write(1e-3) == RigStatus::ok);
    int ticks = 0;
    while (bench.read() != RigStatus::link_lost && ticks < 100) ++ticks, (void)bench.own();
    QCOMPARE(ticks, 29);
    QVERIFY2(bench.device->failure().find("link timeout") != std::string::npos, bench.device->failure().c_str());
    bench.device->safeStop();
    QVERIFY(bench.hear(false));
    bench.device->close();
    const Beat after = bench.device->lead()->await();  // nobody to wait for
    QVERIFY(after.elapsed >= 1);
  }

  void aShortPauseIsStaleAndThenItLeadsAgain() {
    LeadingTargetBench bench;
    bench.open();
    (void)bench.next();
    (void)bench.read();
    for (int k = 0; k < 5; ++k) {
      QCOMPARE(bench.own().elapsed, std::int64_t{1});
      QVERIFY(bench.read() == RigStatus::stale);
    }
    bench.clock.pass(0.1 * kPeriod_s);
    for (int k = 0; k < 5; ++k) {
      QCOMPARE(bench.next(1e-4 * k).elapsed, std::int64_t{1});
      QVERIFY(bench.read() == RigStatus::ok);
    }
  }

  /// It may stand anywhere.
  void aRestartLosesTheLink() {
    LeadingTargetBench bench;
    bench.open();
    (void)bench.next();
    (void)bench.read();
    QVERIFY(bench.write(1e-3) == RigStatus::ok);
    bench.clock.pass(kPeriod_s);
    bench.say(1.0);
    (void)bench.await();
    QVERIFY(bench.read() == RigStatus::link_lost);
    QVERIFY(bench.device->failure().find("started again") != std::string::npos);
  }

  void anotherRateIsRefusedWhenOpening() {
    LeadingTargetBench slow;
    slow.open(125.0, 0.3);
    QVERIFY2(slow.refused.find("is 1000 Hz") != std::string::npos, slow.refused.c_str());
    QVERIFY2(slow.refused.find("sends 500 datagrams a second") != std::string::npos, slow.refused.c_str());
    LeadingTargetBench alone;
    alone.open(0.0, 0.3);  // it says the same number again
    QVERIFY2(alone.refused.find("sends by its own clock") != std::string::npos, alone.refused.c_str());
  }

  void anotherRateEndsTheTest() {
    LeadingTargetBench bench;
    bench.open();
    int ticks = 0;
    for (; bench.read() != RigStatus::link_lost && ticks < 3000; ++ticks) {
      bench.clock.pass(-0.1 * kPeriod_s);  // 1111 a second
      (void)bench.next();
    }
    QVERIFY2(std::abs(ticks - 2 * 1111) < 5, qPrintable(QString::number(ticks)));  // two seconds
    QVERIFY2(bench.device->failure().find("1111 datagrams a second") != std::string::npos,
             bench.device->failure().c_str());
  }

  void theTickAllocatesNothing() {
    LeadingTargetBench bench;
    bench.open();
    (void)bench.next();
    (void)bench.read();
    std::uint64_t allocated = 0;
    for (int k = 0; k < 50; ++k) {
      bench.clock.pass(kPeriod_s);
      if (k % 5 != 0) bench.say(bench.number + 1.0);
      if (k % 5 == 0) bench.clock.pass(kPeriod_s);
      const AllocationGuard guard;
      (void)bench.device->lead()->await();
      (void)bench.read();
      const double command = 0.0;
      (void)bench.device->write(bench.tick++, std::span<const double>(&command, 1));
      allocated += guard.count();
    }
    QCOMPARE(allocated, std::uint64_t{0});
  }

  /// The twin behind the same datagrams sends by its own clock, whatever it hears.
  void theServerLeads() {
    UdpSpec layout = fullLayout(rigChannels({}, 2));
    layout.leads = TickBegin::target;
    layout.target_rate_hz = kServedRate_hz;
    SetClock clock;
    ServedUdp served(layout, {}, clock);
    UdpSocket socket(UdpPeer::resolve(udpAddress(0)));
    const UdpLayouts layouts(layout, rigChannels({}, 2));
    const UdpPeer server = UdpPeer::resolve(parseAddress(served.address(), ""));
    double number = 0.0;
    const auto say = [&](bool enable, double position) {
      Head head;
      head.sequence = ++number;
      head.enable = enable;
      const std::vector<double> commands = {position, position, 0.0, 0.0};
      std::vector<std::uint8_t> bytes(layouts.sends.size());
      layouts.sends.encode(head, commands, bytes);
      return socket.send(bytes, server);
    };
    Head head;
    std::vector<double> readings(4);
    const auto hear = [&] {
      std::vector<std::uint8_t> bytes(2048);
      UdpPeer from;
      if (!socket.waitReadable(std::chrono::milliseconds(kHangs_ms))) return false;
      const UdpSocket::Result got = socket.receive(bytes, from);
      return layouts.receives.decode(std::span(bytes).first(got.size), head, readings) == DatagramCheck::ok;
    };
    QVERIFY(say(false, 5.0));  // it learns where the bench is, and begins
    QVERIFY(hear());
    QCOMPARE(head.sequence, 1.0);
    for (int k = 2; k <= 20; ++k) {
      clock.pass(1.0 / kServedRate_hz);
      QVERIFY(hear());
      QCOMPARE(head.sequence, static_cast<double>(k));
      QVERIFY(!head.enabled);
    }
    QVERIFY(say(true, 1e-3));
    QVERIFY(comesTrue([&] { return served.following(); }));
    for (int k = 0; k < 200; ++k) {  // one command, which it holds
      clock.pass(1.0 / kServedRate_hz);
      QVERIFY(hear());
    }
    QVERIFY(head.enabled);
    QCOMPARE(head.echo, 2.0);
    QVERIFY(std::abs(readings[0] - 1e-3) < 1e-6);
    clock.pass(5.0 / kServedRate_hz);  // it was late
    QVERIFY(hear());
    QCOMPARE(head.sequence, 225.0);
  }

  void aFreeRunCannotFollow() {
    Json document = templateDocument("three-mass");
    RigSpec rig = udpRig(1);
    Project project = parseProject(document);
    project.rig = rig;
    project.rig.use = RigUse::rig;
    project.rig.channels = rigChannels({}, 2);
    UdpSpec layout = fullLayout(project.rig.channels);
    layout.leads = TickBegin::target;
    project.rig.connection.protocol = protocolOf(layout);
    const DeviceFactory devices = [](const RigSpec& spec, const DeviceChannels& channels) {
      return makeUdpDevice(spec, channels);
    };
    QVERIFY(buildLoop(project, devices, true)->lead() != nullptr);
    try {
      (void)buildLoop(project, devices, false);
      QFAIL("a free run was built");
    } catch (const InputError& error) {
      QVERIFY(std::string(error.what()).find("run it in real time") != std::string::npos);
    }
  }
};

HYB_SUITE(udp_lead, UdpLeadTest)
HYB_THREADS(udp_lead)
#include "udp_lead_test.moc"
