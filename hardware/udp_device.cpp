#include "hardware/udp_device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/checks.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/loop/realtime.h"
#include "core/rig/address.h"
#include "core/rig/udp_layout.h"
#include "hardware/udp_socket.h"
#include "hardware/udp_transit.h"

namespace hyb {
namespace {

using std::chrono::nanoseconds;

constexpr int kDatagramsPerTick = 256;  // further ones wait for the next tick
constexpr int kStops = 10;              // a datagram may be lost, and the target may read one per step
constexpr std::int64_t kAskEvery_ns = 100'000'000, kStopWait_ns = 300'000'000, kStopEvery_ns = 10'000'000;
constexpr std::int64_t kRateSpan_ns = 250'000'000, kLook_ns = 50'000'000;
constexpr std::int64_t kRateNumbers = 5;
constexpr std::size_t kSentMemory = 1024;  // datagrams with a stored time of sending

using Head = DatagramLayout::Head;

class UdpDevice final : public Device, private Lead {
 public:
  UdpDevice(const RigSpec& rig, const DeviceChannels& channels, Clock& clock)
      : connection_(rig.connection),
        spec_(settingsOf<UdpSpec>(connection_.protocol.get())),
        address_(parseAddress(connection_.address, "/rig/connection/address")),
        channels_(channels),
        clock_(clock),
        layouts_(spec_, rig.channels),
        numbered_(layouts_.receives.has(FieldContent::sequence)),
        echoes_(layouts_.receives.has(FieldContent::echo)),
        timed_(layouts_.receives.has(FieldContent::time)),
        asks_(layouts_.sends.has(FieldContent::enable)),
        confirms_(layouts_.receives.has(FieldContent::enabled)),
        largest_sent_(std::max<std::uint64_t>(layouts_.sends.largestSequence(), 1)),
        sent_(kSentMemory),
        outgoing_(layouts_.sends.size()),
        incoming_(std::max<std::size_t>(layouts_.receives.size(), 1)),
        rest_(layouts_.sends.restValues()),
        last_(rest_),
        received_(channels.inputs.size()),
        inputs_(channels.inputs.size(), kNoValue) {
    if (address_.kind != Address::Kind::udp)
      throw InputError("/rig/connection/address", "is \"" + connection_.address + "\"; give udp://HOST:PORT.");
  }
  ~UdpDevice() override { UdpDevice::close(); }

  std::string description() const override { return "UDP target at " + address_.text(); }
  const LinkFigures& link() const noexcept override { return figures_; }
  Lead* lead() noexcept override { return spec_.leads == TickBegin::target ? this : nullptr; }
  std::uint32_t status() const noexcept override {
    std::uint32_t word = clipped_.load(std::memory_order_relaxed) ? kDeviceCommandClipped : 0u;
    if (enabled_.load(std::memory_order_relaxed)) word |= kDeviceEnabled;
    if (faulty_.load(std::memory_order_relaxed)) word |= kDeviceFault;
    if (stop_wanted_.load(std::memory_order_relaxed) || stopped_itself_.load(std::memory_order_relaxed))
      word |= kDeviceStopped;
    return word;
  }

  void open() override {
    close();
    forget();
    peer_ = UdpPeer::resolve(address_);
    socket_.emplace(UdpPeer::anyLocal(peer_, static_cast<std::uint16_t>(spec_.local_port)));
    try {
      awaitFirst();
      if (lead() != nullptr) compareRate();
    } catch (...) {
      socket_.reset();
      throw;
    }
  }

  RigStatus read(std::span<double> inputs) noexcept override {
    if (!socket_) return RigStatus::link_lost;
    bool whole = std::exchange(awaited_beat_, false) ? drained_ : drain();
    if (stop_wanted_.load()) {
      sendStop();
    } else {
      if (!commanding_ && asks_) ask();
      if (!channels_.paced) whole = waitForAnswer() && whole;
      if (lost() == nullptr) judge();
    }
    std::copy(inputs_.begin(), inputs_.end(), inputs.begin());
    if (lost() != nullptr) return RigStatus::link_lost;
    if (stop_wanted_.load() || stopped_itself_.load(std::memory_order_relaxed)) return RigStatus::fault;
    const bool late = std::exchange(late_, false);
    return whole && !late && !blind_ && silent_ticks_ < spec_.gap_ticks ? RigStatus::ok : RigStatus::stale;
  }

  RigStatus write(std::uint64_t tick, std::span<const double> outputs) noexcept override {
    if (!socket_ || stop_wanted_.load() || stopped_itself_.load(std::memory_order_relaxed)) return RigStatus::fault;
    if (lost() != nullptr) return RigStatus::link_lost;
    for (const double value : outputs)
      if (!std::isfinite(value)) return RigStatus::fault;
    if (sending_.exchange(true)) return RigStatus::fault;  // a stop is being sent
    bool clipped = false;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      last_[i] = std::clamp(outputs[i], channels_.outputs[i].min, channels_.outputs[i].max);
      clipped = clipped || last_[i] != outputs[i];
    }
    if (clipped) count(figures_.clipped);
    clipped_.store(clipped, std::memory_order_relaxed);
    commanding_ = true;
    may_move_.store(true);
    remember(transmit(last_, tick, true));
    sending_.store(false);
    if (stop_wanted_.load()) sendStop();  // its thread found this one sending
    return RigStatus::ok;
  }

  void safeStop() noexcept override {
    stop_wanted_.store(true);
    if (socket_) sendStop();
  }

  /// Sends the rest of the stops, some milliseconds apart, and waits for the confirmation if there is a field for it.
  void close() noexcept override {
    if (!socket_) return;
    if (may_move_.load()) {
      safeStop();
      const std::int64_t until = clock_.nowNs() + kStopWait_ns;
      for (;;) {
        drain();
        if (confirmed_) break;
        if (stops_.load() >= kStops && (!confirms_ || clock_.nowNs() >= until)) break;
        (void)clock_.sleepUntilNs(clock_.nowNs() + kStopEvery_ns);
        sendStop();
      }
      ending_.store(confirmed_          ? Ending::confirmed
                    : !any_stop_.load() ? Ending::unsent
                    : confirms_         ? Ending::unconfirmed
                                        : Ending::sent);
    }
    socket_.reset();
  }

  std::string failure() const override {
    std::string words;
    const auto add = [&](const std::string& more) { words += (words.empty() ? description() + ": " : "; ") + more; };
    if (const char* why = lost_.load(); why != nullptr) add(why + hints());
    if (const std::size_t blind = blind_input_.load(std::memory_order_relaxed);
        words.empty() && blind < channels_.inputs.size())
      add(channels_.inputs[blind].name + " is not a number");
    if (faulty_.load(std::memory_order_relaxed)) add("the target reports a fault");
    if (stopped_itself_.load()) add("the target stopped by itself: its field \"enabled\" is 0");
    const bool troubled = !words.empty();
    switch (ending_.load()) {
      case Ending::none:
        break;
      case Ending::confirmed:
        if (troubled) add("the target confirmed the stop");
        break;
      case Ending::sent:
        if (troubled)
          add("the stop was sent " + std::to_string(stops_.load()) +
              " times; no field of its datagrams confirms it: check that it is at rest");
        break;
      case Ending::unconfirmed:
        add("the stop was sent, but its field \"enabled\" did not become 0: check that it is at rest");
        break;
      case Ending::unsent:
        add("the stop could not be sent: check that it is at rest");
        break;
    }
    return words;
  }

 private:
  enum class Ending : std::uint8_t { none, confirmed, sent, unconfirmed, unsent };
  struct Sent {
    std::uint64_t number = 0;
    std::int64_t at_ns = 0;
    bool sent = false;  // the system took it
  };

  static void count(std::atomic<std::uint64_t>& counter, std::uint64_t by = 1) noexcept {
    counter.fetch_add(by, std::memory_order_relaxed);
  }
  const char* lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

  void forget() {
    for (auto* counter : {&figures_.sent, &figures_.received, &figures_.lost, &figures_.corrupt, &figures_.out_of_order,
                          &figures_.late, &figures_.doubled, &figures_.foreign, &figures_.clipped})
      counter->store(0);
    for (auto& bin : figures_.round_trips) bin.store(0);
    std::fill(sent_.begin(), sent_.end(), Sent{});
    std::fill(inputs_.begin(), inputs_.end(), kNoValue);
    last_ = rest_;
    tracker_ = SequenceTracker(layouts_.receives.largestSequence());
    transit_ = TransitTime(layouts_.receives.timePeriod_s());
    number_ = awaited_ = echoed_ = 0;
    heard_.store(0);
    first_stop_.store(0);
    commanding_ = fresh_ = late_ = blind_ = answered_ = was_enabled_ = confirmed_ = false;
    any_ = false;
    silent_ticks_ = disabled_ticks_ = heard_ticks_ = 0;
    leading_ = awaited_beat_ = false;
    drained_ = true;
    numbers_ = 0;
    wrong_rate_hz_.store(0.0);
    blind_input_.store(kNoInput);
    wrong_size_.store(0);
    wrong_.store(DatagramCheck::ok);
    refusals_.store(0);
    stranger_ = {};
    lost_.store(nullptr);
    may_move_.store(false);
    stop_wanted_.store(false);
    stopped_itself_.store(false);
    faulty_.store(false);
    clipped_.store(false);
    enabled_.store(false);
    stops_.store(0);
    any_stop_.store(false);
    ending_.store(Ending::none);
  }

  // Opening.

  void awaitFirst() {
    const std::int64_t until = monotonicNs() + static_cast<std::int64_t>(1e9 * connection_.connect_s);
    std::int64_t asked = -kAskEvery_ns;
    for (;;) {
      const std::int64_t now = monotonicNs();
      if (asks_ && now - asked >= kAskEvery_ns) {
        asked = now;
        ask();
      }
      (void)drain();
      if (any_) break;
      if (now >= until) unheard();
      (void)socket_->waitReadable(nanoseconds(std::min(until - now, asks_ ? kAskEvery_ns : kStopWait_ns)));
    }
    if (layouts_.receives.looksSwapped(incoming_))
      otherByteOrder("its numbers make sense in the other byte order only");
  }

  [[noreturn]] void otherByteOrder(const std::string& why) const {
    throw InputError("/rig/connection/byte_order",
                     std::string("is ") + (spec_.byte_order == ByteOrder::big ? "\"big\"" : "\"little\"") + ", but " +
                         description() + " uses the other one: " + why + ". Set it to " +
                         (spec_.byte_order == ByteOrder::big ? "\"little\"." : "\"big\"."));
  }

  /// No usable datagram came: names the most likely cause.
  [[noreturn]] void unheard() const {
    const std::string who = description() + ": ";
    if (wrong_.load() == DatagramCheck::wrong_byte_order) otherByteOrder("a fixed value has its bytes reversed");
    if (wrong_.load() != DatagramCheck::ok) throw InputError("/rig/connection/receives", mismatch() + ".");
    std::string words = who + "no datagram came to port " + std::to_string(socket_->local().port()) + " within " +
                        Checks::text(connection_.connect_s, "s");
    if (refusals_.load() > 0)
      throw DeviceError(words + ", and its computer answers that no program listens on port " +
                        std::to_string(address_.port) + "; start the target, or correct the port of the address.");
    if (figures_.foreign.load() > 0)
      throw DeviceError(words + ", but " + std::to_string(figures_.foreign.load()) + " from " + stranger_.text() +
                        "; correct \"Address\" or \"Port of the sender\".");
    words += "; check that the target runs and sends to this computer, and the firewall";
    if (!asks_)
      words +=
          ". The target must send by itself: without an enable field the bench sends nothing before the first "
          "command";
    throw DeviceError(words + ".");
  }

  /// Why the last unusable datagram was refused, with the remedy.
  std::string mismatch() const {
    switch (wrong_.load()) {
      case DatagramCheck::wrong_size:
        return "describes datagrams of " + std::to_string(layouts_.receives.size()) + " bytes, but " + description() +
               " sends " + std::to_string(wrong_size_.load()) + " bytes; compare fields, types and alignment";
      case DatagramCheck::wrong_byte_order:
        return "has a fixed value that arrives with its bytes reversed; change \"Byte order\"";
      case DatagramCheck::wrong_fixed:
        return "has a fixed value that differs from that in the datagrams of " + description() +
               "; compare its value, its type and the fields before it";
      case DatagramCheck::wrong_checksum:
        return "has a checksum that differs from that in the datagrams of " + description() +
               "; compare its kind, its type and its place";
      case DatagramCheck::ok:
        break;
    }
    return {};
  }

  /// A target that leads: compares its rate with that of the loop, for as long as it takes to be sure.
  void compareRate() {
    const std::int64_t until = monotonicNs() + static_cast<std::int64_t>(1e9 * connection_.connect_s);
    const std::int64_t from = arrived_ns_;
    std::int64_t asked = monotonicNs();
    double rate_hz = 0.0;
    numbers_ = 0;
    for (std::int64_t now = asked; now < until; now = monotonicNs()) {
      if (asks_ && now - asked >= kAskEvery_ns) {
        asked = now;
        ask();
      }
      (void)drain();
      const std::int64_t span = arrived_ns_ - from;
      if (span >= kRateSpan_ns && numbers_ >= kRateNumbers) {
        rate_hz = 1e9 * static_cast<double>(numbers_) / static_cast<double>(span);
        if (std::abs(rate_hz - channels_.rate_hz) <= LeadClock::kRateTolerance * channels_.rate_hz) return;
      }
      (void)socket_->waitReadable(nanoseconds(std::min(until - now, kLook_ns)));
    }
    const std::string wanted = Checks::text(channels_.rate_hz, "Hz");
    if (rate_hz == 0.0)
      throw DeviceError(description() + ": " + std::to_string(numbers_) + " datagrams came in " +
                        Checks::text(connection_.connect_s, "s") + ". A target that leads sends by its own clock, at " +
                        wanted + "; start it, or let the bench lead (/rig/connection/leads).");
    throw InputError("/rig/connection/target_rate_hz", "is " + wanted + ", but " + description() + " sends " +
                                                           std::to_string(std::lround(rate_hz)) +
                                                           " datagrams a second; set the rate of the target, or this "
                                                           "one and the loop rate (/loop/rate_hz).");
  }

  // The tick.

  /// Lead: the next reading of the target. The first tick begins at once, with the newest.
  Beat await() noexcept override {
    awaited_beat_ = true;
    if (!leading_) {
      drained_ = !socket_ || drain();
      numbers_ = 0;
      lead_clock_.begin(clock_.nowNs());
      leading_ = true;
      return {};
    }
    for (;;) {
      drained_ = !socket_ || drain();
      if (numbers_ > 0) {
        const std::int64_t elapsed = lead_clock_.reading(std::exchange(numbers_, 0), arrived_ns_);
        if (elapsed > 0) return {ledTick(elapsed), socket_->ageNs()};
      }
      const std::int64_t now = clock_.nowNs(), left = lead_clock_.dueNs() - now;
      if (left <= 0) return {ledTick(lead_clock_.silence(now)), -left};
      if (socket_)
        (void)socket_->waitReadable(nanoseconds(std::min(left, kLook_ns)));
      else
        (void)clock_.sleepUntilNs(lead_clock_.dueNs());
    }
  }
  std::int64_t ledTick(std::int64_t elapsed) noexcept {
    if (!lead_clock_.agrees() && lost() == nullptr) {
      wrong_rate_hz_.store(lead_clock_.wrongRate_hz(), std::memory_order_relaxed);
      lose("the target leads at another rate than that of the loop");
    }
    return elapsed;
  }

  /// A datagram that asks for a reading and enables nothing.
  void ask() noexcept {
    if (sending_.exchange(true)) return;
    remember(transmit(rest_, 0, false));
    sending_.store(false);
  }

  /// Sends the datagram `number_`, which is the next one now. The caller holds `sending_`.
  Sent transmit(std::span<const double> values, std::uint64_t tick, bool enable) noexcept {
    const std::uint64_t number = number_ >= largest_sent_ ? 0 : number_ + 1;
    number_ = number;
    Head head;
    head.sequence = static_cast<double>(number);
    head.echo = static_cast<double>(heard_.load(std::memory_order_relaxed));
    head.tick = static_cast<double>(tick);
    head.enable = enable;
    const std::int64_t at = clock_.nowNs();
    head.time_s = 1e-9 * static_cast<double>(at);
    layouts_.sends.encode(head, values, outgoing_);
    const bool sent = socket_->send(outgoing_, peer_);
    count(sent ? figures_.sent : figures_.lost);
    return {number, at, sent};
  }
  /// The tick's: its answer is awaited.
  void remember(const Sent& sent) noexcept {
    sent_[sent.number % kSentMemory] = sent;
    awaited_ = sent.number;
    answered_ = false;
  }

  void sendStop() noexcept {
    if (!may_move_.load() || stops_.load() >= kStops || sending_.exchange(true)) return;
    const Sent sent = transmit(spec_.at_stop == AtStop::rest ? rest_ : last_, 0, false);
    if (stops_.load() == 0) first_stop_.store(sent.number);
    if (sent.sent) any_stop_.store(true);
    stops_.fetch_add(1);
    sending_.store(false);
  }

  /// Takes what has come. False: there may be more.
  bool drain() noexcept {
    for (int k = 0; k < kDatagramsPerTick; ++k) {
      UdpPeer from;
      const UdpSocket::Result got = socket_->receive(buffer_, from);
      if (got.got == UdpSocket::Got::nothing) return true;
      if (got.got == UdpSocket::Got::refused) {
        refusals_.fetch_add(1, std::memory_order_relaxed);
      } else if (!from.sameHost(peer_) || (spec_.source_port != 0 && from.port() != spec_.source_port)) {
        count(figures_.foreign);
        stranger_ = from;
      } else {
        take(std::span(buffer_).first(std::min(got.size, buffer_.size())), got.size);
      }
    }
    return false;
  }

  void take(std::span<const std::uint8_t> bytes, std::size_t size) noexcept {
    const std::int64_t at = clock_.nowNs();
    Head head;
    const DatagramCheck check = layouts_.receives.decode(bytes, head, received_);
    if (check != DatagramCheck::ok || !isNumber(head.sequence) || !isNumber(head.echo)) {
      count(figures_.corrupt);
      wrong_size_.store(size, std::memory_order_relaxed);
      wrong_.store(check, std::memory_order_relaxed);
      return;
    }
    if (numbered_ && !isNext(static_cast<std::uint64_t>(head.sequence))) return;
    count(figures_.received);
    if (incoming_.size() == bytes.size()) std::copy(bytes.begin(), bytes.end(), incoming_.begin());
    heard_.store(static_cast<std::uint64_t>(head.sequence), std::memory_order_relaxed);
    any_ = true;
    arrived_ns_ = at;
    heard_ticks_ = 0;
    fresh_ = fresh_ || !echoes_ || !commanding_;
    if (echoes_)
      hearEcho(static_cast<std::uint64_t>(head.echo), at);
    else
      answered_ = true;
    if (timed_) measureTransit(head.time_s, at);
    takeValues();
    faulty_.store(faulty_.load(std::memory_order_relaxed) || head.fault, std::memory_order_relaxed);
    hearState(head);
  }

  static bool isNumber(double value) noexcept { return value >= 0.0 && value < 1e18 && value == std::floor(value); }

  /// False: an old datagram, which is only counted.
  bool isNext(std::uint64_t number) noexcept {
    const SequenceTracker::Judgement judged = tracker_.judge(number);
    switch (judged.verdict) {
      case SequenceTracker::Verdict::next:
        count(figures_.lost, judged.skipped);
        numbers_ += 1 + static_cast<std::int64_t>(judged.skipped);
        return true;
      case SequenceTracker::Verdict::doubled:
        count(figures_.doubled);
        return false;
      case SequenceTracker::Verdict::reordered:
        count(figures_.out_of_order);
        if (judged.was_missing) figures_.lost.fetch_sub(1, std::memory_order_relaxed);
        return false;
      case SequenceTracker::Verdict::restarted:
        break;
    }
    // The target has started again, so it may stand anywhere.
    count(figures_.out_of_order);
    ++numbers_;
    if (commanding_) lose("the target has started again: its sequence number jumped");
    return true;
  }

  void hearEcho(std::uint64_t echo, std::int64_t at) noexcept {
    const Sent& sent = sent_[echo % kSentMemory];
    if (!sent.sent || sent.number != echo || echo == echoed_) return;  // of an earlier connection, or heard before
    echoed_ = echo;
    answered_ = echo == awaited_;
    fresh_ = true;
    figures_.addRoundTrip(at - sent.at_ns);
  }

  void measureTransit(double time_s, std::int64_t at) noexcept {
    const double over_s = transit_.add(time_s, 1e-9 * static_cast<double>(at));
    figures_.last_age_ns.store(static_cast<std::int64_t>(1e9 * over_s), std::memory_order_relaxed);
    late_ = over_s > spec_.late_s;
    if (late_) count(figures_.late);
  }

  void takeValues() noexcept {
    std::size_t blind = kNoInput;
    bool clipped = false;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const DeviceChannel& range = channels_.inputs[i];
      if (std::isfinite(received_[i])) {
        inputs_[i] = std::clamp(received_[i], range.min, range.max);
        clipped = clipped || inputs_[i] != received_[i];
      } else if (blind == kNoInput) {
        blind = i;
      }
    }
    blind_ = blind != kNoInput;
    if (blind_) count(figures_.corrupt);
    if (clipped) count(figures_.clipped);
    blind_input_.store(blind, std::memory_order_relaxed);
  }

  void hearState(const Head& head) noexcept {
    if (!confirms_) {
      enabled_.store(commanding_, std::memory_order_relaxed);
      return;
    }
    enabled_.store(head.enabled, std::memory_order_relaxed);
    if (stop_wanted_.load()) {
      const auto echo = static_cast<std::uint64_t>(head.echo);
      const bool answers = stops_.load() > 0 && (!echoes_ || wrapped(echo - first_stop_.load()) <= kStops);
      confirmed_ = confirmed_ || (!head.enabled && answers);
      return;
    }
    if (head.enabled) disabled_ticks_ = 0;
    if (was_enabled_ && commanding_ && !head.enabled) stopped_itself_.store(true);
    was_enabled_ = was_enabled_ || (commanding_ && head.enabled);
  }
  /// Distance of two sequence numbers of the bench.
  std::uint64_t wrapped(std::uint64_t difference) const noexcept {
    return difference > largest_sent_ ? difference + largest_sent_ + 1 : difference;
  }

  /// Counts the ticks without news of the target.
  void judge() noexcept {
    ++heard_ticks_;
    silent_ticks_ = std::exchange(fresh_, false) ? 0 : silent_ticks_ + 1;
    if (confirms_ && commanding_ && !was_enabled_) ++disabled_ticks_;
    if (silent_ticks_ >= spec_.timeout_ticks)
      lose(echoes_ && heard_ticks_ < spec_.timeout_ticks
               ? "the target sends, but echoes no command within the link timeout"
               : "no datagram within the link timeout");
    else if (disabled_ticks_ > spec_.timeout_ticks)
      lose("the target does not follow: its field \"enabled\" stays 0");
  }
  void lose(const char* why) noexcept {
    if (lost() == nullptr) lost_.store(why);
  }

  /// In free run: until the last datagram is answered, or too long. False: there may be more.
  bool waitForAnswer() noexcept {
    bool whole = true;
    const auto patience = static_cast<std::int64_t>(1e9 * channels_.answer_wait_s);
    const std::int64_t until = monotonicNs() + patience;
    while (!answered_ && (commanding_ || asks_) && !stop_wanted_.load() && lost() == nullptr) {
      const std::int64_t left = until - monotonicNs();
      if (left <= 0) break;
      (void)socket_->waitReadable(nanoseconds(std::min(left, kAskEvery_ns)));
      whole = drain();
    }
    return whole;
  }

  /// What else went wrong, for the reason of the end.
  std::string hints() const {
    std::string words;
    if (const double rate_hz = wrong_rate_hz_.load(std::memory_order_relaxed); rate_hz > 0.0)
      words += ": " + std::to_string(std::lround(rate_hz)) + " datagrams a second came, but the loop rate is " +
               Checks::text(channels_.rate_hz, "Hz");
    if (refusals_.load(std::memory_order_relaxed) > 0)
      words += "; its computer answers that no program listens on port " + std::to_string(address_.port);
    if (wrong_.load(std::memory_order_relaxed) != DatagramCheck::ok)
      words += "; \"Datagrams from the target\" " + mismatch();
    if (const std::uint64_t foreign = figures_.foreign.load(); foreign > 0)
      words += "; " + std::to_string(foreign) + " datagrams of other senders were ignored";
    return words;
  }

  ConnectionSpec connection_;
  UdpSpec spec_;
  Address address_;
  DeviceChannels channels_;
  Clock& clock_;
  UdpLayouts layouts_;
  bool numbered_, echoes_, timed_;  // by the target
  bool asks_;                       // the bench may send before the first command
  bool confirms_;                   // the target says whether it follows
  std::uint64_t largest_sent_;      // sequence number
  LinkFigures figures_;
  UdpPeer peer_, stranger_;
  std::optional<UdpSocket> socket_;
  SequenceTracker tracker_;
  TransitTime transit_;

  std::vector<Sent> sent_;
  std::vector<std::uint8_t> outgoing_, incoming_;  // incoming_: the last usable datagram
  std::array<std::uint8_t, 2048> buffer_{};
  std::vector<double> rest_, last_;         // [outputs] at rest, last sent
  std::vector<double> received_, inputs_;   // [inputs] of the last datagram, newest known
  std::uint64_t number_ = 0;                // of the last sent datagram; of the holder of sending_
  std::uint64_t awaited_ = 0, echoed_ = 0;  // numbers of the tick's last datagram, and of the last answered one
  std::atomic<std::uint64_t> heard_{0}, first_stop_{0};  // last number of the target; number of the first stop
  bool any_ = false;                                     // a usable datagram has come
  bool commanding_ = false, fresh_ = false;
  bool answered_ = false;              // the last sent datagram
  bool late_ = false, blind_ = false;  // the last datagram
  bool was_enabled_ = false, confirmed_ = false;
  int silent_ticks_ = 0, heard_ticks_ = 0, disabled_ticks_ = 0;
  LeadClock lead_clock_{channels_.rate_hz};    // of a target that leads
  std::int64_t numbers_ = 0, arrived_ns_ = 0;  // datagrams since the last tick by their numbers; the newest
  bool leading_ = false, awaited_beat_ = false, drained_ = true;
  std::atomic<double> wrong_rate_hz_{0.0};
  static constexpr std::size_t kNoInput = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> blind_input_{kNoInput}, wrong_size_{0};
  std::atomic<DatagramCheck> wrong_{DatagramCheck::ok};  // of the last unusable datagram
  std::atomic<std::uint64_t> refusals_{0};
  std::atomic<const char*> lost_{nullptr};  // reason
  std::atomic<bool> may_move_{false}, sending_{false}, stop_wanted_{false}, stopped_itself_{false};
  std::atomic<bool> faulty_{false}, clipped_{false}, enabled_{false}, any_stop_{false};
  std::atomic<int> stops_{0};  // sent
  std::atomic<Ending> ending_{Ending::none};
};

}  // namespace

std::unique_ptr<Device> makeUdpDevice(const RigSpec& rig, const DeviceChannels& channels, Clock& clock) {
  return std::make_unique<UdpDevice>(rig, channels, clock);
}

}  // namespace hyb
