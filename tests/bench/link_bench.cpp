/// Latency of every link over the loopback: from the command to the reading that answers it, beside plain send and
/// receive over the same wire, as many round trips as the link needs. One line for each driver and each conversation of
/// the program. Argument: number of exchanges (20000).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/coupling/external_target.h"
#include "core/loop/realtime.h"
#include "hardware/conversation.h"
#include "hardware/drivers.h"
#include "hardware/udp_socket.h"
#include "tests/support/ads_partner.h"
#include "tests/support/ads_rig.h"
#include "tests/support/led_bench.h"
#include "tests/support/modbus_partner.h"
#include "tests/support/served_udp.h"
#include "tests/support/text_partner.h"

using namespace hyb;
using namespace hyb::test;

namespace {

int exchanges = 20'000;

/// One exchange; false: it failed.
using Exchanged = std::function<bool()>;

/// Plain round trips over a wire, and what has to live for them.
struct Plain {
  std::shared_ptr<void> serves;
  Exchanged roundTrip;
};

/// Measures an exchange over a link and, in turn with it, as many plain round trips as it needs. How a machine wakes a
/// thread changes from one second to the next and decides on the latency over a pseudo-terminal (8 or 50 us); measured
/// in turn, both have the same luck. The first tenth only warms up.
void line(const std::string& name, const Exchanged& exchange, int round_trips, const Plain& plain) {
  std::array<std::vector<double>, 2> us;
  const auto measure = [&](int k, std::vector<double>& into, const Exchanged& one, int times) {
    const std::int64_t start = monotonicNs();
    for (int n = 0; n < times; ++n)
      if (!one()) {
        std::printf("| %s | ended after %d exchanges |\n", name.c_str(), k);
        std::exit(1);
      }
    if (k >= 0) into.push_back(1e-3 * static_cast<double>(monotonicNs() - start));
  };
  for (int k = -exchanges / 10; k < exchanges; ++k) {
    measure(k, us[0], exchange, 1);
    measure(k, us[1], plain.roundTrip, round_trips);
  }
  std::printf("| %s | %d |", name.c_str(), round_trips);
  for (std::vector<double>& of : us) {
    std::ranges::sort(of);
    for (const double share : {0.5, 0.999})
      std::printf(" %.1f |", of[static_cast<std::size_t>(share * static_cast<double>(of.size() - 1))]);
  }
  std::puts("");
  std::fflush(stdout);
}

/// Sends back what comes, on a thread of its own.
class PlainEcho {
 public:
  explicit PlainEcho(const char* listen) : listener_(parseAddress(listen, ""), SerialSpec()) {
    thread_ = std::thread([this] {
      std::unique_ptr<Port> client;
      while (!ended_ && !client) client = listener_.accept(std::chrono::milliseconds(20));
      std::array<std::uint8_t, 4096> bytes;
      while (!ended_)
        if (client->waitReadable(std::chrono::milliseconds(20)))
          if (const Port::Result got = client->read(bytes); got.bytes > 0)
            client->writeAll(std::span(bytes).first(got.bytes), std::chrono::seconds(10));
    });
  }
  ~PlainEcho() {
    ended_ = true;
    thread_.join();
  }
  const std::string& address() const { return listener_.address(); }

 private:
  Listener listener_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

Plain plainStream(const char* listen, std::size_t size) {
  struct Ends {
    explicit Ends(const char* listen)
        : echo(listen), port(openPort(parseAddress(echo.address(), ""), SerialSpec(), 10.0)) {}
    PlainEcho echo;
    std::unique_ptr<Port> port;
  };
  const auto ends = std::make_shared<Ends>(listen);
  return {ends, [ends, bytes = std::vector<std::uint8_t>(size, 'x')]() mutable {
            if (!ends->port->writeAll(bytes, std::chrono::seconds(10))) return false;
            for (std::size_t got = 0; got < bytes.size();) {
              if (!ends->port->waitReadable(std::chrono::seconds(10))) return false;
              const Port::Result result = ends->port->read(std::span(bytes).subspan(got));
              if (result.closed) return false;
              got += result.bytes;
            }
            return true;
          }};
}

Plain plainDatagrams(std::size_t size) {
  struct Ends {
    UdpSocket here{UdpPeer::resolve(udpAddress(0))}, there{UdpPeer::resolve(udpAddress(0))};
    std::atomic<bool> ended{false};
    std::thread echo{[this] {
      std::array<std::uint8_t, 2048> bytes;
      UdpPeer from;
      while (!ended)
        if (there.waitReadable(std::chrono::milliseconds(20)))
          if (const UdpSocket::Result got = there.receive(bytes, from); got.got == UdpSocket::Got::datagram)
            there.send(std::span(bytes).first(got.size), from);
    }};
    ~Ends() {
      ended = true;
      echo.join();
    }
  };
  const auto ends = std::make_shared<Ends>();
  return {ends, [ends, bytes = std::vector<std::uint8_t>(size, 'x')]() mutable {
            UdpPeer from;
            return ends->here.send(bytes, ends->there.local()) && ends->here.waitReadable(std::chrono::seconds(10)) &&
                   ends->here.receive(bytes, from).got == UdpSocket::Got::datagram;
          }};
}

/// By the name of the wire.
Plain plainOver(std::string_view wire) {
  constexpr std::size_t kBytes = 100;
  if (wire == "UDP") return plainDatagrams(kBytes);
  return plainStream(wire == "TCP" ? "tcp://127.0.0.1:0" : "serial:pty", kBytes);
}

/// A peer and the rig section that reaches it.
struct LinkPeer {
  std::shared_ptr<void> serves;
  RigSpec rig;
  std::size_t interfaces = 1;
  double rate_hz = kServedRate_hz;
  int round_trips = 1;  // of one exchange
};
template <typename Partner>
LinkPeer withPartner(RigSpec (*section)(const std::string&), std::shared_ptr<Partner> partner,
                     double rate_hz = kServedRate_hz) {
  return {partner, section(partner->address()), 1, rate_hz};
}
/// A command, which nobody answers, and two questions, each after the answer to the one before.
LinkPeer withLines(bool serial) {
  LinkPeer peer = withPartner(textRig, std::make_shared<TextPartner>(serial));
  peer.round_trips = 2;
  return peer;
}
LinkPeer withServer(const char* listen) {
  const auto served = std::make_shared<ServedTwin>(listen);
  RigSpec rig;
  rig.connection = patientConnection(served->address());
  return {served, rig, 2};
}
LinkPeer withUdp() {
  const UdpSpec layout = fullLayout(rigChannels({}, 2));
  const auto served = std::make_shared<ServedUdp>(layout);
  return {served, servedUdpRig(served->address(), layout), 2};
}

/// The peers of each driver, by the wire.
const std::multimap<std::string_view, std::pair<const char*, std::function<LinkPeer()>>>& peers() {
  static const std::multimap<std::string_view, std::pair<const char*, std::function<LinkPeer()>>> all = {
      {"frames", {"TCP", [] { return withServer("tcp://127.0.0.1:0"); }}},
      {"frames", {"pseudo-terminal", [] { return withServer("serial:pty"); }}},
      {"text", {"TCP", [] { return withLines(false); }}},
      {"text", {"pseudo-terminal", [] { return withLines(true); }}},
      {"modbus", {"TCP", [] { return withPartner(modbusRig, std::make_shared<ModbusPartner>(false)); }}},
      {"modbus",
       {"pseudo-terminal", [] { return withPartner(modbusRig, std::make_shared<ModbusPartner>(true), 50.0); }}},
      {"ads", {"TCP", [] { return withPartner(adsRig, std::make_shared<AdsPartner>()); }}},
      {"udp", {"UDP", [] { return withUdp(); }}}};
  return all;
}

/// A command and the reading that answers it, in free run: the reading waits.
void driven(const Driver& driver) {
  const auto [first, last] = peers().equal_range(driver.protocol);
  if (first == last)  // a library of the laboratory, which has no wire
    std::printf("| %s | see hybridbench_driver_bench |\n", std::string(driver.protocol).c_str());
  for (auto entry = first; entry != last; ++entry) {
    const LinkPeer peer = entry->second.second();
    DeviceChannels channels = deviceChannels(rigChannels(peer.rig, peer.interfaces), peer.rate_hz);
    channels.paced = false;
    channels.answer_wait_s = kHangs_s;
    const std::unique_ptr<Device> device = driver.make(peer.rig, channels);
    device->open();
    std::vector<double> commands(channels.outputs.size()), readings(channels.inputs.size());
    std::uint64_t tick = 0;
    (void)device->read(readings);
    line(
        std::string(driver.protocol) + ", " + entry->second.first,
        [&] {
          std::fill_n(commands.begin(), peer.interfaces, 1e-4 * std::sin(1e-3 * static_cast<double>(tick)));
          return device->write(tick++, commands) == RigStatus::ok && device->read(readings) == RigStatus::ok;
        },
        peer.round_trips, plainOver(entry->second.first));
    device->close();
  }
}

/// A program that leads asks for what is measured at its last target; the rig stands there.
void led(const ConversationEntry& conversation) {
  const SiteSpec site{.conversation = conversation.name, .stiffness_n_per_m = {1.0}};
  LedBench bench(1, site, [](std::shared_ptr<TargetExchange> exchange) {
    return makeExternalTarget(std::vector<Dof>(1), {1, 0}, 1e-3, makeNoCompensator(), std::move(exchange));
  });
  LedClient client(bench);
  client.sendSizes({1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 256});
  client.request({3.0, 1e-4});
  line(
      std::string(conversation.name) + ", TCP", [&] { return !client.ask({6.0}).empty(); }, 1,
      plainStream("tcp://127.0.0.1:0", 2048));
  client.request({99.0});
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) exchanges = std::max(10, std::atoi(arguments[1]));
  std::puts(
      "| link | round trips | median, us | 99.9 %, us | plain: median, us | plain: 99.9 %, us "
      "|\n|---|---|---|---|---|---|");
  for (const Driver& driver : drivers()) driven(driver);
  for (const ConversationEntry& conversation : conversations()) led(conversation);
}
