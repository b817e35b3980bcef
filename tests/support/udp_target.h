#pragma once
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/rig/udp_layout.h"
#include "hardware/udp_socket.h"
#include "tests/support/patience.h"

namespace hyb::test {

inline Address udpAddress(std::uint16_t port) { return {Address::Kind::udp, "127.0.0.1", port, {}}; }

/// One axis: a command, its displacement and its force, with a number, an echo and a state in each direction.
inline RigSpec udpRig(std::uint16_t port) {
  const auto channel = [](const char* name, ChannelRole role) {
    ChannelSpec spec;
    spec.name = name;
    spec.role = role;
    spec.interface = 1;
    spec.units = "m";
    return spec;
  };
  const auto field = [](FieldContent content, const char* of = "") {
    return DatagramField{content, content == FieldContent::channel ? FieldType::float64 : FieldType::uint32, of};
  };
  UdpSpec spec;
  spec.local_port = 0;
  spec.sends = {field(FieldContent::sequence), field(FieldContent::tick), field(FieldContent::enable),
                field(FieldContent::channel, "u")};
  spec.receives = {field(FieldContent::sequence), field(FieldContent::echo), field(FieldContent::enabled),
                   field(FieldContent::channel, "x"), field(FieldContent::channel, "f")};
  RigSpec rig;
  rig.channels = {channel("u", ChannelRole::command), channel("x", ChannelRole::displacement),
                  channel("f", ChannelRole::force)};
  rig.connection.address = udpAddress(port).text();
  rig.connection.connect_s = 1e-3 * kHangs_ms;
  rig.connection.protocol = protocolOf(std::move(spec));
  return rig;
}

/// A target whose every datagram the test says itself.
class UdpTarget {
 public:
  using Head = DatagramLayout::Head;
  UdpTarget() : socket_(UdpPeer::resolve(udpAddress(0))) {}

  std::uint16_t port() const { return socket_.local().port(); }
  /// The layouts of the project; before anything else.
  void use(const RigSpec& rig) { layouts_.emplace(settingsOf<UdpSpec>(rig.connection.protocol.get()), rig.channels); }

  /// The next datagram of the bench, into `head` and `commands`; false: none comes.
  bool hear() {
    if (!socket_.waitReadable(std::chrono::milliseconds(kHangs_ms))) return false;
    std::vector<std::uint8_t> bytes(2048);
    const UdpSocket::Result got = socket_.receive(bytes, bench);
    if (got.got != UdpSocket::Got::datagram) return false;
    commands.resize(layouts_->sends.restValues().size());
    return layouts_->sends.decode(std::span(bytes).first(got.size), head, commands) == DatagramCheck::ok;
  }
  /// All that has come; the number of datagrams.
  int hearAll() {
    int heard = 0;
    while (socket_.waitReadable(std::chrono::nanoseconds(0)) && hear()) ++heard;
    return heard;
  }

  /// A datagram that answers the last one heard.
  Head answer() {
    Head said;
    said.sequence = ++number_;
    said.echo = head.sequence;
    said.enabled = head.enable;
    return said;
  }
  std::vector<std::uint8_t> bytesOf(const Head& said, const std::vector<double>& values) const {
    std::vector<std::uint8_t> bytes(layouts_->receives.size());
    layouts_->receives.encode(said, values, bytes);
    return bytes;
  }
  void say(const std::vector<std::uint8_t>& bytes) { QVERIFY(socket_.send(bytes, bench)); }
  void say(const Head& said, const std::vector<double>& values = {0.0, 0.0}) { say(bytesOf(said, values)); }

  /// Opens the device and answers its first question.
  template <typename AnyDevice>
  void open(AnyDevice& device) {
    std::thread asker([&] { device.open(); });
    const bool heard = hear();
    if (heard) say(answer());
    asker.join();
    QVERIFY(heard);
    hearAll();
  }

  Head head;
  std::vector<double> commands;
  UdpPeer bench;

 private:
  UdpSocket socket_;
  std::optional<UdpLayouts> layouts_;
  double number_ = 0.0;
};

}  // namespace hyb::test
