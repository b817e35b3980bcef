#include "hardware/frames_device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/checks.h"
#include "core/base/numbers.h"
#include "core/base/version.h"
#include "core/loop/realtime.h"
#include "core/rig/frames_protocol.h"
#include "hardware/clock_match.h"
#include "hardware/frame_link.h"
#include "hardware/handshake.h"

namespace hyb {
namespace {

using std::chrono::nanoseconds;

constexpr std::int64_t kSecond = 1'000'000'000, kPingEvery = kSecond / 10;
constexpr std::int64_t kStopWait = kSecond / 10;
constexpr std::uint64_t kLookTick = ~std::uint64_t{0};  // tick of a request for a reading, which belongs to no command
constexpr std::int64_t kArmEvery = kSecond / 10, kLookEvery = kSecond / 10;  // repetition without an answer
constexpr double kFreeRunSilence_s = 5.0;
constexpr const char* kTimedOut = "no new measurement within timeout_ticks";
constexpr int kUnanswered = 3;         // pings
constexpr int kFramesPerTick = 64;     // further frames wait for the next tick
constexpr std::size_t kMemory = 1024;  // ticks with a stored time of sending

class FramesDevice final : public Device {
 public:
  FramesDevice(const ConnectionSpec& connection, const DeviceChannels& channels)
      : connection_(connection),
        spec_(settingsOf<FramesSpec>(connection.protocol.get())),
        address_(parseAddress(connection.address, "/rig/connection/address")),
        channels_(channels),
        sent_(kMemory),
        payload_(8 * channels.outputs.size()),
        inputs_(channels.inputs.size(), 0.0) {}
  ~FramesDevice() override { FramesDevice::close(); }

  std::string description() const override {
    return "Rig protocol at " + address_.text() + (welcome_.serial.empty() ? "" : ": " + welcome_.serial);
  }
  const LinkFigures& link() const noexcept override { return figures_; }
  std::uint32_t status() const noexcept override {
    return status_.load(std::memory_order_relaxed) |
           (clipped_.load(std::memory_order_relaxed) ? kDeviceCommandClipped : 0u);
  }
  std::uint32_t interlocksOpen() const noexcept override { return (status() & kDeviceInterlock) != 0 ? 1u : 0u; }
  /// The protocol reports only that one of them is open.
  std::vector<std::string> interlocks() const override {
    std::string all;
    for (const std::string& name : welcome_.interlocks) all += (all.empty() ? "" : " or ") + name;
    return all.empty() ? std::vector<std::string>() : std::vector<std::string>{all};
  }

  void open() override {
    close();
    forget();
    port_ = openPort(address_, connection_.serial, connection_.connect_s);
    link_ = std::make_unique<FrameLink>(*port_, figures_);
    try {
      greet();
      look();
    } catch (...) {
      transmit({.type = FrameType::bye, .time_ns = monotonicNs()}, {});
      link_.reset();
      port_.reset();
      throw;
    }
  }

  RigStatus read(std::span<double> inputs) noexcept override {
    if (!link_) return RigStatus::link_lost;
    const std::int64_t started = monotonicNs();
    bool more = drain(started);
    if (stop_wanted_.load()) {
      if (!stopped_.load(std::memory_order_relaxed)) sendStop();  // until it is acknowledged
    } else {
      if (!any_sent_) askForReading(started);
      const auto patience = static_cast<std::int64_t>(1e9 * channels_.answer_wait_s);
      for (std::int64_t left = patience;
           !channels_.paced && waiting() && !stopped_.load() && !unsent_ && left > 0 && lost() == nullptr;
           left = started + patience - monotonicNs()) {
        if (!more) port_->waitReadable(nanoseconds(left));
        more = drain(monotonicNs());
      }
      if (lost() == nullptr) {
        ping(started);
        if (any_sent_) judge();
      }
    }
    std::copy(inputs_.begin(), inputs_.end(), inputs.begin());
    if (lost() != nullptr) return RigStatus::link_lost;
    if (stop_wanted_.load() || stopped_.load(std::memory_order_relaxed)) return RigStatus::fault;
    const bool fresh = !waiting() || fresh_;
    fresh_ = false;
    return fresh && !blind_ ? RigStatus::ok : RigStatus::stale;
  }

  RigStatus write(std::uint64_t tick, std::span<const double> outputs) noexcept override {
    if (!link_ || stop_wanted_.load() || stopped_.load(std::memory_order_relaxed)) return RigStatus::fault;
    if (lost() != nullptr) return RigStatus::link_lost;
    for (const double value : outputs)
      if (!std::isfinite(value)) return RigStatus::fault;
    bool clipped = false;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const double value = withinRange(outputs[i], welcome_.accepted.commands[i]);
      clipped = clipped || value != outputs[i];
      putValue(&payload_[8 * i], value);
    }
    clipped_.store(clipped, std::memory_order_relaxed);
    const std::int64_t at = monotonicNs();
    if (!armed_ && at - asked_to_arm_ >= kArmEvery) {  // with the first command, repeated until acknowledged
      asked_to_arm_ = at;
      transmit({.type = FrameType::arm, .tick = tick, .time_ns = at}, bytes(arming_));
      may_move_.store(true);
    }
    unsent_ = !transmit({.type = FrameType::command, .tick = tick, .time_ns = at}, payload_);
    if (!unsent_) {
      sent_[tick % kMemory] = {tick, at};
      last_tick_ = tick;
      any_sent_ = true;
    } else {
      figures_.lost.fetch_add(1, std::memory_order_relaxed);
    }
    return RigStatus::ok;
  }

  void safeStop() noexcept override {
    stop_wanted_.store(true);
    if (link_) sendStop();
  }

  bool inject(const FaultSpec& fault, bool begin) noexcept override {
    if (!link_ || !welcome_.faults) return false;
    std::array<char, 256> json{};
    const std::size_t length = writeFault(fault, begin, json);
    return transmit({.type = FrameType::event, .tick = last_tick_, .time_ns = monotonicNs()},
                    bytes({json.data(), length}));
  }

  std::string failure() const override {
    const std::string who = "the rig at " + address_.text();
    std::string words;
    if (const char* why = lost_.load(); why != nullptr) words = who + ": " + (why == kTimedOut ? silence() : why);
    if (const std::size_t blind = blind_input_.load(std::memory_order_relaxed);
        words.empty() && blind < welcome_.accepted.measurements.size())
      words = who + ": " + welcome_.accepted.measurements[blind].name + " is not a number";
    if (event_ready_.load(std::memory_order_acquire)) {
      try {
        words += (words.empty() ? who : "; it") + " reported: " + readMessage({event_.data(), event_size_});
      } catch (const InputError&) {  // an unreadable message explains nothing
      }
    }
    if (const std::uint64_t damaged = damaged_.load(std::memory_order_relaxed); !words.empty() && damaged > 0)
      words += "; " + std::to_string(damaged) + (damaged == 1 ? " damaged frame" : " damaged frames") +
               " came from it (checksum): check the cable";
    if (words.empty() && stopped_itself_.load()) words = who + " stopped by itself";
    if (unheard_.load())
      words += (words.empty() ? who : std::string("; it")) + " did not confirm the stop: check that it is at rest";
    return words;
  }

  /// Stops the rig if it may still move, waits shortly for the confirmation, and says goodbye.
  void close() noexcept override {
    if (!link_) return;
    if (may_move_.load() && lost() == nullptr) {
      for (int attempt = 0; attempt < 3 && !stopped_.load() && lost() == nullptr; ++attempt) {
        safeStop();
        const std::int64_t until = monotonicNs() + kStopWait;
        for (std::int64_t left = kStopWait; left > 0 && !stopped_.load() && lost() == nullptr;
             left = until - monotonicNs()) {
          port_->waitReadable(nanoseconds(left));
          drain(monotonicNs());
        }
      }
      if (!stopped_.load()) unheard_.store(true);
    }
    transmit({.type = FrameType::bye, .time_ns = monotonicNs()}, {});
    link_.reset();
    port_.reset();
  }

 private:
  struct Sent {
    std::uint64_t tick = 0;
    std::int64_t at_ns = 0;
  };

  void forget() {
    for (auto* counter : {&figures_.sent, &figures_.received, &figures_.lost, &figures_.corrupt, &figures_.out_of_order,
                          &figures_.clipped, &damaged_})
      counter->store(0);
    for (auto& bin : figures_.round_trips) bin.store(0);
    clock_.reset();
    std::fill(sent_.begin(), sent_.end(), Sent{});
    std::fill(inputs_.begin(), inputs_.end(), kNoValue);  // until the first reading
    any_sent_ = any_answered_ = fresh_ = blind_ = armed_ = unsent_ = looking_ = look_repeated_ = false;
    may_move_.store(false);
    asked_to_arm_ = -kArmEvery;
    blind_input_.store(kNoInput);
    unanswered_ticks_ = unanswered_pings_ = 0;
    last_ping_ = 0;
    lost_.store(nullptr);
    stop_wanted_.store(false);
    stopped_.store(false);
    stopped_itself_.store(false);
    unheard_.store(false);
    clipped_.store(false);
    event_ready_.store(false);
    status_.store(0);
    welcome_ = {};
  }

  /// Waits for one of two frame types; `again` is resent every half second over a line that may damage it.
  Frame await(FrameType wanted, const FrameHeader& question, std::string_view again) {
    const std::int64_t until = monotonicNs() + static_cast<std::int64_t>(connection_.connect_s * 1e9);
    std::int64_t asked = 0;
    const auto ask = [&] {
      FrameHeader header = question;
      header.time_ns = asked = monotonicNs();
      if (!port_->writeAll(link_->seal(header, bytes(again)), std::chrono::milliseconds(1000)))
        throw DeviceError(address_.text() + ": the connection broke off; check the rig.");
    };
    ask();
    for (;;) {
      Frame frame;
      const FrameLink::Got got = link_->receive(frame);
      if (got == FrameLink::Got::ended)
        throw DeviceError(address_.text() + ": not a compatible rig: " + link_->ending() + ".");
      if (got == FrameLink::Got::frame) {
        const bool meant = frame.header.acknowledged == link_->lastSent();  // not for an earlier question
        if (frame.header.type == FrameType::refuse && meant) refused(frame);
        if (frame.header.type == wanted && meant) return frame;
        if (frame.header.type == FrameType::welcome && wanted == FrameType::challenge && meant)
          throw DeviceError(address_.text() + ": the rig does not use the key of \"" + spec_.key_file.string() +
                            "\". Start its server with --key-file, or remove the key file from the project.");
        continue;
      }
      const std::int64_t left = until - monotonicNs();
      if (left <= 0)
        throw DeviceError(address_.text() + ": no answer within " + Checks::text(connection_.connect_s, "s") +
                          "; check that a rig is listening there and that no other bench is connected.");
      const std::int64_t next = port_->serial() ? asked + kSecond / 2 - monotonicNs() : left;
      if (next <= 0)
        ask();
      else
        port_->waitReadable(nanoseconds(std::min(left, next)));
    }
  }

  [[noreturn]] void refused(const Frame& frame) {
    Issue issue;
    try {
      issue = readRefusal(text(frame));
    } catch (const InputError&) {
      throw DeviceError(address_.text() + ": the rig refused without a readable reason.");
    }
    const std::string sentence = "the rig at " + address_.text() + " refused: " + issue.where + " " + issue.message;
    if (issue.where.starts_with("/commands") || issue.where.starts_with("/measurements"))
      throw InputError("/rig/channels", sentence);
    if (issue.where == "/nonce")
      throw InputError("/rig/connection/key_file", "is missing: the rig at " + address_.text() +
                                                       " serves only benches with its key. Enter its key file.");
    if (issue.where == "/rate_hz") throw InputError("/loop/rate_hz", sentence);
    throw DeviceError(sentence);
  }

  /// Rig and bench prove to each other that they have the same key; all later frames are sealed.
  void authenticate(Hello hello) {
    const Bytes32 key = readKeyFile(spec_.key_file), own = randomBytes();
    hello.nonce = own;
    const Frame frame = await(FrameType::challenge, {.type = FrameType::hello}, writeHello(hello));
    Challenge challenge{};
    try {
      challenge = readChallenge(text(frame));
    } catch (const InputError& error) {
      throw DeviceError(address_.text() + ": the rig's challenge is invalid: " + error.issues().front().where + " " +
                        error.issues().front().message);
    }
    if (!FrameAuth::same(challenge.proof, FrameAuth::proof(key, own, challenge.nonce)))
      throw DeviceError(address_.text() + ": the key of the rig differs from \"" + spec_.key_file.string() +
                        "\". Copy its key file to this computer.");
    link_->auth.emplace(key, own, challenge.nonce, FrameAuth::Side::bench);
  }

  void greet() {
    Hello hello{programVersion(), channels_.rate_hz, channels_.outputs, channels_.inputs, "bench", spec_};
    if (!channels_.paced) hello.timing.silence_s = std::max(hello.timing.silence_s, kFreeRunSilence_s);
    if (!spec_.key_file.empty()) authenticate(hello);
    const Frame frame = await(FrameType::welcome, {.type = FrameType::hello}, writeHello(hello));
    link_->session = frame.header.session;
    status_.store(frame.header.status);
    const auto nonsense = [&](const Issue& issue) {
      return DeviceError(address_.text() + ": the rig's welcome is invalid: " + issue.where + " " + issue.message);
    };
    try {
      welcome_ = readWelcome(text(frame));
    } catch (const InputError& error) {
      throw nonsense(error.issues().front());
    }
    Hello& accepted = welcome_.accepted;
    if (accepted.version != hello.version)
      throw DeviceError(address_.text() + ": the rig speaks version " + std::to_string(accepted.version) +
                        " of the rig protocol, which requires arming before reading. Update the program of the rig.");
    if (const auto issue = difference(hello.commands, accepted.commands, "/commands")) throw nonsense(*issue);
    if (const auto issue = difference(hello.measurements, accepted.measurements, "/measurements"))
      throw nonsense(*issue);
    const auto tighten = [](std::vector<DeviceChannel>& theirs, const std::vector<DeviceChannel>& ours) {
      for (std::size_t i = 0; i < theirs.size(); ++i) {
        theirs[i].min = std::max(theirs[i].min, ours[i].min);
        theirs[i].max = std::min(theirs[i].max, ours[i].max);
        if (!(theirs[i].min < theirs[i].max))
          throw InputError("/rig/channels", theirs[i].name + " has a range outside that of the rig.");
      }
    };
    tighten(accepted.commands, hello.commands);
    tighten(accepted.measurements, hello.measurements);
  }

  /// The first reading. It arms nothing: the rig takes commands only after ARM, which precedes the first command.
  void look() {
    arming_ = writeArm(welcome_.positions);
    const Frame frame = await(FrameType::measurement, {.type = FrameType::hold, .tick = kLookTick}, {});
    if (frame.values() != inputs_.size())
      throw DeviceError(address_.text() + ": the rig sends " + std::to_string(frame.values()) +
                        " values instead of the agreed " + std::to_string(inputs_.size()) + ".");
    take(frame);
    fresh_ = true;
    last_ping_ = heard_at_ = monotonicNs();
  }

  /// Before the first command: requests one reading at a time, and repeats a lost request.
  void askForReading(std::int64_t at) noexcept {
    if (looking_ && at - last_look_ < kLookEvery) return;
    look_repeated_ = looking_;
    looking_ = transmit({.type = FrameType::hold, .tick = kLookTick, .time_ns = at}, {});
    last_look_ = at;
  }

  /// The last command or request for a reading has no answer yet, or could not be sent.
  bool waiting() const noexcept {
    return unsent_ || (any_sent_ ? !any_answered_ || answered_tick_ != last_tick_ : looking_);
  }
  const char* lost() const noexcept { return lost_.load(std::memory_order_relaxed); }
  void lose(const char* why) noexcept {
    if (lost() == nullptr) lost_.store(why);
  }

  /// The time-out as text: duration, field and remedy.
  std::string silence() const {
    const auto ms = [](double ns) { return Checks::text(std::round(1e-5 * ns) / 10.0, "ms"); };
    const auto silent_ns = static_cast<double>(silent_ns_.load(std::memory_order_relaxed));
    const double usual_ns = figures_.roundTripNs(0.999);
    std::string words = "no new measurement for " + ms(silent_ns) + ", \"Link timeout\" allows " +
                        std::to_string(spec_.timeout_ticks) + " ticks";
    if (channels_.paced) words += " (" + ms(1e9 * spec_.timeout_ticks / channels_.rate_hz) + ")";
    if (usual_ns > 0.0) words += "; 99.9 % of the round trips took up to " + ms(usual_ns);
    words += ". Check that the rig is running and its cable is intact";
    if (channels_.paced)
      words += "; if so, set \"Link timeout\" to " +
               std::to_string(figures_.sufficientTimeoutTicks(channels_.rate_hz, silent_ns)) +
               " ticks or lower the rate";
    return words;
  }

  double withinRange(double value, const DeviceChannel& channel) noexcept {
    const double clipped = std::clamp(value, channel.min, channel.max);
    if (clipped != value) figures_.clipped.fetch_add(1, std::memory_order_relaxed);
    return clipped;
  }

  void take(const Frame& frame) noexcept {
    blind_ = false;
    std::size_t blind = kNoInput;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const double value = frame.value(i);
      if (std::isfinite(value)) {
        inputs_[i] = withinRange(value, welcome_.accepted.measurements[i]);
      } else {
        if (!blind_) blind = i;
        blind_ = true;
        figures_.corrupt.fetch_add(1, std::memory_order_relaxed);
      }
    }
    blind_input_.store(blind, std::memory_order_relaxed);
  }

  void measured(const Frame& frame, std::int64_t at) noexcept {
    const std::uint64_t tick = frame.header.tick;
    if (frame.payload.size() != 8 * inputs_.size()) {
      figures_.corrupt.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    if (tick == kLookTick) {
      take(frame);
      if (looking_ && !look_repeated_) figures_.addRoundTrip(at - last_look_);  // of two, either may be answered
      looking_ = false;
      fresh_ = true;
      heard_at_ = at;
      return;
    }
    if (!any_sent_ || tick > last_tick_ || (any_answered_ && tick <= answered_tick_)) {
      figures_.out_of_order.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    take(frame);
    answered_tick_ = tick;
    armed_ = any_answered_ = fresh_ = true;
    heard_at_ = at;
    if (sent_[tick % kMemory].tick == tick) figures_.addRoundTrip(at - sent_[tick % kMemory].at_ns);
    if (clock_.known()) {
      const auto sampled = static_cast<std::uint64_t>(frame.header.time_ns);  // may be any value: must not overflow
      const std::uint64_t age =
          static_cast<std::uint64_t>(at) - (sampled - static_cast<std::uint64_t>(clock_.offsetNs()));
      figures_.last_age_ns.store(static_cast<std::int64_t>(age), std::memory_order_relaxed);
    }
  }

  /// Processes received frames, a limited number at a time; the newest sample wins. True: there may be more.
  bool drain(std::int64_t at) noexcept {
    Frame frame;
    for (int count = 0; count < kFramesPerTick && lost() == nullptr; ++count) {
      const FrameLink::Got got = link_->receive(frame);
      damaged_.store(link_->damaged.load(std::memory_order_relaxed), std::memory_order_relaxed);
      if (got == FrameLink::Got::ended) lose(link_->ending());
      if (got != FrameLink::Got::frame) return false;
      status_.store(frame.header.status, std::memory_order_relaxed);
      unanswered_pings_ = 0;
      switch (frame.header.type) {
        case FrameType::armed:
          armed_ = true;
          break;
        case FrameType::refuse:  // of the arming
          if (armed_ || !may_move_.load()) break;
          keepMessage(frame);
          stopped_itself_.store(true);
          stopped_.store(true);
          break;
        case FrameType::measurement:
          measured(frame, at);
          break;
        case FrameType::stopped:
          if (!stop_wanted_.load()) stopped_itself_.store(true);
          stopped_.store(true);
          break;
        case FrameType::event:
          keepMessage(frame);
          break;
        case FrameType::pong:
          if (frame.values() == 3) {
            clock_.add(frame.integer(0), frame.integer(1), frame.integer(2), at);
            figures_.clock_offset_ns.store(clock_.offsetNs(), std::memory_order_relaxed);
            figures_.clock_drift_ppm.store(clock_.driftPpm(), std::memory_order_relaxed);
          }
          break;
        case FrameType::bye:
          lose("it said goodbye");
          break;
        default:  // a rig of a later version may send other types
          break;
      }
    }
    return true;
  }

  /// Only the first is kept: it is the cause, later ones are consequences.
  void keepMessage(const Frame& frame) noexcept {
    if (stop_wanted_.load() || event_ready_.load() || frame.payload.size() > event_.size()) return;
    std::memcpy(event_.data(), frame.payload.data(), frame.payload.size());
    event_size_ = frame.payload.size();
    event_ready_.store(true, std::memory_order_release);
  }

  void ping(std::int64_t at) noexcept {
    if (at - last_ping_ < kPingEvery) return;
    last_ping_ = at;
    std::array<std::uint8_t, 8> t1;
    putInteger(t1.data(), monotonicNs());
    if (++unanswered_pings_ > kUnanswered && !(any_sent_ && waiting())) lose("it does not answer");
    transmit({.type = FrameType::ping, .tick = last_tick_, .time_ns = at}, t1);
  }

  /// Counts commands without an answer.
  void judge() noexcept {
    if (!waiting() || fresh_) {
      unanswered_ticks_ = 0;
    } else {
      figures_.lost.fetch_add(1, std::memory_order_relaxed);
      if (++unanswered_ticks_ < spec_.timeout_ticks) return;
      silent_ns_.store(monotonicNs() - heard_at_, std::memory_order_relaxed);
      lose(kTimedOut);
    }
  }

  /// One thread sends at a time. A thread that finds it busy leaves a stop to the sending thread.
  bool transmit(const FrameHeader& header, std::span<const std::uint8_t> payload) noexcept {
    if (sending_.exchange(true)) return false;
    const bool sent = link_->send(header, payload);
    sending_.store(false);
    if (stop_wanted_.load() && header.type == FrameType::command) sendStop();
    return sent;
  }
  void sendStop() noexcept { transmit({.type = FrameType::stop, .tick = last_tick_, .time_ns = monotonicNs()}, {}); }

  ConnectionSpec connection_;
  FramesSpec spec_;
  Address address_;
  DeviceChannels channels_;
  LinkFigures figures_;
  std::unique_ptr<Port> port_;
  std::unique_ptr<FrameLink> link_;
  Welcome welcome_;
  ClockMatch clock_;

  std::vector<Sent> sent_;
  std::vector<std::uint8_t> payload_;
  std::vector<double> inputs_;
  std::string arming_;                       // payload of ARM
  std::atomic<std::uint64_t> last_tick_{0};  // of the last command
  std::uint64_t answered_tick_ = 0;
  bool armed_ = false, any_sent_ = false, any_answered_ = false;
  bool looking_ = false;               // a requested reading has not arrived
  bool look_repeated_ = false;         // it was requested again
  std::atomic<bool> may_move_{false};  // the rig was asked to arm
  std::int64_t asked_to_arm_ = 0, last_look_ = 0;
  bool fresh_ = false;   // a sample has arrived since the last read
  bool unsent_ = false;  // the last command was not sent
  bool blind_ = false;   // the last sample had a value that is not a number
  static constexpr std::size_t kNoInput = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> blind_input_{kNoInput};  // first such value in it
  int unanswered_ticks_ = 0, unanswered_pings_ = 0;
  std::int64_t last_ping_ = 0, heard_at_ = 0;  // heard_at_: time of the last new measurement
  std::atomic<std::uint64_t> damaged_{0};      // frames damaged on their way here
  std::atomic<std::int64_t> silent_ns_{0};     // time without measurement when the link was given up

  std::atomic<std::uint32_t> status_{0};
  std::atomic<const char*> lost_{nullptr};  // reason
  std::atomic<bool> clipped_{false};        // the last command
  std::atomic<bool> sending_{false}, stop_wanted_{false}, stopped_{false};
  std::atomic<bool> stopped_itself_{false}, unheard_{false};  // unheard: no answer to the stop
  std::array<char, 512> event_{};                             // the first event: the cause; later ones are consequences
  std::size_t event_size_ = 0;
  std::atomic<bool> event_ready_{false};
};

}  // namespace

std::unique_ptr<Device> makeFramesDevice(const ConnectionSpec& connection, const DeviceChannels& channels) {
  return std::make_unique<FramesDevice>(connection, channels);
}

}  // namespace hyb
