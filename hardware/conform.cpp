#include "hardware/conform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/base/checks.h"
#include "core/base/version.h"
#include "core/loop/realtime.h"
#include "core/rig/frames_protocol.h"
#include "hardware/cobs.h"
#include "hardware/frame_link.h"
#include "hardware/handshake.h"
#include "hardware/port.h"

namespace hyb {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr double kConformSilence_s = 0.5, kConformLate_s = 0.1, kConformPlace_s = 5.0;
constexpr double kConformStep = 1e-4;               // of a command, in its unit
constexpr std::int64_t kConformNudge = 30'000'000;  // ns
constexpr std::uint64_t kConformLook = ~std::uint64_t{0};

struct NotTried {
  std::string why;
};

std::string milliText(double seconds) { return Checks::text(std::round(1e5 * seconds) / 100.0, "ms"); }

}  // namespace

/// A bench in one session with the device.
class Examination {
 public:
  explicit Examination(const ConformSpec& spec) : spec_(spec) { connect(); }
  ~Examination() { leave(); }
  Examination(const Examination&) = delete;
  Examination& operator=(const Examination&) = delete;

  const ConformSpec& spec() const noexcept { return spec_; }
  bool serial() const noexcept { return port_->serial(); }
  std::string note;  // a figure for the report

  void connect() {
    port_ = openPort(spec_.address, spec_.serial, spec_.answer_s);
    link_ = std::make_unique<FrameLink>(*port_, figures_);
  }
  /// A new session, after the old one has been left at rest.
  void again() {
    leave();
    hangUp();
    connect();
  }
  /// As a cable that is pulled: without a word.
  void hangUp() {
    link_.reset();
    port_.reset();
    gone_ = any_ = false;
  }

  Hello hello() const {
    const DeviceChannels& channels = spec_.channels;
    return {programVersion(),
            channels.rate_hz,
            channels.outputs,
            channels.inputs,
            "bench",
            {.timeout_ticks = 5, .silence_s = kConformSilence_s, .safe_action = SafeAction::hold, .ramp_s = 0.1}};
  }
  /// Shows the key and asks for it, where there is one.
  void authenticate() {
    if (!spec_.key) return;
    Hello first = hello();
    first.nonce = randomBytes();
    say(FrameType::hello, writeHello(first));
    expect(FrameType::challenge, "CHALLENGE");
    const Challenge challenge = readChallenge(text_);
    if (challenge.proof != FrameAuth::proof(*spec_.key, *first.nonce, challenge.nonce))
      throw DeviceError("the proof in CHALLENGE is wrong: the device has another key");
    link_->auth.emplace(*spec_.key, *first.nonce, challenge.nonce, FrameAuth::Side::bench);
  }
  Welcome greet() { return greet(hello()); }
  Welcome greet(const Hello& hello) {
    authenticate();
    const std::int64_t until = monotonicNs() + nanosecondsOf(spec_.answer_s);
    for (;;) {  // over a serial line a device that ramps to rest takes no notice of a greeting
      say(FrameType::hello, writeHello(hello));
      const std::uint32_t asked = link_->lastSent();  // a WELCOME for an earlier one has an older session
      bool answered = await(FrameType::welcome, serial() ? 0.5 : spec_.answer_s);
      while (answered && header_.acknowledged < asked) answered = await(FrameType::welcome, spec_.answer_s);
      if (answered) break;
      if (refusal_) throw DeviceError("HELLO was refused: " + refusal_->where + " " + refusal_->message);
      if (monotonicNs() > until) throw DeviceError("HELLO was not answered by WELCOME" + lastWords());
    }
    link_->session = header_.session;
    Welcome welcome = readWelcome(text_);
    positions_ = welcome.positions;
    return welcome;
  }
  void greetAndArm() { greetAndArm(hello()); }
  void greetAndArm(const Hello& hello) {
    (void)greet(hello);
    say(FrameType::arm, writeArm(positions_));
    expect(FrameType::armed, "ARMED");
  }
  /// Greeted, armed, and following commands.
  void run() {
    greetAndArm();
    command(++tick_);
    expect(FrameType::measurement, "MEASUREMENT");
  }

  void say(FrameType type, std::string_view payload = {}, std::uint64_t tick = 0) {
    put(link_->seal({.type = type, .tick = tick, .time_ns = monotonicNs()}, bytes(payload)));
  }
  void ping(std::int64_t t1) {
    std::string payload(8, '\0');
    putInteger(reinterpret_cast<std::uint8_t*>(payload.data()), t1);
    say(FrameType::ping, payload);
  }
  std::string payloadOf(const std::vector<double>& values) const {
    std::string payload(8 * values.size(), '\0');
    for (std::size_t i = 0; i < values.size(); ++i)
      putValue(reinterpret_cast<std::uint8_t*>(&payload[8 * i]), values[i]);
    return payload;
  }
  void command(std::uint64_t tick) { command(tick, positions_); }
  void command(std::uint64_t tick, const std::vector<double>& values) {
    say(FrameType::command, payloadOf(values), tick);
  }
  /// A command with a sequence number of one's own choice. `damage`: a bit of it is turned over.
  void commandNumbered(std::uint32_t sequence, std::uint64_t tick, bool damage = false) {
    std::vector<std::uint8_t> plain(kMaxFrame), coded(cobsBound(kMaxFrame) + 1);
    const std::string payload = payloadOf(positions_);
    std::span<const std::uint8_t> frame = std::span(plain).first(
        encodeFrame({.type = FrameType::command, .sequence = sequence, .tick = tick, .session = link_->session},
                    bytes(payload), plain, link_->auth ? &*link_->auth : nullptr));
    if (damage) plain[kFrameHeader] = static_cast<std::uint8_t>(plain[kFrameHeader] ^ 1u);
    if (serial()) {
      const std::size_t end = cobsEncode(frame, coded.data());
      coded[end] = 0;
      frame = std::span(coded).first(end + 1);
    }
    put(frame);
  }

  /// The next frame of this type; false: not within the time, or the device is gone.
  bool await(FrameType type, double seconds) {
    const std::int64_t until = monotonicNs() + nanosecondsOf(seconds);
    seen_ = {};
    refusal_.reset();
    while (!gone_) {
      Frame frame;
      const FrameLink::Got got = link_->receive(frame);
      if (got == FrameLink::Got::ended) gone_ = true;
      if (got == FrameLink::Got::frame) {
        arrived_ns_ = monotonicNs();
        header_ = frame.header;
        text_.assign(frame.payload.begin(), frame.payload.end());
        numbers(header_);
        seen_[static_cast<std::size_t>(header_.type)] = true;
        if (header_.type == FrameType::event) event_ = readMessage(text_);
        if (header_.type == FrameType::refuse) refusal_ = readRefusal(text_);
        if (header_.type == type) return true;
        if (header_.type == FrameType::refuse && type != FrameType::pong) return false;
        continue;
      }
      const std::int64_t left = until - monotonicNs();
      if (left <= 0) return false;
      // A terminal may keep the last bytes until more are written.
      const bool quiet = !port_->waitReadable(nanoseconds(serial() && nudges_ ? std::min(left, kConformNudge) : left));
      if (quiet && serial() && nudges_) ping(asked_);
    }
    return false;
  }
  bool await(FrameType type) { return await(type, spec_.answer_s); }
  void expect(FrameType type, const char* name) { expect(type, name, spec_.answer_s); }
  void expect(FrameType type, const char* name, double seconds) {
    if (await(type, seconds)) return;
    throw DeviceError(std::string("no ") + name + " came" + lastWords());
  }
  /// What has been sent before has been dealt with; seen() tells what was answered. The status word is that of now.
  void settle() {
    asked_ = monotonicNs();
    const std::int64_t until = asked_ + nanosecondsOf(spec_.answer_s);
    ping(asked_);
    std::array<bool, 256> all{};
    for (Frame pong; pong.values() == 0 || pong.integer(0) != asked_;) {
      expect(FrameType::pong, "PONG", 1e-9 * static_cast<double>(until - monotonicNs()));
      for (std::size_t type = 0; type < all.size(); ++type) all[type] = all[type] || seen_[type];
      if (text_.size() == 24) pong.payload = bytes(text_);
    }
    seen_ = all;
  }
  /// From here on nothing is sent while it waits.
  void staySilent() { nudges_ = false; }
  bool seen(FrameType type) const { return seen_[static_cast<std::size_t>(type)]; }
  bool has(std::uint32_t bit) const { return (header_.status & bit) != 0; }
  /// The device tells of its stop by EVENT and STOPPED; "" if it does.
  std::string stops(double seconds) {
    event_.clear();
    const std::int64_t until = monotonicNs() + nanosecondsOf(seconds);
    while (monotonicNs() < until && await(FrameType::stopped, 1e-9 * static_cast<double>(until - monotonicNs())))
      if (!event_.empty()) return {};
    return event_.empty() ? "the device did not stop by itself" : "EVENT came, but not STOPPED";
  }
  /// The same at once, before any later frame is answered.
  std::string stopsAtOnce() {
    event_.clear();
    settle();
    if (!seen(FrameType::stopped)) return "the device did not stop";
    return seen(FrameType::event) ? std::string() : "STOPPED came, but no EVENT with the reason";
  }
  std::string lastWords() const {
    if (refusal_) return "; the device refused: " + refusal_->where + " " + refusal_->message;
    return event_.empty() ? std::string() : "; the device said: " + event_;
  }

  const FrameHeader& header() const { return header_; }
  const std::string& text() const { return text_; }
  const std::string& event() const { return event_; }
  const std::optional<Issue>& refusal() const { return refusal_; }
  std::int64_t arrivedNs() const { return arrived_ns_; }
  FrameLink& link() { return *link_; }
  bool gone() const { return gone_; }
  std::vector<double>& positions() { return positions_; }
  std::uint64_t nextTick() { return ++tick_; }
  std::uint64_t lastTick() const { return tick_; }
  /// What is wrong with the numbers of its frames; "": nothing.
  const std::string& misnumbered() const { return misnumbered_; }

 private:
  static std::int64_t nanosecondsOf(double seconds) { return static_cast<std::int64_t>(1e9 * seconds); }
  void put(std::span<const std::uint8_t> frame) { (void)port_->writeAll(frame, milliseconds(1000)); }
  void numbers(const FrameHeader& header) {
    // A serial line may still deliver what was said to the bench before.
    const bool greets = header.type == FrameType::welcome && header.acknowledged <= link_->lastSent();
    if (serial() && link_->session == 0 && !greets) return;
    if (any_ && header.sequence != last_sequence_ + 1)
      misnumbered_ = "sequence " + std::to_string(header.sequence) + " follows " + std::to_string(last_sequence_);
    if (header.acknowledged == 0 || header.acknowledged > link_->lastSent())
      misnumbered_ = "it acknowledges sequence " + std::to_string(header.acknowledged) + "; the last one sent was " +
                     std::to_string(link_->lastSent());
    any_ = true;
    last_sequence_ = header.sequence;
  }
  /// Leaves the device at rest for the next session.
  void leave() noexcept {
    if (!link_) return;
    try {
      if (!gone_) {
        say(FrameType::stop);
        for (int k = 0; k < 20 && await(FrameType::stopped, 0.5) && !has(kDeviceStopped); ++k) {
        }
        say(FrameType::bye);
      }
    } catch (const std::exception&) {  // it breaks its rules when it is left, too
    }
  }

  const ConformSpec& spec_;
  std::unique_ptr<Port> port_;
  LinkFigures figures_;
  std::unique_ptr<FrameLink> link_;
  FrameHeader header_;
  std::string text_, event_, misnumbered_;
  std::optional<Issue> refusal_;
  std::array<bool, 256> seen_{};
  std::vector<double> positions_;
  std::uint64_t tick_ = 0;
  std::int64_t arrived_ns_ = 0;
  std::uint32_t last_sequence_ = 0;
  bool any_ = false, gone_ = false, nudges_ = true;
  /// What settle() asks with. Nudges repeat it: a device may rightly ignore the first ping after a frame with its
  /// number.
  std::int64_t asked_ = 0;
};

namespace {

std::string greeting(Examination& device) {
  const Welcome welcome = device.greet();
  const Hello wanted = device.hello();
  for (const auto& issue : {difference(wanted.commands, welcome.accepted.commands, "/commands"),
                            difference(wanted.measurements, welcome.accepted.measurements, "/measurements")})
    if (issue) return "WELCOME: " + issue->where + " " + issue->message;
  if (welcome.accepted.version != wanted.version)
    return "WELCOME has version " + std::to_string(welcome.accepted.version) + " instead of " +
           std::to_string(wanted.version);
  if (welcome.accepted.timing.silence_s != wanted.timing.silence_s ||
      welcome.accepted.timing.timeout_ticks != wanted.timing.timeout_ticks)
    return "WELCOME does not repeat silence_ms and timeout_ticks";
  if (device.header().session == 0) return "the session of WELCOME is 0";
  device.note = welcome.serial;
  return {};
}

/// A greeting that must be refused at `pointer`.
std::string refusedAt(Examination& device, const Hello& hello, const std::string& pointer) {
  device.authenticate();
  device.say(FrameType::hello, writeHello(hello));
  if (device.await(FrameType::refuse) && device.refusal()->where == pointer) return {};
  if (device.seen(FrameType::welcome)) return "the greeting was accepted";
  return device.refusal() ? "refused at \"" + device.refusal()->where + "\" instead of \"" + pointer + "\""
                          : "no REFUSE came";
}

std::string wrongRate(Examination& device) {
  Hello hello = device.hello();
  hello.rate_hz *= 1.5;
  return refusedAt(device, hello, "/rate_hz");
}

std::string wrongChannels(Examination& device) {
  Hello hello = device.hello();
  hello.commands[0].name += "x";
  if (std::string wrong = refusedAt(device, hello, "/commands/0/name"); !wrong.empty()) return wrong;
  device.again();
  hello = device.hello();
  hello.measurements[0].units += "x";
  return refusedAt(device, hello, "/measurements/0/units");
}

std::string reading(Examination& device) {
  (void)device.greet();
  device.say(FrameType::hold, {}, kConformLook);
  device.expect(FrameType::measurement, "MEASUREMENT after HOLD");
  if (device.header().tick != kConformLook) return "the MEASUREMENT has another tick than the HOLD";
  if (device.text().size() != 8 * device.spec().channels.inputs.size())
    return "the MEASUREMENT has " + std::to_string(device.text().size() / 8) + " values";
  return device.has(kDeviceEnabled) ? "the status says enabled before it is armed" : std::string();
}

std::string unarmed(Examination& device) {
  (void)device.greet();
  device.command(device.nextTick());
  device.settle();
  if (device.seen(FrameType::measurement)) return "a COMMAND before ARM was answered by MEASUREMENT";
  return device.has(kDeviceEnabled) ? "the status says enabled" : std::string();
}

std::string armPositions(Examination& device) {
  (void)device.greet();
  std::vector<double> elsewhere = device.positions();
  elsewhere[0] += 1e3 * (1.0 + std::abs(elsewhere[0]));
  device.say(FrameType::arm, writeArm(elsewhere));
  if (device.await(FrameType::refuse) && device.refusal()->where.starts_with("/positions")) return {};
  return device.seen(FrameType::armed) ? "ARM far from the present position was accepted"
                                       : "no REFUSE at /positions came";
}

std::string arming(Examination& device) {
  device.greetAndArm();
  return device.has(kDeviceEnabled) ? std::string() : "ARMED came without the status bit 0 (enabled)";
}

std::string answers(Examination& device) {
  device.greetAndArm();
  std::vector<std::int64_t> trips;
  for (int k = 0; k < 100; ++k) {
    const std::uint64_t tick = device.nextTick();
    const std::int64_t sent = monotonicNs();
    device.command(tick);
    device.expect(FrameType::measurement, "MEASUREMENT after COMMAND");
    trips.push_back(device.arrivedNs() - sent);
    if (device.header().tick != tick)
      return "the MEASUREMENT of tick " + std::to_string(tick) + " has tick " + std::to_string(device.header().tick);
    if (device.text().size() != 8 * device.spec().channels.inputs.size())
      return "the MEASUREMENT has " + std::to_string(device.text().size() / 8) + " values";
  }
  std::sort(trips.begin(), trips.end());
  device.note = "round trip " + milliText(1e-9 * static_cast<double>(trips[50])) + ", longest of 100 " +
                milliText(1e-9 * static_cast<double>(trips.back()));
  return {};
}

std::string oldTicks(Examination& device) {
  device.run();
  device.command(device.lastTick());
  device.settle();
  return device.seen(FrameType::measurement) ? "a COMMAND whose tick is not newer was answered" : std::string();
}

std::string otherSession(Examination& device) {
  device.run();
  device.link().session ^= 1;
  device.command(device.nextTick());
  device.link().session ^= 1;
  device.settle();
  return device.seen(FrameType::measurement) ? "a COMMAND of another session was answered" : std::string();
}

std::string oldSequence(Examination& device) {
  device.run();
  device.commandNumbered(device.link().lastSent(), device.nextTick());
  device.settle();
  return device.seen(FrameType::measurement) ? "a COMMAND whose sequence is not newer was answered" : std::string();
}

std::string damagedFrames(Examination& device) {
  device.run();
  device.commandNumbered(device.link().lastSent() + 1, device.nextTick(), true);
  if (device.serial()) {
    device.settle();
    if (device.seen(FrameType::measurement)) return "a damaged COMMAND was answered";
    device.command(device.nextTick());
    device.expect(FrameType::measurement, "MEASUREMENT after a damaged frame");
    return {};
  }
  (void)device.await(FrameType::bye);
  if (device.seen(FrameType::measurement)) return "a damaged COMMAND was answered";
  if (!device.seen(FrameType::event)) return "the session did not end with the reason by EVENT";
  return device.seen(FrameType::bye) ? std::string() : "the session did not end with BYE";
}

std::string notANumber(Examination& device) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    device.again();
    device.run();
    std::vector<double> values = device.positions();
    values[0] = bad;
    device.command(device.nextTick(), values);
    if (const std::string wrong = device.stopsAtOnce(); !wrong.empty())
      return Checks::text(bad, "") + " as a command: " + wrong;
    device.note = device.event();
  }
  return {};
}

/// Asks for a range that is narrow around the present position.
std::string clamps(Examination& device) {
  (void)device.greet();
  Hello hello = device.hello();
  DeviceChannel& first = hello.commands[0];
  const double at = device.positions()[0];
  first.min = std::max(first.min, at - kConformStep);
  first.max = std::min(first.max, at + kConformStep);
  device.again();
  const double end = device.greet(hello).accepted.commands[0].max;
  if (!(std::abs(end - at) < 1.5 * kConformStep))
    throw NotTried{"the device does not take a narrow range for " + first.name +
                   "; beyond its own one it would move far"};
  device.say(FrameType::arm, writeArm(device.positions()));
  device.expect(FrameType::armed, "ARMED");
  device.command(device.nextTick());
  device.expect(FrameType::measurement, "MEASUREMENT");
  std::vector<double> values = device.positions();
  values[0] = end + kConformStep;
  device.command(device.nextTick(), values);
  device.expect(FrameType::measurement, "MEASUREMENT of a command outside the range");
  return device.has(kDeviceCommandClipped) ? std::string()
                                           : "a command outside the agreed range did not set the status bit 7";
}

std::string staleCommand(Examination& device) {
  Hello hello = device.hello();
  hello.timing.silence_s = 10.0;
  device.greetAndArm(hello);
  device.command(device.nextTick());
  device.expect(FrameType::measurement, "MEASUREMENT");
  const std::int64_t from = monotonicNs();
  const double wait_s = hello.timing.timeout_ticks / hello.rate_hz;
  while (1e-9 * static_cast<double>(monotonicNs() - from) < 2.0 * wait_s + kConformLate_s) {
    device.settle();
    if (!device.has(kDeviceStaleCommand)) continue;
    device.note =
        "after " + milliText(1e-9 * static_cast<double>(monotonicNs() - from)) + " (agreed " + milliText(wait_s) + ")";
    return {};
  }
  return "the status bit 13 was not set within " + milliText(2.0 * wait_s + kConformLate_s);
}

std::string watchdog(Examination& device) {
  device.run();
  const std::int64_t from = device.arrivedNs();
  std::string wrong = device.stops(kConformSilence_s + 5.0);
  if (!wrong.empty()) return wrong;
  const double took_s = 1e-9 * static_cast<double>(device.arrivedNs() - from);
  std::string told = "it stopped after " + milliText(took_s) + " (agreed " + milliText(kConformSilence_s) + ")";
  // The answer to the last command came after the device began to count.
  if (took_s < 0.9 * kConformSilence_s || took_s > kConformSilence_s + kConformLate_s) return told;
  device.note = told;
  return {};
}

std::string holdFeeds(Examination& device) {
  device.run();
  const std::int64_t from = monotonicNs();
  while (1e-9 * static_cast<double>(monotonicNs() - from) < 3.0 * kConformSilence_s) {
    device.say(FrameType::hold);
    device.settle();
    if (device.seen(FrameType::stopped)) return "it stopped although HOLD came" + device.lastWords();
    (void)device.await(FrameType::stopped, 0.02);
    if (device.seen(FrameType::stopped)) return "it stopped although HOLD came" + device.lastWords();
  }
  return {};
}

std::string staysStopped(Examination& device) {
  device.run();
  device.say(FrameType::stop);
  device.expect(FrameType::stopped, "STOPPED");
  device.command(device.nextTick());
  device.say(FrameType::arm, writeArm(device.positions()));
  device.settle();
  if (device.seen(FrameType::measurement)) return "a COMMAND after STOP was answered by MEASUREMENT";
  if (device.seen(FrameType::armed)) return "ARM after STOP was accepted without a new HELLO";
  return device.has(kDeviceStopped) ? std::string() : "the status bit 3 (stopped) is not set";
}

std::string stopping(Examination& device) {
  device.run();
  const std::int64_t from = monotonicNs();
  device.say(FrameType::stop);
  // Before the watchdog would stop it.
  if (!device.await(FrameType::stopped, 0.8 * kConformSilence_s))
    return "STOP was not confirmed within " + milliText(0.8 * kConformSilence_s);
  device.note = "confirmed after " + milliText(1e-9 * static_cast<double>(device.arrivedNs() - from));
  return {};
}

std::string jumpingTicks(Examination& device) {
  device.run();
  const auto beyond = static_cast<std::uint64_t>(std::ceil(3.0 * kConformSilence_s * device.spec().channels.rate_hz));
  device.command(device.lastTick() + beyond);
  if (const std::string wrong = device.stopsAtOnce(); !wrong.empty())
    return "the tick of a command jumped by " + std::to_string(beyond) + " periods: " + wrong;
  device.note = device.event();
  return {};
}

std::string pings(Examination& device) {
  (void)device.greet();
  device.staySilent();
  const std::int64_t own = 123456789012345;
  device.ping(own);
  device.expect(FrameType::pong, "PONG");
  Frame pong;
  pong.payload = bytes(device.text());
  if (pong.values() != 3) return "PONG has " + std::to_string(pong.values()) + " values instead of 3";
  if (pong.integer(0) != own) return "PONG does not repeat the time of the PING";
  return pong.integer(2) >= pong.integer(1) ? std::string() : "PONG was sent before the PING came";
}

std::string numbering(Examination& device) {
  device.run();
  for (int k = 0; k < 10; ++k) {
    device.command(device.nextTick());
    const std::uint32_t sequence = device.link().lastSent();
    device.expect(FrameType::measurement, "MEASUREMENT");
    if (device.header().acknowledged < sequence)
      return "the MEASUREMENT acknowledges sequence " + std::to_string(device.header().acknowledged) +
             "; the COMMAND had " + std::to_string(sequence);
  }
  return device.misnumbered();
}

std::string closing(Examination& device) {
  if (device.serial()) throw NotTried{"a serial line cannot be closed"};
  Hello hello = device.hello();
  hello.timing.silence_s = 10.0;  // so that only the closing stops it
  device.greetAndArm(hello);
  device.command(device.nextTick());
  device.expect(FrameType::measurement, "MEASUREMENT");
  const std::int64_t closed = monotonicNs();
  device.hangUp();
  device.connect();
  (void)device.greet();
  device.settle();
  // A device that does not notice the closing stops when the bench has been silent for long enough to lose its place.
  if (const double took_s = 1e-9 * static_cast<double>(monotonicNs() - closed); took_s > 0.9 * kConformPlace_s)
    return "the next bench was served only after " + milliText(took_s) + ", when the silence had stopped the rig";
  return device.has(kDeviceEnabled) ? "the status says enabled after the connection was closed" : std::string();
}

std::string silentBench(Examination& device) {
  device.run();
  device.staySilent();
  const std::int64_t from = device.arrivedNs();
  (void)device.await(FrameType::bye, kConformPlace_s + 2.0);
  if (!device.seen(FrameType::bye)) return "a bench that was silent for 7 s kept its place";
  const double took_s = 1e-9 * static_cast<double>(device.arrivedNs() - from);
  if (took_s < 0.9 * kConformPlace_s) return "the bench lost its place after " + milliText(took_s) + " already";
  device.note = "after " + milliText(took_s);
  return {};
}

std::string keys(Examination& device) {
  if (!device.spec().key) throw NotTried{"no key; give --key-file"};
  device.say(FrameType::hello, writeHello(device.hello()));  // without a nonce
  if (!device.await(FrameType::refuse) || device.refusal()->where != "/nonce")
    return "a HELLO without nonce was not refused at /nonce";
  device.again();
  device.run();
  device.link().auth.reset();  // plain from here on
  device.command(device.nextTick());
  (void)device.await(FrameType::measurement, 2.0 * kConformSilence_s);
  return device.seen(FrameType::measurement) ? "a COMMAND that is not sealed was followed" : std::string();
}

constexpr std::array<ConformRule, 25> kConformRules = {{
    {"greeting", "HELLO is answered by WELCOME with the same channels.", greeting},
    {"rate", "A HELLO with another rate is refused at /rate_hz.", wrongRate},
    {"channels", "A HELLO with another name or unit is refused at its place.", wrongChannels},
    {"reading", "Greeted, HOLD is answered by a MEASUREMENT of its tick; the rig is not enabled.", reading},
    {"unarmed", "A COMMAND before ARM is not followed.", unarmed},
    {"arm-positions", "ARM is refused where its positions are not those of the rig.", armPositions},
    {"arming", "ARM is answered by ARMED with the status bit 0.", arming},
    {"answers", "Each COMMAND is answered by a MEASUREMENT with its tick and all values.", answers},
    {"numbering", "Frames are numbered one by one and acknowledge the last frame received.", numbering},
    {"ping", "PING is answered by PONG with its time, the time of receipt and of answer.", pings},
    {"old-tick", "A COMMAND whose tick is not newer is ignored.", oldTicks},
    {"old-sequence", "A frame whose sequence is not newer is ignored.", oldSequence},
    {"session", "A frame of another session is ignored.", otherSession},
    {"damage", "A damaged frame is ignored; over TCP it ends the session with EVENT and BYE.", damagedFrames},
    {"not-a-number", "A command that is not a number stops the rig, with the reason by EVENT.", notANumber},
    {"clamps", "A command outside the agreed range is clipped and sets the status bit 7.", clamps},
    {"tick-jump", "A tick that jumps by more than silence_ms stops the rig.", jumpingTicks},
    {"stale", "Without a command for timeout_ticks the status bit 13 is set.", staleCommand},
    {"watchdog", "Without a command for silence_ms the rig stops, with EVENT and STOPPED.", watchdog},
    {"hold", "HOLD keeps an armed rig from stopping.", holdFeeds},
    {"stop", "STOP is confirmed by STOPPED.", stopping},
    {"stays-stopped", "A stopped rig follows no COMMAND and no ARM without HELLO.", staysStopped},
    {"close", "A closed connection stops the rig, and the next bench is served.", closing},
    {"place", "A bench that is silent for 5 s loses its place, with BYE.", silentBench},
    {"key", "With a key, frames that are not sealed are not followed.", keys},
}};

/// `first`: throws if there is no connection at all.
ConformResult tried(const ConformRule& rule, const ConformSpec& spec, bool first) {
  ConformResult result{rule.name, rule.says, Conformity::broken, {}};
  bool connected = false;
  try {
    Examination device(spec);
    connected = true;
    result.detail = rule.check(device);
    if (result.detail.empty()) result = {rule.name, rule.says, Conformity::kept, device.note};
  } catch (const NotTried& reason) {
    result = {rule.name, rule.says, Conformity::not_tried, reason.why};
  } catch (const InputError& error) {
    result.detail = "the JSON of the device: " + error.issues().front().where + " " + error.issues().front().message;
  } catch (const DeviceError& error) {
    if (first && !connected) throw;
    result.detail = error.what();
  }
  return result;
}

}  // namespace

const char* words(Conformity conformity) noexcept {
  switch (conformity) {
    case Conformity::kept:
      return "kept";
    case Conformity::broken:
      return "BROKEN";
    case Conformity::not_tried:
      return "not tried";
  }
  return "";
}

std::span<const ConformRule> conformRules() noexcept { return kConformRules; }

std::vector<ConformResult> conform(const ConformSpec& spec, const std::vector<std::string>& names,
                                   const std::function<void(const ConformResult&)>& say) {
  std::string all;
  for (const ConformRule& rule : kConformRules) all += (all.empty() ? "" : ", ") + std::string(rule.name);
  for (const std::string& name : names)
    if (std::none_of(kConformRules.begin(), kConformRules.end(),
                     [&](const ConformRule& rule) { return rule.name == name; }))
      throw InputError("--rule " + name, "is no rule; the rules are " + all + ".");
  std::vector<ConformResult> results;
  for (const ConformRule& rule : kConformRules) {
    const bool greets = rule.check == greeting;  // without it no other rule can be tried
    if (!greets && !names.empty() && std::find(names.begin(), names.end(), rule.name) == names.end()) continue;
    const bool possible = results.empty() || results.front().conformity == Conformity::kept;
    results.push_back(possible ? tried(rule, spec, results.empty())
                               : ConformResult{rule.name, rule.says, Conformity::not_tried, "the greeting failed"});
    if (say) say(results.back());
  }
  return results;
}

}  // namespace hyb
