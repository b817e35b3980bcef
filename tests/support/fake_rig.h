#pragma once
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/loop/realtime.h"
#include "hardware/frame_link.h"
#include "hardware/handshake.h"
#include "hardware/port.h"
#include "tests/support/patience.h"

namespace hyb::test {

/// The other end of the rig protocol, by hand: what it sends may be as wrong as a test wants.
class FakeRig {
 public:
  using Script = std::function<void(FakeRig&)>;
  /// Serves one bench on a thread: the script runs once it is connected; then the connection is closed.
  explicit FakeRig(Script script)
      : listener_(parseAddress("tcp://127.0.0.1:0", "listen"), {}), thread_([this, script = std::move(script)] {
          port_ = listener_.accept(std::chrono::milliseconds(kHangs_ms));
          if (port_) script(*this);
          port_.reset();
        }) {}
  ~FakeRig() { thread_.join(); }
  const std::string& address() const { return listener_.address(); }
  Port& port() { return *port_; }

  /// The next frame of the bench: header and payload. A header of type bye: it is gone.
  std::pair<FrameHeader, std::string> next() {
    FrameStream& stream = stream_;
    Frame frame;
    while (stream.next(frame) != FrameStream::Next::frame) {
      if (!port_->waitReadable(std::chrono::milliseconds(kHangs_ms))) return {};
      const Port::Result result = port_->read(stream.room());
      stream.filled(result.bytes);
      if (result.closed) return {};
    }
    return {frame.header, std::string(frame.payload.begin(), frame.payload.end())};
  }
  /// Frames of the bench until one of this type; false: it is gone.
  bool await(FrameType type) {
    for (;;) {
      last = next();
      if (last.first.type == type) return true;
      if (last.first.type == FrameType::bye) return false;
    }
  }
  void send(FrameHeader header, const std::string& payload = {}) {
    std::vector<std::uint8_t> out(kMaxFrame);
    const std::vector<std::uint8_t> bytes(payload.begin(), payload.end());
    out.resize(encodeFrame(header, bytes, out));
    (void)port_->writeAll(out, std::chrono::milliseconds(kHangs_ms));
  }
  /// A frame of this session with the next number.
  void say(FrameType type, std::uint64_t tick = 0, const std::vector<double>& values = {}) {
    std::string payload(8 * values.size(), '\0');
    for (std::size_t i = 0; i < values.size(); ++i)
      putValue(reinterpret_cast<std::uint8_t*>(&payload[8 * i]), values[i]);
    send({type, ++sequence, last.first.sequence, tick, monotonicNs(), 0, session}, payload);
  }
  void sayText(FrameType type, const std::string& text) {
    send({type, ++sequence, last.first.sequence, 0, monotonicNs(), 0, session}, text);
  }
  /// Greets and arms as a good rig does; every measurement at zero.
  bool greetAndArm() {
    if (!await(FrameType::hello)) return false;
    Welcome welcome;
    welcome.accepted = readHello(last.second);
    welcome.serial = "fake";
    welcome.positions.assign(welcome.accepted.commands.size(), 0.0);
    inputs = welcome.accepted.measurements.size();
    sayText(FrameType::welcome, writeWelcome(welcome));
    while (last.first.type != FrameType::arm) {  // until then it is looked at
      last = next();
      if (last.first.type == FrameType::bye) return false;
      if (last.first.type == FrameType::hold)
        say(FrameType::measurement, last.first.tick, std::vector<double>(inputs, 0.0));
    }
    say(FrameType::armed, 0, std::vector<double>(inputs, 0.0));
    return true;
  }

  std::pair<FrameHeader, std::string> last;
  std::uint32_t session = 0xABCD, sequence = 0;
  std::size_t inputs = 0;

 private:
  Listener listener_;
  FrameStream stream_{FrameStream::Coding::plain};
  std::unique_ptr<Port> port_;
  std::thread thread_;
};

}  // namespace hyb::test
