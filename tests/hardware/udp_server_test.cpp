#include "hardware/udp_server.h"

#include <cmath>

#include "core/base/error.h"
#include "core/rig/device_rig.h"
#include "hardware/udp_device.h"
#include "tests/support/served_udp.h"
#include "tests/support/set_clock.h"
#include "tests/support/suite.h"
#include "tests/support/udp_proxy.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Fate = UdpProxy::Fate;
using Head = DatagramLayout::Head;

/// A bench written by hand: one datagram, one answer.
class HandUdp {
 public:
  HandUdp(const std::string& server, const UdpSpec& layout)
      : server_(UdpPeer::resolve(parseAddress(server, ""))),
        socket_(UdpPeer::resolve(udpAddress(0))),
        layouts_(layout, rigChannels({}, 2)) {}
  /// False: no answer comes.
  bool ask(bool enable, double position, double tick) {
    Head said;
    said.sequence = ++number;
    said.tick = tick;
    said.enable = enable;
    const std::vector<double> commands = {position, position, 0.0, 0.0};
    std::vector<std::uint8_t> bytes(layouts_.sends.size());
    layouts_.sends.encode(said, commands, bytes);
    return socket_.send(bytes, server_) && hear(kHangs_ms);
  }
  bool hear(int wait_ms) {
    if (!socket_.waitReadable(std::chrono::milliseconds(wait_ms))) return false;
    std::vector<std::uint8_t> bytes(2048);
    UdpPeer from;
    const UdpSocket::Result got = socket_.receive(bytes, from);
    return layouts_.receives.decode(std::span(bytes).first(got.size), head, readings) == DatagramCheck::ok;
  }
  void send(std::size_t size) { QVERIFY(socket_.send(std::vector<std::uint8_t>(size), server_)); }
  double number = 0.0;
  Head head;
  std::vector<double> readings = std::vector<double>(4);

 private:
  UdpPeer server_;
  UdpSocket socket_;
  UdpLayouts layouts_;
};

}  // namespace

class UdpServerTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void itFollowsWhileEnabled() {
    const UdpSpec layout = fullLayout(rigChannels({}, 2));
    ServedUdp served(layout);
    HandUdp bench(served.address(), layout);
    QVERIFY(bench.ask(false, 5.0, 0));  // of no effect
    QVERIFY(!bench.head.enabled && !bench.head.fault);
    QCOMPARE(bench.readings[0], 0.0);
    for (int k = 0; k < 200; ++k) QVERIFY(bench.ask(true, 1e-3, k));
    QVERIFY(bench.head.enabled);
    QCOMPARE(bench.head.echo, bench.number);
    QVERIFY(std::abs(bench.readings[0] - 1e-3) < 1e-6);
    QVERIFY(bench.ask(false, 1e-3, 200));
    QVERIFY(!bench.head.enabled && !bench.head.fault);
    QVERIFY(bench.ask(true, -1e-3, 201));  // stays stopped
    QVERIFY(!bench.head.enabled);
    QVERIFY(std::abs(bench.readings[0] - 1e-3) < 1e-6);
    bench.number = 0.0;  // a new connection: at rest
    QVERIFY(bench.ask(false, 0.0, 0));
    QCOMPARE(bench.readings[0], 0.0);
    QVERIFY(bench.ask(true, 1e-3, 0));
    QVERIFY(bench.head.enabled);
  }

  void itStopsByItself_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("words");
    QTest::newRow("not a number") << 0 << "command_1 is not a number";
    QTest::newRow("step") << 1 << "would step in one tick";
    QTest::newRow("jump of the tick") << 2 << "jumps by 5000";
    QTest::newRow("start elsewhere") << 3 << "away from where it is";
  }
  void itStopsByItself() {
    QFETCH(int, kind);
    QFETCH(QString, words);
    const UdpSpec layout = fullLayout(rigChannels({}, 2));
    ServedUdp served(layout, [](RigServerSpec& spec) {
      spec.bounds = {{.step = 2e-3, .rate = 10.0, .unit = "m", .rate_unit = "m/s"}};
    });
    HandUdp bench(served.address(), layout);
    QVERIFY(bench.ask(false, 0.0, 0));
    if (kind != 3) QVERIFY(bench.ask(true, 0.0, 0));
    const double command = kind == 0 ? std::nan("") : kind == 1 ? 3e-3 : kind == 3 ? 2e-3 : 0.0;
    QVERIFY(bench.ask(true, command, kind == 2 ? 5000 : 1));
    QVERIFY(!bench.head.enabled && bench.head.fault);
    QVERIFY(served.said(words.toStdString()));
    QVERIFY(!served.following());
  }

  /// By its clock, which stands until the test lets time pass.
  void itStopsWithoutCommands() {
    SetClock clock;
    const UdpSpec layout = fullLayout(rigChannels({}, 2));
    ServedUdp served(
        layout, [](RigServerSpec& spec) { spec.place_s = 1.0; }, clock);
    HandUdp bench(served.address(), layout);
    QVERIFY(bench.ask(false, 0.0, 0));
    QVERIFY(bench.ask(true, 0.0, 0));
    clock.pass(0.99);
    QVERIFY(bench.ask(true, 0.0, 1));
    QVERIFY(bench.head.enabled);
    clock.pass(1.01);
    QVERIFY(comesTrue([&] { return served.said("no command for 1 s"); }));
    QVERIFY(bench.ask(true, 0.0, 2));
    QVERIFY(!bench.head.enabled && bench.head.fault);
  }

  void otherBenchesAndOtherDatagramsAreIgnored() {
    const UdpSpec layout = fullLayout(rigChannels({}, 2));
    ServedUdp served(layout);
    HandUdp bench(served.address(), layout), other(served.address(), layout);
    QVERIFY(bench.ask(false, 0.0, 0));
    QVERIFY(bench.ask(true, 0.0, 0));
    other.send(3);
    other.send(0);
    bench.send(7);
    QVERIFY(bench.ask(true, 1e-3, 1));
    QVERIFY(bench.head.enabled);
    QVERIFY(comesTrue([&] { return served.said("ignored: datagrams from") && served.said("7 bytes"); }));
  }

  void whoMayReachIt() {
    const UdpSpec layout = fullLayout(rigChannels({}, 2));
    const auto refusal = [&](const std::function<void(RigServerSpec&)>& change, const UdpSpec& described) {
      try {
        ServedUdp served(described, change);
      } catch (const InputError& error) {
        return error.issues().front().where + " " + error.issues().front().message;
      }
      return std::string();
    };
    const auto everywhere = [](RigServerSpec& spec) { spec.listen.host = "0.0.0.0"; };
    const auto trusted = [](RigServerSpec& spec) { spec.listen.host = "0.0.0.0", spec.trust_network = true; };
    QVERIFY(refusal(everywhere, layout).find("--trust-network") != std::string::npos);
    QCOMPARE(refusal(trusted, layout), std::string());
    QVERIFY(refusal([](RigServerSpec& spec) { spec.key.emplace(); }, layout).find("--key-file") == 0);
    UdpSpec without = layout;
    std::erase_if(without.sends, [](const DatagramField& f) { return f.content == FieldContent::enable; });
    QVERIFY(refusal(trusted, without).find("/rig/connection/sends needs an enable field") == 0);
  }

  /// A layout of nothing but values, as most targets have it: the rig sends first.
  void valuesAlone() {
    std::uint16_t port = 0;
    { port = UdpSocket(UdpPeer::resolve(udpAddress(0))).local().port(); }
    UdpSpec layout;
    layout.local_port = port;
    layout.timeout_ticks = 100'000;
    for (const ChannelSpec& channel : rigChannels({}, 2))
      (isOutput(channel.role) ? layout.sends : layout.receives)
          .push_back({FieldContent::channel, FieldType::float64, channel.name});
    ServedUdp served(layout);
    const auto rig = makeDeviceRig(makeUdpDevice(servedUdpRig(served.address(), layout), servedChannels(false)),
                                   rigChannels({}, 2), 2, kServedRate_hz);
    rig->open();
    RigState state{Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2)};
    const Command command{Eigen::VectorXd::Constant(2, 1e-3), Eigen::VectorXd::Zero(2)};
    QVERIFY(comesTrue([&] {
      (void)rig->read(state, 1);
      (void)rig->write(command);
      return (state.measured.array() - 1e-3).abs().maxCoeff() < 1e-6;
    }));
    rig->close();
    QVERIFY(served.said("taking commands"));
  }

  /// Each fault of the wire, by number: what the bench counts is what the proxy did, and the test goes on.
  void faultsOfTheWire_data() {
    QTest::addColumn<int>("kind");
    int kind = 0;
    for (const char* name : {"lost", "doubled", "reordered", "damaged", "half", "flood"}) QTest::newRow(name) << kind++;
  }
  void faultsOfTheWire();

  void aCutLineLosesTheLinkAndStopsTheRig() {
    UdpSpec layout = fullLayout(rigChannels({}, 2));
    layout.timeout_ticks = 50;
    SetClock clock;
    ServedUdp served(
        layout, [](RigServerSpec& spec) { spec.place_s = 1.0; }, clock);
    UdpProxy proxy(served.address(), [](int) { return Fate{}; });
    DeviceChannels channels = servedChannels(false);
    channels.answer_wait_s = 1e-3;
    const auto device = makeUdpDevice(servedUdpRig(proxy.address(), layout), channels);
    device->open();
    const std::vector<double> commands(4, 0.0);
    std::vector<double> readings(4);
    QVERIFY(device->write(0, commands) == RigStatus::ok);
    QVERIFY(comesTrue([&] { return served.following(); }));
    proxy.cut = true;
    RigStatus status = RigStatus::ok;
    for (int k = 1; k < 100 && status != RigStatus::link_lost; ++k) {
      (void)device->write(static_cast<std::uint64_t>(k), commands);
      status = device->read(readings);
    }
    QVERIFY(status == RigStatus::link_lost);
    device->close();
    QVERIFY(device->failure().find("did not become 0") != std::string::npos);
    clock.pass(1.01);
    QVERIFY(comesTrue([&] { return served.said("no command for 1 s"); }));
  }
};

void UdpServerTest::faultsOfTheWire() {
  QFETCH(int, kind);
  const UdpSpec layout = fullLayout(rigChannels({}, 2));
  ServedUdp served(layout);
  std::atomic<bool> on{false};
  UdpProxy proxy(served.address(), [&](int number) {
    Fate fate;
    if (!on || number % 7 != 0) return fate;
    if (kind == 0) fate.copies = 0;
    if (kind == 1) fate.copies = 2;
    if (kind == 2) fate.later = 2;
    if (kind == 3) fate.broken = true;
    if (kind == 4) fate.bytes = 11;
    if (kind == 5) fate.foreign = 40;
    return fate;
  });
  UdpSpec strict = layout;
  strict.source_port = parseAddress(proxy.address(), "").port;
  DeviceChannels channels = servedChannels(false);
  channels.answer_wait_s = 0.02;  // of those that never come
  const auto device = makeUdpDevice(servedUdpRig(proxy.address(), strict), channels);
  device->open();
  on = true;
  std::vector<double> readings(4);
  const auto exchange = [&](int tick) {
    const double position = 1e-3 * std::sin(0.05 * tick);
    const std::vector<double> commands = {position, position, 0.0, 0.0};
    (void)device->write(static_cast<std::uint64_t>(tick), commands);
    return device->read(readings);
  };
  int stale = 0;
  for (int k = 0; k < 140; ++k) {
    const RigStatus status = exchange(k);
    QVERIFY(status == RigStatus::ok || status == RigStatus::stale);
    stale += status == RigStatus::stale;
  }
  on = false;
  const LinkFigures& link = device->link();
  int tick = 140;
  const auto count = [&](const std::atomic<int>& did, const std::atomic<std::uint64_t>& counted) {
    return comesTrue([&] {
      (void)exchange(tick++);
      return did > 10 && static_cast<std::uint64_t>(did) == counted;
    });
  };
  if (kind == 0) QVERIFY(count(proxy.lost, link.lost));
  if (kind == 1) QVERIFY(count(proxy.doubled, link.doubled));
  if (kind == 2) QVERIFY(count(proxy.reordered, link.out_of_order));
  if (kind == 3 || kind == 4) QVERIFY(count(proxy.damaged, link.corrupt));
  if (kind == 5) QVERIFY(count(proxy.foreign, link.foreign));
  if (kind == 5) QCOMPARE(link.errors(), std::uint64_t{0});
  if (kind == 2) QCOMPARE(link.lost.load(), std::uint64_t{0});
  if (kind == 0 || kind == 3 || kind == 4) QVERIFY(stale > 0);
  for (const double reading : readings) QVERIFY(std::isfinite(reading));
  QVERIFY(comesTrue([&] { return exchange(tick++) == RigStatus::ok; }));
  device->close();
  QVERIFY(comesTrue([&] { return !served.following(); }));
}

HYB_SUITE(udp_server, UdpServerTest)
HYB_THREADS(udp_server)
#include "udp_server_test.moc"
