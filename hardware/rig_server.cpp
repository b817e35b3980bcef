#include "hardware/rig_server.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "core/base/checks.h"
#include "core/excitation/excitation.h"
#include "core/rig/device_channels.h"
#include "core/rig/frames_protocol.h"
#include "hardware/frame_link.h"
#include "hardware/handshake.h"
#include "hardware/port.h"
#include "hardware/wire_faults.h"

namespace hyb {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kIdle = 50 * kMillisecond;  // longest sleep before the next check for an end
constexpr milliseconds kLastWords(200);            // for a bench to read the last message
constexpr int kFramesAtOnce = 64;                  // before the next check of the watchdog
constexpr double kLongestJump_s = 1.0;             // between the ticks of two commands
constexpr double kJitter_s = 0.02;                 // of a link, at the first command
constexpr double kLongestCatchUp_s = 10.0;         // of the ramp after this computer was suspended

std::int64_t ns(double seconds) noexcept { return static_cast<std::int64_t>(1e9 * seconds); }

}  // namespace

struct RigServer::Impl {
  Impl(std::unique_ptr<Rig> given, RigServerSpec given_spec, std::function<void(const std::string&)> given_say,
       Clock& given_clock)
      : rig(std::move(given)),
        spec(std::move(given_spec)),
        say(given_say ? std::move(given_say) : [](const std::string&) {}),
        clock(given_clock),
        wanted(deviceChannels(spec.channels, spec.rate_hz)),
        guard(spec.bounds, 1.0 / spec.rate_hz),
        listener(spec.listen, spec.serial),
        wire(spec.seed),
        payload(8 * wanted.inputs.size()) {
    if (!spec.key && !spec.trust_network && !listener.onThisComputerOnly())
      throw InputError(
          "--listen",
          "is \"" + spec.listen.text() +
              "\": other computers can reach that address and move the rig. Use a key (--key-file FILE; --new-key FILE "
              "creates one), or --trust-network if everybody on this network may move the rig. tcp://127.0.0.1:" +
              std::to_string(spec.listen.port) + " serves only this computer.");
    const std::vector<Channel> further = rig->channels();
    columns.assign(further.size(), 0.0);
    for (const ChannelSpec& channel : spec.channels) {
      const auto own = std::ranges::find(further, channel.name, &Channel::name);
      monitored.push_back(channel.role == ChannelRole::monitor && own != further.end() ? own - further.begin() : -1);
    }
    const auto n = static_cast<Eigen::Index>(rig->interfaces());
    for (Eigen::VectorXd* vector : {&reading.measured, &reading.force, &command.position, &command.rate, &start})
      vector->setZero(n);
  }

  // One partner after the other.

  void serve(const std::function<bool()>& ended) {
    while (!ended()) {
      port = other ? std::move(other) : listener.accept(milliseconds(kIdle / kMillisecond));
      if (!port) continue;
      link = std::make_unique<FrameLink>(*port, figures);
      heard_at = spoke_at = busy_looked_at = clock.nowNs();
      state = State::listening;
      say("connected: " + port->name());
      session(ended);
      rig->safeStop();
      const bool line_gone = port->serial() && !ended();  // a serial line never ends by itself
      if (!gone) port->hangUp(kLastWords);
      link.reset();
      port.reset();
      state = State::listening;
      if (line_gone)
        throw DeviceError(listener.address() + ": the serial line is gone; plug it in and restart the rig.");
      say("waiting at " + listener.address());
    }
  }

  bool moving() const noexcept { return state == State::armed || state == State::stopping; }

  void session(const std::function<bool()>& ended) {
    bool open = true;  // the connection
    gone = false;
    while (open || moving()) {
      const std::int64_t at = clock.nowNs();
      const std::int64_t left = std::clamp<std::int64_t>(wakeAt(at) - at, 0, kIdle);
      if (open)
        port->waitReadable(nanoseconds(left));
      else
        (void)clock.sleepUntilNs(at + left);
      if (open && !receive()) {
        open = false;
        leave();
      }
      if (ended()) {
        if (state == State::armed) beginSafeAction("the rig was told to end");
        if (!moving()) open = false;
      }
      watch();
      if (open && silent() && !moving()) open = releasePlace();
      flush();
      if (open) refuseOthers();
    }
    send({.type = FrameType::bye}, {});
    flush();
  }

  /// Time of the next action without a frame.
  std::int64_t wakeAt(std::int64_t at) const {
    std::int64_t next = at + kIdle;
    if (state == State::armed && any_command) next = std::min(next, heard_at + ns(timing.silence_s));
    if (!port->serial() || state != State::listening) next = std::min(next, spoke_at + ns(spec.place_s));
    if (state == State::stopping) next = std::min(next, moved_at + std::max(kMillisecond, ns(1.0 / spec.rate_hz)));
    if (const auto due = wire.nextNs()) next = std::min(next, *due);
    return next;
  }

  /// True for a silent partner, which must not block others. A partner without greeting must greet within this time.
  bool silent() const { return clock.nowNs() - spoke_at > ns(spec.place_s); }

  /// Removes the silent bench. False: its connection ends; a serial line stays for the next partner.
  bool releasePlace() {
    if (state != State::listening) {
      const std::string why = "the bench was silent for " + Checks::text(spec.place_s, "s") + " and lost its place";
      say(why);
      send({.type = FrameType::event}, bytes(writeMessage(why + "; connect again")));
    }
    if (!port->serial()) return false;
    if (state == State::listening) return true;
    send({.type = FrameType::bye}, {});
    state = State::listening;
    link->session = 0;
    link->auth.reset();
    link->challenged.reset();
    return true;
  }

  /// The connection has ended, or frame boundaries are lost.
  void leave() {
    gone = link->closed() || *link->ending() == '\0';  // or has said goodbye
    if (!gone && *link->damage() == '\0') {            // sealed with another key, or recorded
      const char* const why = "a frame is not sealed with the key for this session: another key, or a recorded session";
      say(std::string("refused: ") + why);
      if (state == State::armed) return beginSafeAction(why);
      return send({.type = FrameType::refuse}, bytes(writeRefusal({"", std::string(why) + "."})));
    }
    if (state == State::armed)
      beginSafeAction(gone ? "the bench closed the connection" : "");
    else if (!gone)
      send({.type = FrameType::event}, bytes(writeMessage("disconnected: " + damageWords())));
  }

  std::string damageWords() const {
    const std::uint64_t count = link->damaged.load(std::memory_order_relaxed);
    if (count == 0) return {};
    return std::to_string(count) + (count == 1 ? " damaged frame" : " damaged frames") + " came from the bench (" +
           link->damage() + "): check the cable";
  }

  void refuseOthers() {
    if (port->serial() || clock.nowNs() - busy_looked_at < 4 * kIdle) return;
    busy_looked_at = clock.nowNs();
    if (other) {  // after time to greet: a refusal answers the greeting
      LinkFigures unused;
      FrameLink answer(*other, unused);
      Frame frame;
      (void)answer.receive(frame);
      answer.send({.type = FrameType::refuse, .time_ns = clock.nowNs()},
                  bytes(writeRefusal({"", "serves another bench; disconnect that one first."})));
    }
    other = listener.accept(milliseconds(0));
  }

  // Incoming frames.

  bool receive() {
    Frame frame;
    for (int count = 0; count < kFramesAtOnce; ++count) {
      const FrameLink::Got got = link->receive(frame);
      if (got == FrameLink::Got::nothing) return true;
      if (got == FrameLink::Got::ended) {
        say(std::string("disconnected: ") + link->ending());
        return false;
      }
      // With a key, a frame without it can only request a challenge.
      if (spec.key && !frame.sealed() && frame.header.type != FrameType::hello) continue;
      if (state != State::listening && (!spec.key || frame.sealed())) spoke_at = clock.nowNs();
      // A restarted bench is served; otherwise a cut would outlast its test.
      if (wire.cut() && (frame.header.type != FrameType::hello || moving())) continue;
      try {
        if (!handle(frame)) return false;
      } catch (const InputError& error) {
        refuse(error.issues().front());
      }
    }
    return true;
  }

  bool handle(const Frame& frame) {
    switch (frame.header.type) {
      case FrameType::hello:
        if (spec.key && !frame.sealed())
          challenge(frame);
        else
          greet(frame);
        break;
      case FrameType::arm:
        arm(frame);
        break;
      case FrameType::command:
        obey(frame);
        break;
      case FrameType::hold:  // armed: keeps the last command and feeds the watchdog
        if (state == State::armed) heard_at = clock.nowNs();
        if (state == State::greeted) answerReading(frame);
        break;
      case FrameType::stop:
        if (state == State::armed) beginSafeAction("the bench said stop");
        if (state == State::greeted) state = State::stopped;
        send({.type = FrameType::stopped}, {});
        break;
      case FrameType::ping:
        if (frame.values() == 1) pong(frame.integer(0));
        break;
      case FrameType::event: {
        const auto [fault, begin] = readFault(text(frame));
        if (!ownFault(fault)) inject(fault, begin);
        break;
      }
      case FrameType::bye:
        if (state == State::armed) beginSafeAction("the bench said goodbye");
        return port->serial();
      default:
        break;
    }
    return true;
  }

  /// Proves that the rig has the key, and lets the bench prove it by a greeting sealed for this session.
  void challenge(const Frame& frame) {
    const std::optional<Bytes32> theirs = readHello(text(frame)).nonce;
    if (!theirs)
      throw InputError("/nonce",
                       "is missing: this rig serves only benches with its key. Enter the key file in the project.");
    const Bytes32 own = randomBytes();
    link->challenged.emplace(*spec.key, *theirs, own, FrameAuth::Side::rig);
    send({.type = FrameType::challenge}, bytes(writeChallenge({own, FrameAuth::proof(*spec.key, *theirs, own)})));
  }

  void greet(const Frame& frame) {
    if (state == State::stopping) return;  // over a serial line the request is repeated
    if (state == State::armed) {
      if (any_command || !port->serial()) throw InputError("", "is armed; send STOP first.");
      beginSafeAction("a bench begins anew");  // over a serial line the bench that armed cannot hang up
    }
    const Hello hello = readHello(text(frame));
    if (hello.pacing != "bench") throw InputError("/pacing", "must be bench: this rig has no clock of its own.");
    if (std::abs(hello.rate_hz - spec.rate_hz) > 1e-9 * spec.rate_hz)
      throw InputError("/rate_hz", "is " + Checks::text(hello.rate_hz, "Hz") + "; this rig runs at " +
                                       Checks::text(spec.rate_hz, "Hz") + ".");
    if (const auto issue = difference(hello.commands, wanted.outputs, "/commands"))
      throw InputError(issue->where, issue->message);
    if (const auto issue = difference(hello.measurements, wanted.inputs, "/measurements"))
      throw InputError(issue->where, issue->message);

    // Restart at rest.
    rig->open();
    wire.clear();
    fault_on.assign(spec.faults.size(), false);
    injected = 0;
    any_command = any_clipped = false;
    spoke_at = clock.nowNs();
    link->damaged.store(0, std::memory_order_relaxed);
    command.position.setZero();
    command.rate.setZero();
    sample(0);
    timing = hello.timing;
    link->session = nextSession();
    Welcome welcome{hello, rig->description(), 1, rig->interlocks(), {}, {}, true};
    welcome.accepted.commands = wanted.outputs;
    welcome.accepted.measurements = wanted.inputs;
    for (const ChannelSpec& channel : spec.channels) {
      welcome.calibration_date = std::max(welcome.calibration_date, channel.calibrated_on.substr(0, 40));
      if (isOutput(channel.role)) welcome.positions.push_back(rawValue(channel, standing(channel)));
    }
    state = State::greeted;
    send({.type = FrameType::welcome}, bytes(writeWelcome(welcome)));
    say("greeted by HybridBench " + hello.software_version);
  }

  std::uint32_t nextSession() {
    static thread_local std::random_device device;
    std::uint32_t id = 0;
    while (id == 0 || id == link->session) id = device();
    return id;
  }

  double standing(const ChannelSpec& channel) const {
    if (channel.role != ChannelRole::command) return 0.0;
    const Eigen::Index i = channel.interface - 1;
    return spec.from_readings.size() == 0 ? reading.measured[i] : spec.from_readings.row(i).dot(reading.measured);
  }

  void arm(const Frame& frame) {
    if (state != State::armed) {
      if (state != State::greeted) throw InputError("", "must be greeted (HELLO) before it is armed.");
      const std::vector<double> positions = readArm(text(frame));
      if (positions.size() != wanted.outputs.size()) throw InputError("/positions", "must have one value per command.");
      std::size_t k = 0;
      for (const ChannelSpec& channel : spec.channels) {
        if (!isOutput(channel.role)) continue;
        const double away = std::abs(scaledValue(channel, positions[k]) - standing(channel));
        if (!(away <= spec.arm_tolerance_m))
          throw InputError("/positions/" + std::to_string(k),
                           "is " + Checks::text(away, "") + " (SI) away from where " + channel.name +
                               " is; allowed are " + Checks::text(spec.arm_tolerance_m, "") + ".");
        if (channel.role == ChannelRole::command)
          command.position[channel.interface - 1] = scaledValue(channel, positions[k]);
        ++k;
      }
      say("armed");
      state = State::armed;
    }
    send({.type = FrameType::armed}, encoded());
  }

  /// Answers a bench that only reads: nothing moves, and the rig time stops until the first command.
  void answerReading(const Frame& frame) {
    sample(0);
    send({.type = FrameType::measurement, .tick = frame.header.tick, .time_ns = sampled_at}, encoded());
  }

  /// A command: simulates the rig through the ticks since the last one, samples it, and applies the new command.
  void obey(const Frame& frame) {
    if (state != State::armed) {
      if (state != State::greeted) send({.type = FrameType::stopped}, {});
      return;
    }
    const std::uint64_t tick = frame.header.tick;
    if (frame.payload.size() != 8 * wanted.outputs.size()) return count(figures.corrupt);
    if (any_command && tick <= last_tick) return count(figures.out_of_order);
    const std::uint64_t elapsed = any_command ? tick - last_tick : 0;
    const double longest =
        std::max(1.0, std::min(timing.silence_s, kLongestJump_s + std::max(0.0, late_s())) * spec.rate_hz);
    if (static_cast<double>(elapsed) > longest)
      return beginSafeAction("the tick of a command jumps by " + std::to_string(elapsed) + " periods; allowed are " +
                             Checks::text(std::floor(longest), ""));
    if (const std::string why = objection(frame, elapsed); !why.empty()) return beginSafeAction(why);
    if (!any_command) {
      rig->begin();  // random sequences restart here, independent of earlier readings
      first_tick = last_tick = tick;
      first_at = clock.nowNs();
      say("taking commands");
    }
    any_command = true;
    last_tick = tick;
    heard_at = clock.nowNs();
    schedule();
    sample(static_cast<std::int64_t>(elapsed));
    std::size_t k = 0;
    any_clipped = false;
    for (const ChannelSpec& channel : spec.channels) {
      if (!isOutput(channel.role)) continue;
      const DeviceChannel& range = wanted.outputs[k];
      const double given = frame.value(k++), raw = std::clamp(given, range.min, range.max);
      if (raw != given) {
        any_clipped = true;
        count(figures.clipped);
      }
      Eigen::VectorXd& vector = channel.role == ChannelRole::command ? command.position : command.rate;
      vector[channel.interface - 1] = scaledValue(channel, raw);
    }
    if (rig->write(command) == RigStatus::fault) status = RigStatus::fault;
    send({.type = FrameType::measurement, .tick = tick, .time_ns = sampled_at}, encoded());
  }

  /// Lag of the bench's ticks behind the local clock; less than 0: ahead, as in free run.
  double late_s() const {
    if (!any_command) return 0.0;
    return 1e-9 * static_cast<double>(clock.nowNs() - first_at) -
           static_cast<double>(last_tick - first_tick) / spec.rate_hz;
  }

  /// Reason to refuse the command; "" if it is allowed. Skipped ticks extend the allowed step only by the lag of the
  /// bench.
  std::string objection(const Frame& frame, std::uint64_t elapsed) const {
    const double late = std::max(1.0, std::floor((late_s() + kJitter_s) * spec.rate_hz));
    const double periods = std::clamp(static_cast<double>(elapsed), 1.0, late);
    std::size_t k = 0;
    for (const ChannelSpec& channel : spec.channels) {
      if (!isOutput(channel.role)) continue;
      std::string why = guard.objection(channel, frame.value(k++), command.position[channel.interface - 1], periods);
      if (!why.empty()) return why;
    }
    return {};
  }
  static void count(std::atomic<std::uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }

  // The rig.

  void sample(std::int64_t elapsed) {
    sampled_at = clock.nowNs();
    status = rig->read(reading, elapsed);
    rig->readChannels(columns);
  }

  /// The last sample as raw values.
  std::span<const std::uint8_t> encoded() {
    std::uint8_t* at = payload.data();
    const bool open = status == RigStatus::interlock || rig->interlocksOpen() != 0;
    for (std::size_t c = 0; c < spec.channels.size(); ++c) {
      const ChannelSpec& channel = spec.channels[c];
      if (isOutput(channel.role)) continue;
      double raw = 0.0;
      if (monitored[c] >= 0) raw = rawValue(channel, columns[static_cast<std::size_t>(monitored[c])]);
      if (channel.role == ChannelRole::displacement) raw = rawValue(channel, reading.measured[channel.interface - 1]);
      if (channel.role == ChannelRole::force) raw = rawValue(channel, reading.force[channel.interface - 1]);
      if (channel.role == ChannelRole::interlock)
        raw = open != channel.reversed ? channel.open_above + 1.0 : channel.open_above - 1.0;
      putValue(at, raw);
      at += 8;
    }
    return payload;
  }

  std::uint32_t statusBits() const {
    std::uint32_t bits = kDeviceSimulated;
    if (state == State::armed) bits |= kDeviceEnabled;
    if (state == State::stopping) bits |= timing.safe_action == SafeAction::ramp ? kDeviceRamping : kDeviceHolding;
    if (state == State::stopped) bits |= kDeviceStopped;
    if (status == RigStatus::fault && state == State::armed) bits |= kDeviceFault;
    if (status == RigStatus::interlock || rig->interlocksOpen() != 0) bits |= kDeviceInterlock;
    if (status == RigStatus::saturated) bits |= kDeviceSaturated;
    if (any_clipped) bits |= kDeviceCommandClipped;
    if (state == State::armed && any_command && clock.nowNs() - heard_at > ns(timing.timeout_ticks / spec.rate_hz))
      bits |= kDeviceStaleCommand;
    if (injected > 0 || wire.any()) bits |= kDeviceFaultInjected;
    return bits;
  }

  void inject(const FaultSpec& fault, bool begin) {
    if (fault.interface > static_cast<int>(rig->interfaces()))
      throw InputError("/interface", "exceeds the interfaces of the rig.");
    if (!wire.set(fault, begin) && rig->inject(fault, begin)) injected = std::max(0, injected + (begin ? 1 : -1));
    say(std::string("fault on purpose ") + (begin ? "begins: " : "ends: ") + std::string(name(fault.kind)));
  }

  /// True for a fault of the project that this server injects itself: a bench with the same project requests it too.
  bool ownFault(const FaultSpec& fault) const {
    return std::any_of(spec.faults.begin(), spec.faults.end(), [&](const FaultSpec& own) {
      return own.kind == fault.kind && own.interface == fault.interface && own.sensor == fault.sensor &&
             own.value == fault.value;
    });
  }

  /// Injects faults of the project, by the ticks since the first command.
  void schedule() {
    const double time_s = static_cast<double>(last_tick - first_tick) / spec.rate_hz;
    for (std::size_t k = 0; k < spec.faults.size(); ++k) {
      const FaultSpec& fault = spec.faults[k];
      const bool on = time_s >= fault.from_s && (fault.duration_s <= 0.0 || time_s < fault.from_s + fault.duration_s);
      if (on == fault_on[k]) continue;
      fault_on[k] = on;
      inject(fault, on);
    }
  }

  // Autonomous stop.

  void watch() {
    if (state == State::armed && any_command && clock.nowNs() - heard_at > ns(timing.silence_s))
      beginSafeAction("no command for " + Checks::text(timing.silence_s, "s"));
    if (state == State::armed && silent())
      beginSafeAction("the bench was silent for " + Checks::text(spec.place_s, "s"));
    if (state == State::stopping) ramp();
  }

  void beginSafeAction(std::string why) {
    if (state != State::armed) return;
    if (const std::string damage = damageWords(); !damage.empty()) why += (why.empty() ? "" : "; ") + damage;
    moved_at = stopping_since = clock.nowNs();
    start = command.position;
    command.rate.setZero();
    say("stopping: " + why);
    state = State::stopping;
    send({.type = FrameType::event}, bytes(writeMessage("stopped: " + why)));
    // No ramp needed or wanted.
    if (timing.safe_action == SafeAction::off || !any_command || start.isZero(0.0)) {
      rig->safeStop();
      finishStop("powered off");
    } else if (timing.safe_action == SafeAction::hold) {
      (void)rig->write(command);
      finishStop("holding the last command");
    } else {
      send({.type = FrameType::stopped}, {});
    }
  }

  /// Ramps to zero along a cosine, by the local clock.
  void ramp() {
    const double period_s = 1.0 / spec.rate_hz;
    const auto elapsed = static_cast<std::int64_t>(1e-9 * static_cast<double>(clock.nowNs() - moved_at) / period_s);
    if (elapsed < 1) return;
    moved_at += ns(static_cast<double>(elapsed) * period_s);
    sample(std::min<std::int64_t>(elapsed, static_cast<std::int64_t>(kLongestCatchUp_s * spec.rate_hz)));
    const SignalValue share = cosineFade(1e-9 * static_cast<double>(moved_at - stopping_since), timing.ramp_s);
    command.position = (1.0 - share.value) * start;
    command.rate = -share.rate * start;
    const bool refused = rig->write(command) == RigStatus::fault;
    if (share.value < 1.0 && !refused) return;
    rig->safeStop();
    finishStop(refused ? "the rig had stopped already" : "ramped to zero and powered off");
  }

  /// Reports the kind of stop, the time since the last command, and the positions of the actuators.
  void finishStop(const std::string& how) {
    sample(0);
    std::string where;
    const Eigen::VectorXd positions =
        spec.from_readings.size() == 0 ? reading.measured : Eigen::VectorXd(spec.from_readings * reading.measured);
    for (const double position : positions) where += (where.empty() ? "" : ", ") + Checks::text(position, "m");
    const double after_s = std::round(1e-6 * static_cast<double>(clock.nowNs() - heard_at)) / 1e3;
    say("at rest: " + how + ", " + Checks::text(after_s, "s") + " after the last command, at " + where);
    state = State::stopped;
    send({.type = FrameType::stopped}, {});
  }

  // Outgoing frames.

  void pong(std::int64_t t1) {
    const std::int64_t received = clock.nowNs();
    std::uint8_t values[24];
    putInteger(values, t1);
    putInteger(values + 8, received);
    putInteger(values + 16, clock.nowNs());
    send({.type = FrameType::pong}, values);
  }

  void refuse(const Issue& issue) {
    send({.type = FrameType::refuse}, bytes(writeRefusal(issue)));
    say("refused: " + issue.where + " " + issue.message);
  }

  void send(FrameHeader header, std::span<const std::uint8_t> content) {
    header.status = statusBits();
    if (header.tick == 0) header.tick = last_tick;
    if (header.time_ns == 0) header.time_ns = clock.nowNs();
    const std::span<const std::uint8_t> sealed = link->seal(header, content);
    if (wire.any() || wire.nextNs())
      wire.add(sealed, clock.nowNs());
    else
      (void)link->put(sealed);
    flush();
  }

  void flush() {
    for (auto frame = wire.due(clock.nowNs()); !frame.empty(); frame = wire.due(clock.nowNs())) (void)link->put(frame);
  }

  std::unique_ptr<Rig> rig;
  RigServerSpec spec;
  std::function<void(const std::string&)> say;
  Clock& clock;
  DeviceChannels wanted;
  CommandGuard guard;
  Listener listener;
  LinkFigures figures;
  WireFaults wire;
  std::unique_ptr<Port> port, other;  // the served port, and a waiting one
  std::unique_ptr<FrameLink> link;
  std::atomic<State> state{State::listening};

  FramesSpec timing;  // agreed on
  RigState reading;
  Command command;
  Eigen::VectorXd start;  // command at the start of the safe action
  RigStatus status = RigStatus::ok;
  std::vector<std::ptrdiff_t> monitored;  // [channels]: further column of the rig for a monitor of this name; -1: none
  std::vector<double> columns;            // these columns
  std::vector<std::uint8_t> payload;      // of measurements
  std::vector<bool> fault_on;
  int injected = 0;  // active faults of the rig and its sensors
  bool any_command = false, any_clipped = false;
  bool gone = false;  // the partner has closed the connection
  std::uint64_t first_tick = 0, last_tick = 0;
  std::int64_t first_at = 0;  // time of the first command
  std::int64_t spoke_at = 0;  // time of the partner's last frame
  std::int64_t sampled_at = 0, heard_at = 0, moved_at = 0, stopping_since = 0, busy_looked_at = 0;
};

RigServer::RigServer(std::unique_ptr<Rig> rig, RigServerSpec spec, std::function<void(const std::string&)> say,
                     Clock& clock)
    : impl_(std::make_unique<Impl>(std::move(rig), std::move(spec), std::move(say), clock)) {}
RigServer::~RigServer() = default;
const std::string& RigServer::address() const noexcept { return impl_->listener.address(); }
void RigServer::serve(const std::function<bool()>& ended) { impl_->serve(ended); }
RigServer::State RigServer::state() const noexcept { return impl_->state.load(); }

}  // namespace hyb
