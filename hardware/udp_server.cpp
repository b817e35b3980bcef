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
#include "hardware/served_rig.h"
#include "hardware/udp_socket.h"

namespace hyb {
namespace {

constexpr auto kServerLook = std::chrono::milliseconds(50);
constexpr std::int64_t kStreamEvery_ns = 10'000'000, kNewBench_ns = 1'000'000'000;
constexpr double kLongestTickJump_s = 1.0;

UdpPeer listenAt(const RigServerSpec& spec) {
  const UdpPeer peer = UdpPeer::resolve(spec.listen);
  checkKeyless(spec, peer.loopback(), "raw UDP");
  return peer;
}

}  // namespace

struct UdpServer::Impl {
  using State = ServedRig::State;
  using Head = DatagramLayout::Head;

  Impl(std::unique_ptr<Rig> twin, RigServerSpec wanted, const UdpSpec& layout,
       std::function<void(const std::string&)> told, Clock& time)
      : rig(std::move(twin), std::move(wanted), std::move(told), time),
        spec(rig.spec()),
        clock(time),
        layouts(layout, spec.channels),
        enables(layouts.sends.has(FieldContent::enable)),
        numbered(layouts.sends.has(FieldContent::sequence)),
        ticked(layouts.sends.has(FieldContent::tick)),
        leads(layout.leads == TickBegin::target),
        period_ns(std::llround(1e9 / spec.rate_hz)),
        socket(listenAt(spec)),
        address(socket.local().text()),
        wire(rig.wire()),
        tracker(layouts.sends.largestSequence()),
        values(rig.channels().outputs.size()),
        answers(rig.channels().inputs.size()),
        outgoing(layouts.receives.size()) {
    if (!enables && !socket.local().loopback())
      throw InputError("/rig/connection/sends",
                       "needs an enable field for a rig on another computer: without one the rig must send first, and "
                       "does not know the bench. Add one, or listen at 127.0.0.1.");
    if (!enables)
      bench =
          UdpPeer::resolve({Address::Kind::udp, spec.listen.host, static_cast<std::uint16_t>(layout.local_port), {}});
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
    if (rig.following()) rig.stop("the server ends", false);
  }

  void drain() {
    std::array<std::uint8_t, 2048> buffer;
    for (;;) {
      UdpPeer from;
      const UdpSocket::Result got = socket.receive(buffer, from);
      if (got.got == UdpSocket::Got::nothing) return;
      if (got.got == UdpSocket::Got::refused || wire.cut()) continue;
      if (rig.following() && !(from == bench)) {
        if (++strangers == 1)
          rig.say("ignored: datagrams from " + from.text() + ", while " + bench.text() + " commands");
        continue;
      }
      Head head;
      const DatagramCheck check =
          layouts.sends.decode(std::span(buffer).first(std::min(got.size, buffer.size())), head, values);
      if (check == DatagramCheck::ok)
        obey(head, from);
      else if (++unusable == 1)
        rig.say("ignored: a datagram of " + std::to_string(got.size) + " bytes from " + from.text() +
                " that differs from \"Datagrams to the target\" (" + std::to_string(layouts.sends.size()) + " bytes)");
    }
  }

  // The bench.

  bool streams() const { return !leads && !enables && !rig.following(); }

  void begin() {
    rig.begin();
    tracker.reset();
  }

  void obey(const Head& head, const UdpPeer& from) {
    const std::int64_t now = clock.nowNs();
    const auto number = static_cast<std::uint64_t>(std::clamp(head.sequence, 0.0, 1e15));
    const bool again = heard_at != 0 && !rig.following() &&
                       (numbered ? number < last_number || !(from == bench) : now - heard_at > kNewBench_ns);
    if (again) begin();
    if (heard_at == 0 || again) {
      rig.say("a bench sends from " + from.text());
      beat_at = 0;  // at once
    }
    bench = from;
    heard_at = now;
    std::int64_t elapsed = 0;
    if (numbered) {
      const SequenceTracker::Judgement judged = tracker.judge(number);
      if (judged.verdict == SequenceTracker::Verdict::doubled || judged.verdict == SequenceTracker::Verdict::reordered)
        return;
      if (judged.verdict == SequenceTracker::Verdict::restarted && rig.following()) {
        last_number = ~std::uint64_t{0};  // the next datagram is one of a new connection
        return rig.stop("the numbers of the bench start again", false);
      }
      elapsed = 1 + static_cast<std::int64_t>(judged.skipped);
    } else {
      elapsed = 1;
    }
    last_number = number;
    if (enables && !head.enable) {
      if (rig.following()) rig.stop("the bench disabled it", false);
      if (rig.state() == State::ready && !leads) rig.sample();
      return reply(head.sequence);
    }
    if (rig.state() != State::stopped) step(head, elapsed);
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
    if (rig.following()) rig.advance(elapsed);
    if (rig.state() == State::ready) rig.sample();
    sent_number += static_cast<std::uint64_t>(elapsed - 1);  // those it was too late for
    answer(last_echo);
  }

  void step(const Head& head, std::int64_t elapsed) {
    if (rig.state() == State::ready) {
      last_tick = head.tick;
      elapsed = 0;
    }
    if (ticked) {
      const double jump = head.tick - last_tick;
      if (!(jump >= 0.0) || !(jump <= kLongestTickJump_s * spec.rate_hz))
        return rig.stop("the tick of a command jumps by " + Checks::text(jump, "") + " periods", true);
      elapsed = static_cast<std::int64_t>(jump);
      last_tick = head.tick;
    }
    if (static_cast<double>(elapsed) > kLongestTickJump_s * spec.rate_hz)
      return rig.stop("the number of a command jumps by " + std::to_string(elapsed), true);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!rig.take(k, values[k], std::max(1.0, static_cast<double>(elapsed)))) return;
    if (!leads && rig.following()) rig.advance(elapsed);
    rig.write();
  }

  void watch() {
    const std::int64_t now = clock.nowNs();
    if (rig.following() && now - heard_at > static_cast<std::int64_t>(1e9 * spec.place_s))
      rig.stop("no command for " + Checks::text(spec.place_s, "s"), true);
    if (!streams() || now - streamed_at < kStreamEvery_ns) return;
    streamed_at = now;
    if (rig.state() == State::ready) rig.sample();
    answer(0.0);
  }

  void answer(double echo) {
    if (!bench.known()) return;
    rig.inputs(answers);
    const std::uint64_t largest = std::max<std::uint64_t>(layouts.receives.largestSequence(), 1);
    sent_number = sent_number >= largest ? (sent_number - largest) % (largest + 1) : sent_number + 1;
    Head head;
    head.sequence = static_cast<double>(sent_number);
    head.echo = echo;
    head.time_s = 1e-9 * static_cast<double>(clock.nowNs());
    head.enabled = rig.following();
    head.fault = rig.fault();
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

  ServedRig rig;
  const RigServerSpec& spec;  // of the rig
  Clock& clock;
  UdpLayouts layouts;  // from the side of the bench
  bool enables, numbered, ticked;
  bool leads;  // the rig sends by its own clock
  std::int64_t period_ns;
  UdpSocket socket;
  std::string address;
  WireFaults& wire;  // of the rig
  SequenceTracker tracker;
  UdpPeer bench;
  std::vector<double> values, answers;  // [outputs], [inputs] raw
  std::vector<std::uint8_t> outgoing;
  double last_tick = 0.0;  // of the bench
  std::uint64_t last_number = 0, sent_number = 0, strangers = 0, unusable = 0;
  std::int64_t heard_at = 0, streamed_at = 0, beat_at = 0;
  double last_echo = 0.0;
};

UdpServer::UdpServer(std::unique_ptr<Rig> rig, RigServerSpec spec, const UdpSpec& layout,
                     std::function<void(const std::string&)> say, Clock& clock)
    : impl_(std::make_unique<Impl>(std::move(rig), std::move(spec), std::move(layout), std::move(say), clock)) {}
UdpServer::~UdpServer() = default;
const std::string& UdpServer::address() const noexcept { return impl_->address; }
void UdpServer::serve(const std::function<bool()>& ended) { impl_->serve(ended); }
bool UdpServer::following() const noexcept { return impl_->rig.following(); }

}  // namespace hyb
