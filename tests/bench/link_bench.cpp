/// Latency of every link over the loopback: from the command to the reading that answers it, beside plain send and
/// receive of as many bytes. One line for each driver and each conversation of the program. Argument: number of
/// exchanges (20000).
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

/// Measures `exchange` so often and prints a line. The first tenth only warms up.
void line(const std::string& name, const std::function<bool()>& exchange) {
  std::vector<double> us;
  us.reserve(static_cast<std::size_t>(exchanges));
  for (int k = -exchanges / 10; k < exchanges; ++k) {
    const std::int64_t start = monotonicNs();
    if (!exchange()) {
      std::printf("| %s | ended after %d exchanges | |\n", name.c_str(), k);
      std::exit(1);
    }
    if (k >= 0) us.push_back(1e-3 * static_cast<double>(monotonicNs() - start));
  }
  std::ranges::sort(us);
  const auto at = [&](double share) {
    return us[static_cast<std::size_t>(share * static_cast<double>(us.size() - 1))];
  };
  std::printf("| %s | %.1f | %.1f |\n", name.c_str(), at(0.5), at(0.999));
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

void plainStream(const char* name, const char* listen, std::size_t size) {
  PlainEcho echo(listen);
  const std::unique_ptr<Port> port = openPort(parseAddress(echo.address(), ""), SerialSpec(), 10.0);
  std::vector<std::uint8_t> bytes(size, 'x');
  line("plain " + std::string(name) + ", " + std::to_string(size) + " bytes", [&] {
    if (!port->writeAll(bytes, std::chrono::seconds(10))) return false;
    for (std::size_t got = 0; got < size;) {
      if (!port->waitReadable(std::chrono::seconds(10))) return false;
      const Port::Result result = port->read(std::span(bytes).subspan(got));
      if (result.closed) return false;
      got += result.bytes;
    }
    return true;
  });
}

void plainDatagrams(std::size_t size) {
  UdpSocket here(UdpPeer::resolve(udpAddress(0))), there(UdpPeer::resolve(udpAddress(0)));
  std::atomic<bool> ended{false};
  std::thread echo([&] {
    std::array<std::uint8_t, 2048> bytes;
    UdpPeer from;
    while (!ended)
      if (there.waitReadable(std::chrono::milliseconds(20)))
        if (const UdpSocket::Result got = there.receive(bytes, from); got.got == UdpSocket::Got::datagram)
          there.send(std::span(bytes).first(got.size), from);
  });
  std::vector<std::uint8_t> bytes(size, 'x');
  UdpPeer from;
  line("plain UDP, " + std::to_string(size) + " bytes", [&] {
    return here.send(bytes, there.local()) && here.waitReadable(std::chrono::seconds(10)) &&
           here.receive(bytes, from).got == UdpSocket::Got::datagram;
  });
  ended = true;
  echo.join();
}

/// A peer and the rig section that reaches it.
struct LinkPeer {
  std::shared_ptr<void> serves;
  RigSpec rig;
  std::size_t interfaces = 1;
  double rate_hz = kServedRate_hz;
};
template <typename Partner>
LinkPeer withPartner(RigSpec (*section)(const std::string&), std::shared_ptr<Partner> partner,
                     double rate_hz = kServedRate_hz) {
  return {partner, section(partner->address()), 1, rate_hz};
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
      {"text", {"TCP", [] { return withPartner(textRig, std::make_shared<TextPartner>(false)); }}},
      {"text", {"pseudo-terminal", [] { return withPartner(textRig, std::make_shared<TextPartner>(true)); }}},
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
    std::printf("| %s | no peer here | |\n", std::string(driver.protocol).c_str());
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
    line(std::string(driver.protocol) + ", " + entry->second.first, [&] {
      std::fill_n(commands.begin(), peer.interfaces, 1e-4 * std::sin(1e-3 * static_cast<double>(tick)));
      return device->write(tick++, commands) == RigStatus::ok && device->read(readings) == RigStatus::ok;
    });
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
  line(std::string(conversation.name) + ", TCP", [&] { return !client.ask({6.0}).empty(); });
  client.request({99.0});
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) exchanges = std::max(10, std::atoi(arguments[1]));
  std::puts("| link | median, us | 99.9 %, us |\n|---|---|---|");
  plainStream("TCP", "tcp://127.0.0.1:0", 100);
  plainStream("TCP", "tcp://127.0.0.1:0", 2048);
  plainStream("pseudo-terminal", "serial:pty", 100);
  plainDatagrams(100);
  for (const Driver& driver : drivers()) driven(driver);
  for (const ConversationEntry& conversation : conversations()) led(conversation);
}
