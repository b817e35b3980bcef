#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hardware/frame_link.h"
#include "hardware/handshake.h"
#include "hardware/port.h"
#include "tests/support/served_twin.h"

namespace hyb::test {

/// A bench of the rig protocol, by hand: what it sends may be as wrong as a test wants.
class HandBench {
 public:
  explicit HandBench(const std::string& address) : HandBench(openPort(parseAddress(address, ""), {}, kHangs_s)) {}
  explicit HandBench(std::unique_ptr<Port> port) : port_(std::move(port)), link_(*port_, figures_) {}

  static Hello hello(FramesSpec timing = {}) {
    const DeviceChannels channels = servedChannels(true);
    return {"hand", kServedRate_hz, channels.outputs, channels.inputs, "bench", timing};
  }
  /// Shows and asks for the key; then greets as everyone.
  bool authenticate(const Bytes32& key) {
    Hello first = hello();
    first.nonce = randomBytes();
    say(FrameType::hello, writeHello(first));
    if (!await(FrameType::challenge)) return false;
    const Challenge challenge = readChallenge(text(frame));
    if (challenge.proof != FrameAuth::proof(key, *first.nonce, challenge.nonce)) return false;
    link_.auth.emplace(key, *first.nonce, challenge.nonce, FrameAuth::Side::bench);
    return true;
  }
  bool greet(const Hello& hello = HandBench::hello()) {
    say(FrameType::hello, writeHello(hello));
    if (!await(FrameType::welcome)) return false;
    link_.session = frame.header.session;
    return true;
  }
  bool greetAndArm(const Hello& hello = HandBench::hello()) {
    if (!greet(hello)) return false;
    say(FrameType::arm, writeArm(std::vector<double>(hello.commands.size(), 0.0)));
    return await(FrameType::armed);
  }
  void say(FrameType type, const std::string& text = {}) {
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    put(link_.seal({.type = type}, bytes));
  }
  std::vector<std::uint8_t> sealedCommand(std::uint64_t tick, const std::vector<double>& values) {
    const auto sealed = sealCommand(tick, values);
    return {sealed.begin(), sealed.end()};
  }
  void command(std::uint64_t tick, const std::vector<double>& values) { put(sealCommand(tick, values)); }
  /// A command of which one bit is turned over on its way.
  void damagedCommand(std::uint64_t tick, const std::vector<double>& values) {
    const auto sealed = sealCommand(tick, values);
    std::vector<std::uint8_t> bytes(sealed.begin(), sealed.end());
    bytes[kFrameHeader + 6] = static_cast<std::uint8_t>(bytes[kFrameHeader + 6] ^ 0x40u);
    put(bytes);
  }
  /// The next frame of this type into `frame`; false: it never comes, or the rig is gone.
  bool await(FrameType type) {
    QElapsedTimer time;
    for (time.start(); time.elapsed() < kHangs_ms; port_->waitReadable(std::chrono::milliseconds(50)))
      for (auto got = link_.receive(frame); got != FrameLink::Got::nothing; got = link_.receive(frame)) {
        if (got == FrameLink::Got::ended) return false;
        if (frame.header.type == type) return true;
      }
    return false;
  }
  /// Until the rig closes the connection; what it said last by EVENT.
  std::string lastWords() {
    std::string words;
    while (await(FrameType::event)) words = readMessage(text(frame));
    return words;
  }
  Port& port() { return *port_; }
  FrameLink& link() { return link_; }

  Frame frame;

  void put(std::span<const std::uint8_t> bytes) {
    QVERIFY(port_->writeAll(bytes, std::chrono::milliseconds(kHangs_ms)));
  }

 private:
  std::span<const std::uint8_t> sealCommand(std::uint64_t tick, const std::vector<double>& values) {
    std::vector<std::uint8_t> payload(8 * values.size());
    for (std::size_t i = 0; i < values.size(); ++i) putValue(&payload[8 * i], values[i]);
    return link_.seal({.type = FrameType::command, .tick = tick}, payload);
  }

  std::unique_ptr<Port> port_;
  LinkFigures figures_;
  FrameLink link_;
};

}  // namespace hyb::test
