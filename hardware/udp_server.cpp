#include "hardware/udp_server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/checks.h"
#include "core/base/error.h"
#include "core/rig/device_channels.h"
#include "core/rig/udp_layout.h"
#include "hardware/udp_socket.h"
#include "hardware/wire_faults.h"

namespace hyb {
namespace {

constexpr auto kServerLook = std::chrono::milliseconds(50);
constexpr std::int64_t kStreamEvery_ns = 10'000'000, kNewBench_ns = 1'000'000'000;
constexpr double kLongestTickJump_s = 1.0;

UdpPeer listenAt(const RigServerSpec& spec) {
  if (spec.key)
    throw InputError("--key-file",
                     "does not suit raw UDP, whose datagrams carry no key; remove it, or serve over TCP.");
  const UdpPeer peer = UdpPeer::resolve(spec.listen);
  if (!peer.loopback() && !spec.trust_network)
    throw InputError("--listen",
                     "is \"" + spec.listen.text() +
                         "\": everybody in the network could move the rig, as raw UDP has no key. Listen at "
                         "127.0.0.1, or give --trust-network on a cable between two computers.");
  return peer;
}

}  // namespace

struct UdpServer::Impl {
  enum class State : std::uint8_t { ready, following, stopped };
  using Head = DatagramLayout::Head;

  Impl(std::unique_ptr<Rig> served, RigServerSpec wanted, UdpSpec layout, std::function<void(const std::string&)> told,
       Clock& time)
      : rig(std::move(served)),
        spec(std::move(wanted)),
        say(told ? std::move(told) : [](const std::string&) {}),
        clock(time),
        layouts(layout, spec.channels),
        enables(layouts.sends.has(FieldContent::enable)),
        numbered(layouts.sends.has(FieldContent::sequence)),
        ticked(layouts.sends.has(FieldContent::tick)),
        leads(layout.leads == TickBegin::target),
        period_ns(std::llround(1e9 / spec.rate_hz)),
        guard(spec.bounds, 1.0 / spec.rate_hz),
        socket(listenAt(spec)),
        address(socket.local().text()),
        wire(spec.seed),
        tracker(layouts.sends.largestSequence()),
        fault_on(spec.faults.size(), false),
        values(deviceChannels(spec.channels, spec.rate_hz).outputs.size()),
        answers(deviceChannels(spec.channels, spec.rate_hz).inputs.size()),
        outgoing(layouts.receives.size()) {
    if (!enables && !socket.local().loopback())
      throw InputError("/rig/connection/sends",
                       "needs an enable field for a rig on another computer: without one the rig must send first, and "
                       "does not know the bench. Add one, or listen at 127.0.0.1.");
    if (!enables)
      bench =
          UdpPeer::resolve({Address::Kind::udp, spec.listen.host, static_cast<std::uint16_t>(layout.local_port), {}});
    const auto n = static_cast<Eigen::Index>(rig->interfaces());
    reading = {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
    command = {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
    const std::vector<Channel> further = rig->channels();
    columns.resize(further.size());
    for (const ChannelSpec& channel : spec.channels) {
      const auto found = std::find_if(further.begin(), further.end(),
                                      [&](const Channel& column) { return column.name == channel.name; });
      const bool monitor = channel.role == ChannelRole::monitor && found != further.end();
      monitored.push_back(monitor ? found - further.begin() : -1);
    }
    begin();
  }

  void serve(const std::function<bool()>& ended) {
    while (!ended()) {
      if (leads) beat();
      watch();
      flush();
      auto wait = std::chrono::nanoseconds(kServerLook);
      if (leads && bench.known())
        wait = std::clamp(std::chrono::nanoseconds(beat_at - clock.nowNs()), std::chrono::nanoseconds(0), wait);
      if (streams()) wait = std::min(wait, std::chrono::nanoseconds(kStreamEvery_ns));
      if (const auto due = wire.nextNs())
        wait = std::clamp(std::chrono::nanoseconds(*due - clock.nowNs()), std::chrono::nanoseconds(0), wait);
      if (socket.waitReadable(wait)) drain();
    }
    if (state == State::following) stop("the server ends", false);
  }

  void drain() {
    std::array<std::uint8_t, 2048> buffer;
    for (;;) {
      UdpPeer from;
      const UdpSocket::Result got = socket.receive(buffer, from);
      if (got.got == UdpSocket::Got::nothing) return;
      if (got.got == UdpSocket::Got::refused || wire.cut()) continue;
      if (state == State::following && !(from == bench)) {
        if (++strangers == 1) say("ignored: datagrams from " + from.text() + ", while " + bench.text() + " commands");
        continue;
      }
      Head head;
      const DatagramCheck check =
          layouts.sends.decode(std::span(buffer).first(std::min(got.size, buffer.size())), head, values);
      if (check == DatagramCheck::ok)
        obey(head, from);
      else if (++unusable == 1)
        say("ignored: a datagram of " + std::to_string(got.size) + " bytes from " + from.text() +
            " that differs from \"Datagrams to the target\" (" + std::to_string(layouts.sends.size()) + " bytes)");
    }
  }

  // The bench.

  bool streams() const { return !leads && !enables && state != State::following; }

  /// The rig at rest, for a new bench.
  void begin() {
    rig->safeStop();
    rig->open();
    state = State::ready;
    command.position.setZero();
    command.rate.setZero();
    fault = false;
    wire.clear();
    std::fill(fault_on.begin(), fault_on.end(), false);
    tracker.reset();
    sample(0);
  }

  void obey(const Head& head, const UdpPeer& from) {
    const std::int64_t now = clock.nowNs();
    const auto number = static_cast<std::uint64_t>(std::clamp(head.sequence, 0.0, 1e15));
    const bool again = heard_at != 0 && state != State::following &&
                       (numbered ? number < last_number || !(from == bench) : now - heard_at > kNewBench_ns);
    if (again) begin();
    if (heard_at == 0 || again) {
      say("a bench sends from " + from.text());
      beat_at = 0;  // at once
    }
    bench = from;
    heard_at = now;
    std::int64_t elapsed = 0;
    if (numbered) {
      const SequenceTracker::Judgement judged = tracker.judge(number);
      if (judged.verdict == SequenceTracker::Verdict::doubled || judged.verdict == SequenceTracker::Verdict::reordered)
        return;
      if (judged.verdict == SequenceTracker::Verdict::restarted && state == State::following) {
        last_number = ~std::uint64_t{0};  // the next datagram is one of a new connection
        return stop("the numbers of the bench start again", false);
      }
      elapsed = 1 + static_cast<std::int64_t>(judged.skipped);
    } else {
      elapsed = 1;
    }
    last_number = number;
    if (enables && !head.enable) {
      if (state == State::following) stop("the bench disabled it", false);
      if (state == State::ready && !leads) sample(0);
      return reply(head.sequence);
    }
    if (state == State::ready)
      follow(head);
    else if (state == State::following)
      step(head, elapsed);
    reply(head.sequence);
  }

  void reply(double echo) {
    last_echo = echo;
    if (!leads) answer(echo);
  }

  /// A rig that leads: its sample of each period, also where it was late.
  void beat() {
    if (!bench.known()) return;
    const std::int64_t now = clock.nowNs();
    if (beat_at == 0) beat_at = now;
    if (now < beat_at) return;
    const std::int64_t elapsed = 1 + (now - beat_at) / period_ns;
    beat_at += elapsed * period_ns;
    if (state == State::following) advance(elapsed);
    if (state == State::ready) sample(0);
    sent_number += static_cast<std::uint64_t>(elapsed - 1);  // those it was too late for
    answer(last_echo);
  }
  void advance(std::int64_t elapsed) {
    periods += elapsed;
    schedule();
    sample(elapsed);
  }

  /// The first command: the rig must stand there.
  void follow(const Head& head) {
    sample(0);
    std::size_t k = 0;
    for (const ChannelSpec& channel : spec.channels) {
      if (!isOutput(channel.role)) continue;
      const double wanted = scaledValue(channel, values[k++]);
      if (channel.role != ChannelRole::command) continue;
      const double away = std::abs(wanted - standing(channel));
      if (!(away <= spec.arm_tolerance_m))
        return stop("the first command of " + channel.name + " is " + Checks::text(away, "") +
                        " (SI) away from where it is; "
                        "allowed are " +
                        Checks::text(spec.arm_tolerance_m, ""),
                    true);
      command.position[channel.interface - 1] = wanted;
    }
    rig->begin();
    state = State::following;
    last_tick = head.tick;
    periods = 0;
    say("taking commands");
    step(head, 0);
  }

  void step(const Head& head, std::int64_t elapsed) {
    if (ticked) {
      const double jump = head.tick - last_tick;
      if (!(jump >= 0.0) || !(jump <= kLongestTickJump_s * spec.rate_hz))
        return stop("the tick of a command jumps by " + Checks::text(jump, "") + " periods", true);
      elapsed = static_cast<std::int64_t>(jump);
      last_tick = head.tick;
    }
    if (static_cast<double>(elapsed) > kLongestTickJump_s * spec.rate_hz)
      return stop("the number of a command jumps by " + std::to_string(elapsed), true);
    std::size_t k = 0;
    for (const ChannelSpec& channel : spec.channels) {
      if (!isOutput(channel.role)) continue;
      const std::string why = guard.objection(channel, values[k++], command.position[channel.interface - 1],
                                              std::max(1.0, static_cast<double>(elapsed)));
      if (!why.empty()) return stop(why, true);
    }
    if (!leads) advance(elapsed);
    k = 0;
    for (const ChannelSpec& channel : spec.channels) {
      if (!isOutput(channel.role)) continue;
      Eigen::VectorXd& side = channel.role == ChannelRole::command ? command.position : command.rate;
      side[channel.interface - 1] = scaledValue(channel, std::clamp(values[k], channel.raw_min, channel.raw_max));
      ++k;
    }
    if (rig->write(command) == RigStatus::fault) stop("the rig is in fault", true);
  }

  void watch() {
    const std::int64_t now = clock.nowNs();
    if (state == State::following && now - heard_at > static_cast<std::int64_t>(1e9 * spec.place_s))
      stop("no command for " + Checks::text(spec.place_s, "s"), true);
    if (!streams() || now - streamed_at < kStreamEvery_ns) return;
    streamed_at = now;
    if (state == State::ready) sample(0);
    answer(0.0);
  }

  void stop(const std::string& why, bool by_itself) {
    rig->safeStop();
    fault = by_itself;
    state = State::stopped;
    sample(0);
    say("stopped: " + why);
  }

  // The rig.

  double standing(const ChannelSpec& channel) const {
    const Eigen::Index i = channel.interface - 1;
    return spec.from_readings.size() == 0 ? reading.measured[i] : spec.from_readings.row(i).dot(reading.measured);
  }

  void sample(std::int64_t elapsed) {
    status = rig->read(reading, elapsed);
    rig->readChannels(columns);
  }

  void schedule() {
    const double time_s = static_cast<double>(periods) / spec.rate_hz;
    for (std::size_t k = 0; k < spec.faults.size(); ++k) {
      const FaultSpec& own = spec.faults[k];
      const bool on = time_s >= own.from_s && (own.duration_s <= 0.0 || time_s < own.from_s + own.duration_s);
      if (on == fault_on[k]) continue;
      fault_on[k] = on;
      if (!wire.set(own, on)) (void)rig->inject(own, on);
      say(std::string("fault on purpose ") + (on ? "begins: " : "ends: ") + std::string(name(own.kind)));
    }
  }

  void answer(double echo) {
    if (!bench.known()) return;
    std::size_t k = 0;
    const bool open = status == RigStatus::interlock || rig->interlocksOpen() != 0;
    for (std::size_t c = 0; c < spec.channels.size(); ++c) {
      const ChannelSpec& channel = spec.channels[c];
      if (isOutput(channel.role)) continue;
      double raw = monitored[c] >= 0 ? rawValue(channel, columns[static_cast<std::size_t>(monitored[c])]) : 0.0;
      if (channel.role == ChannelRole::displacement) raw = rawValue(channel, reading.measured[channel.interface - 1]);
      if (channel.role == ChannelRole::force) raw = rawValue(channel, reading.force[channel.interface - 1]);
      if (channel.role == ChannelRole::interlock)
        raw = open != channel.reversed ? channel.open_above + 1.0 : channel.open_above - 1.0;
      answers[k++] = raw;
    }
    const std::uint64_t largest = std::max<std::uint64_t>(layouts.receives.largestSequence(), 1);
    sent_number = sent_number >= largest ? (sent_number - largest) % (largest + 1) : sent_number + 1;
    Head head;
    head.sequence = static_cast<double>(sent_number);
    head.echo = echo;
    head.time_s = 1e-9 * static_cast<double>(clock.nowNs());
    head.enabled = state == State::following;
    head.fault = fault;
    layouts.receives.encode(head, answers, outgoing);
    if ((wire.any() || wire.nextNs()) && outgoing.size() > 2)
      wire.add(outgoing, clock.nowNs());
    else
      (void)socket.send(outgoing, bench);
    flush();
  }

  void flush() {
    for (auto datagram = wire.due(clock.nowNs()); !datagram.empty(); datagram = wire.due(clock.nowNs()))
      (void)socket.send(datagram, bench);
  }

  std::unique_ptr<Rig> rig;
  RigServerSpec spec;
  std::function<void(const std::string&)> say;
  Clock& clock;
  UdpLayouts layouts;  // from the side of the bench
  bool enables, numbered, ticked;
  bool leads;  // the rig sends by its own clock
  std::int64_t period_ns;
  CommandGuard guard;
  UdpSocket socket;
  std::string address;
  WireFaults wire;
  SequenceTracker tracker;
  UdpPeer bench;
  std::atomic<State> state{State::ready};
  RigState reading;
  Command command;
  RigStatus status = RigStatus::ok;
  std::vector<std::ptrdiff_t> monitored;  // [channels]: further column of the rig for a monitor of this name; -1: none
  std::vector<double> columns;            // these columns
  std::vector<bool> fault_on;
  std::vector<double> values, answers;  // [outputs], [inputs] raw
  std::vector<std::uint8_t> outgoing;
  bool fault = false;        // it stopped by itself
  double last_tick = 0.0;    // of the bench
  std::int64_t periods = 0;  // since the first command
  std::uint64_t last_number = 0, sent_number = 0, strangers = 0, unusable = 0;
  std::int64_t heard_at = 0, streamed_at = 0, beat_at = 0;
  double last_echo = 0.0;
};

UdpServer::UdpServer(std::unique_ptr<Rig> rig, RigServerSpec spec, UdpSpec layout,
                     std::function<void(const std::string&)> say, Clock& clock)
    : impl_(std::make_unique<Impl>(std::move(rig), std::move(spec), std::move(layout), std::move(say), clock)) {}
UdpServer::~UdpServer() = default;
const std::string& UdpServer::address() const noexcept { return impl_->address; }
void UdpServer::serve(const std::function<bool()>& ended) { impl_->serve(ended); }
bool UdpServer::following() const noexcept { return impl_->state == Impl::State::following; }

}  // namespace hyb
