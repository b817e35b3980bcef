#pragma once
#include <array>
#include <atomic>
#include <charconv>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/rig/rig_spec.h"
#include "core/rig/text_protocol.h"
#include "hardware/port.h"

namespace hyb::test {

/// The other end of a text connection: an instrument that understands a few lines and moves an ideal actuator on a
/// spring of 1000 N/m.
class TextPartner {
 public:
  enum class Mode { good, silent, nonsense, flood, close, late, overflow };
  static constexpr double kStiffness = 1000.0;

  explicit TextPartner(bool serial)
      : listener_(parseAddress(serial ? "serial:pty" : "tcp://127.0.0.1:0", ""), SerialSpec()),
        thread_([this] { work(); }) {}
  ~TextPartner() {
    closing_ = true;
    thread_.join();
  }
  TextPartner(const TextPartner&) = delete;
  TextPartner& operator=(const TextPartner&) = delete;

  const std::string& address() const { return listener_.address(); }
  std::atomic<Mode> mode{Mode::good};
  std::atomic<bool> stopped{false}, faulty{false}, other_instrument{false};
  std::atomic<bool> released{false};                     // mode late: the reply goes out now
  std::atomic<bool> confirming{false}, refusing{false};  // answers sets and stops: takes them, or does not
  std::atomic<int> identified{0};
  std::atomic<bool> echoing{false};  // sends back each line first, with its own end of it
  std::atomic<int> deaf{0};          // lines that it does not hear, as a board that starts
  std::atomic<int> belated{0};       // answers to questions of before that come after the next "*IDN?"
  /// Lines received so far.
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  void work() {
    while (!closing_) {
      const std::unique_ptr<Port> client = listener_.accept(std::chrono::milliseconds(20));
      std::string received;
      while (client && !closing_) {
        if (!client->waitReadable(std::chrono::milliseconds(20))) continue;
        std::array<std::uint8_t, 256> chunk;
        const Port::Result result = client->read(chunk);
        received.append(reinterpret_cast<const char*>(chunk.data()), result.bytes);
        bool open = !result.closed;
        for (std::size_t end; open && (end = received.find('\n')) != std::string::npos; received.erase(0, end + 1))
          open = take(received.substr(0, end), *client);
        if (!open) break;
      }
    }
  }

  /// False: hangs up.
  bool take(const std::string& line, Port& client) {
    {
      const std::lock_guard lock(mutex_);
      lines_.push_back(line);
    }
    if (deaf > 0) {
      --deaf;
      return true;
    }
    const bool refused = confirming && refusing && !line.ends_with('?');
    if (!refused) act(line);  // before it says so: who reads the answer finds it done
    if (const std::string echo = line + "\r\n";
        echoing &&
        !client.writeAll({reinterpret_cast<const std::uint8_t*>(echo.data()), echo.size()}, std::chrono::seconds(10)))
      return false;
    if (confirming && !line.ends_with('?')) {
      const std::string_view answer = refused ? "RJ\n" : "OK\n";
      if (!client.writeAll({reinterpret_cast<const std::uint8_t*>(answer.data()), answer.size()},
                           std::chrono::seconds(10)))
        return false;
    }
    if (!line.ends_with('?')) return true;
    std::string reply = "unknown";
    if (line == "*IDN?") {
      ++identified;
      reply = other_instrument ? "OTHER,1,2,3" : "HYB,SPRING,1,0";
      for (; belated > 0; --belated) reply = "1=0.5\n" + reply;
    }
    if (line == "ERR?") reply = faulty ? "-310,\"System error\"" : "0,\"No error\"";
    if (line == "POS?") reply = "1=" + number(position_);
    if (line == "FORC?") reply = number(-kStiffness * position_);
    if (line == "READ?") reply = number(position_) + "," + number(-kStiffness * position_);
    switch (line == "*IDN?" ? Mode::good : mode.load()) {
      case Mode::silent:
        return true;
      case Mode::close:
        return false;
      case Mode::nonsense:
        reply = "?";
        break;
      case Mode::flood:
        reply = std::string(10'000, '7');
        break;
      case Mode::overflow:
        reply = line == "POS?" ? "1=9.91E37" : "9.91E37";
        break;
      case Mode::late:
        mode = Mode::good;
        while (!released && !closing_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        break;
      case Mode::good:
        break;
    }
    reply += '\n';
    return client.writeAll({reinterpret_cast<const std::uint8_t*>(reply.data()), reply.size()},
                           std::chrono::seconds(10));
  }

  void act(std::string_view line) {
    if (line == "ABOR") stopped = held_ = true;
    if (line == "*CLS") {  // goes to its home position
      held_ = false;
      position_ = 0.0;
    }
    if (line.starts_with("MOV ") && !held_) {
      double x = 0.0;
      std::from_chars(line.data() + 4, line.data() + line.size(), x);
      position_ = x;
    }
  }

  static std::string number(double value) {
    std::array<char, 32> text;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
  }

  Listener listener_;
  double position_ = 0.0;
  bool held_ = false;
  std::mutex mutex_;
  std::vector<std::string> lines_;
  std::atomic<bool> closing_{false};
  std::thread thread_;
};

/// The rig section that fits: one command, displacement and force, each with its own line.
inline RigSpec textRig(const std::string& address) {
  RigSpec rig;
  rig.use = RigUse::rig;
  rig.connection.address = address;
  TextSpec text;
  text.identify = "*IDN?";
  text.identity = "^HYB,";
  text.prepare = {"*CLS"};
  text.fault_query = "ERR?";
  text.no_fault = "^0,";
  text.stop = "ABOR";
  text.reply_s = 5.0;
  text.max_age_s = 10.0;
  const auto channel = [&](const char* name, ChannelRole role, const char* line, const char* pattern) {
    ChannelSpec spec;
    spec.name = name;
    spec.role = role;
    spec.interface = 1;
    auto& lines = text.channels.emplace_back();
    (role == ChannelRole::command ? lines.set : lines.get) = line;
    lines.pattern = pattern;
    if (role == ChannelRole::command) spec.raw_min = -1.0, spec.raw_max = 1.0;
    rig.channels.push_back(spec);
  };
  channel("command", ChannelRole::command, "MOV {x}", "");
  channel("displacement", ChannelRole::displacement, "POS?", "^1=(.*)$");
  channel("force", ChannelRole::force, "FORC?", "");
  rig.connection.protocol = protocolOf(text);
  return rig;
}

}  // namespace hyb::test
