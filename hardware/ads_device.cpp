#include "hardware/ads_device.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/rig/address.h"
#include "core/rig/ads_values.h"
#include "core/rig/device_channels.h"
#include "hardware/ads_link.h"
#include "hardware/ads_plan.h"
#include "hardware/ads_symbols.h"
#include "hardware/ads_words.h"
#include "hardware/polled_device.h"

namespace hyb {
namespace {

using AdsClock = std::chrono::steady_clock;
using AdsSeconds = std::chrono::duration<double>;

constexpr int kAdsStopAttempts = 3;
constexpr auto kAdsReopenInterval = std::chrono::milliseconds(50), kAdsHangUp = std::chrono::milliseconds(200);
constexpr double kAdsReopenWait_s = 0.2;            // of one attempt, so that an interrupt is noticed
constexpr std::uint16_t kAdsSystemService = 10000;  // AMS port that knows the state of TwinCAT
constexpr double kAdsTimeUnit_s = 1e-7;             // of the cycle time
constexpr double kAdsStillCycles = 3.0;             // of a counter that stands still, at least

class AdsInstrument final : public Instrument {
 public:
  AdsInstrument(ConnectionSpec connection, const std::vector<ChannelSpec>& channels, double rate_hz)
      : connection_(std::move(connection)),
        spec_(settingsOf<AdsSpec>(connection_.protocol.get())),
        address_(parseAddress(connection_.address, "/rig/connection/address")),
        reply_wait_(std::chrono::ceil<std::chrono::milliseconds>(AdsSeconds(spec_.reply_s))),
        rate_hz_(rate_hz),
        target_{targetOf(spec_, address_), static_cast<std::uint16_t>(spec_.target_port)},
        at_(spec_, channels),
        symbols_(at_.values),
        version_request_(AdsRequest::read(kAdsSymbolVersion, 0, 1)) {
    system_request_.port = kAdsSystemService;
  }

  std::string description() const override {
    return "ADS controller " + target_.net.text() + ", port " + std::to_string(target_.port) + ", at " +
           connection_.address;
  }

  void connect() override {
    disconnect();
    interrupted_.store(false, std::memory_order_relaxed);
    cycle_.reset();
    version_.reset();
    const auto until = after(connection_.connect_s);
    open(connection_.connect_s);
    try {
      greet(until);
      must(symbols_.check(*link_), link_->complaint());
      must(symbols_.fetch(*link_), symbols_.complaint());
      buildRequests();
      checkCycleTime();
    } catch (...) {
      disconnect();
      throw;
    }
  }

  Exchange exchange(std::span<const double> outputs, std::span<double> inputs) override {
    if (!link_) return Exchange::broken;
    if (!symbols_.fetched())
      if (const std::optional<Exchange> failure = resume()) return *failure;
    requests_.clear();
    const bool writes = !outputs.empty();
    if (writes) {
      fill(outputs);
      requests_.push_back(&write_request_);
    }
    const std::size_t reading = requests_.size(), reads = at_.reads.empty() ? 0 : 1;
    if (reads > 0) requests_.push_back(&read_request_);
    const bool due = AdsClock::now() >= state_due_;
    if (due) addStateRequests();
    const Link::Answer answer = link_->ask(requests_);
    if (answer != Link::Answer::ok && answer != Link::Answer::refused) return failed(answer);
    if (due)
      if (const std::optional<Exchange> failure = judgeState(reading + reads)) return *failure;
    if (writes)
      if (const std::optional<Exchange> failure = judgeParts(0, at_.writes, "write", 0)) return *failure;
    if (reads == 0) return Exchange::ok;
    if (const std::optional<Exchange> failure = judgeParts(reading, at_.reads, "read", read_bytes_)) return *failure;
    return decode(link_->answer(reading).data, inputs);
  }

  Stopped stop() override {
    if (at_.stops.empty()) return Stopped::unknown_how;
    Stopped heard = Stopped::unsent;
    for (int attempt = 0; attempt < kAdsStopAttempts; ++attempt) {
      if (!link_ && !reopen(true)) break;
      const Stopped now = stopOnce();
      if (now == Stopped::confirmed) return now;
      if (now != Stopped::unsent && heard != Stopped::refused) heard = now;
    }
    return heard;
  }

  void disconnect() noexcept override {
    if (!link_) return;
    try {
      symbols_.release(*link_);
      link_->hangUp(kAdsHangUp);
    } catch (const std::exception&) {  // the controller forgets them by itself
    }
    link_.reset();
  }
  void interrupt() noexcept override { interrupted_.store(true, std::memory_order_relaxed); }
  const std::string& complaint() const noexcept override { return complaint_; }

 private:
  using Link = AdsLink;

  static AdsClock::time_point after(double seconds) {
    return AdsClock::now() + std::chrono::duration_cast<AdsClock::duration>(AdsSeconds(seconds));
  }
  static AmsNetId targetOf(const AdsSpec& spec, const Address& address) {
    if (address.kind != Address::Kind::tcp)
      throw InputError("/rig/connection/address", "is \"" + address.text() + "\"; give tcp://HOST:48898.");
    const auto net = targetNetId(spec, address.host);
    if (!net)
      throw InputError("/rig/connection/target_net_id",
                       "is \"" + spec.target_net_id + "\"; enter the AMS NetId of the controller, 5.1.2.3.1.1.");
    return *net;
  }

  // Opening.

  void open(double wait_s) {
    symbols_.forget();
    auto port = openPort(address_, connection_.serial, wait_s);
    local_host_ = port->localHost();
    const auto net = spec_.source_net_id.empty() ? usualNetId(local_host_) : parseNetId(spec_.source_net_id);
    if (!net)
      throw InputError("/rig/connection/source_net_id",
                       "is \"" + spec_.source_net_id + "\", and this computer has the address " + local_host_ +
                           "; enter the AMS NetId for which the controller has a route, 192.168.0.10.1.1.");
    source_net_ = *net;
    link_.emplace(std::move(port), target_, AmsAddress{source_net_, static_cast<std::uint16_t>(spec_.source_port)},
                  reply_wait_, interrupted_);
  }

  std::string routeRemedy() const {
    return "add a static route to the controller (TwinCAT > System > Routes): AMS NetId " + source_net_.text() +
           ", address " + local_host_ + ", transport TCP/IP; also check that the AMS NetId of the controller is " +
           target_.net.text();
  }

  /// State of the PLC, once it answers, and version of its symbols. Throws DeviceError.
  void greet(AdsClock::time_point until) {
    Link::Answer answer;
    do answer = link_->ask(state_request_);
    while (answer == Link::Answer::late && AdsClock::now() < until && !interrupted_.load(std::memory_order_relaxed));
    if (answer == Link::Answer::late || answer == Link::Answer::closed)
      refuse(link_->complaint() +
             ", to the first request; the controller probably has no route to this computer: " + routeRemedy());
    if (answer == Link::Answer::refused) refuse(refusal("cannot read the state of the PLC", link_->answer().error));
    must(answer, link_->complaint());
    const std::uint16_t state = ads16(link_->answer().data, 0);
    if (state != kAdsRun) refuse(adsStateSentence(target_.port, state));
    answer = link_->ask(version_request_);
    if (answer == Link::Answer::ok && link_->answer().data.size() == 1) version_ = link_->answer().data[0];
    if (answer != Link::Answer::refused) must(answer, link_->complaint());
    state_due_ = after(spec_.state_s);
  }

  /// A loop that is faster than the task would read each value several times.
  void checkCycleTime() {
    if (spec_.task == 0) return;
    const AdsPart part = symbols_.part(at_.cycle_time);
    const Link::Answer answer = link_->ask(AdsRequest::read(part.group, part.offset, part.size));
    if (answer == Link::Answer::refused) refuse(refusal("cannot read the cycle time", link_->answer().error));
    must(answer, link_->complaint());
    if (link_->answer().data.size() != 4) refuse("the cycle time has no 4 bytes");
    cycle_time_s_ = kAdsTimeUnit_s * ads32(link_->answer().data, 0);
    if (rate_hz_ * cycle_time_s_ <= 1.0 + 1e-9) return;
    throw InputError("/loop/rate_hz", "is " + Checks::text(rate_hz_, "Hz") + ", but PLC task " +
                                          std::to_string(spec_.task) + " of the controller runs every " +
                                          Checks::text(1e3 * cycle_time_s_, "ms") + "; lower the rate to at most " +
                                          Checks::text(1.0 / cycle_time_s_, "Hz") + ", or shorten the cycle.");
  }

  [[noreturn]] void refuse(const std::string& sentence) const {
    throw DeviceError(description() + ": " + sentence + ".");
  }
  void must(Link::Answer answer, const std::string& sentence) const {
    if (answer != Link::Answer::ok) refuse(sentence);
  }

  bool opened() {
    try {
      open(std::min(kAdsReopenWait_s, connection_.connect_s));
      return true;
    } catch (const DeviceError&) {
      return false;
    }
  }
  /// TCP: reopens a broken link within `connect_s`. False: it remains broken.
  bool reopen(bool for_stop) {
    link_.reset();
    const auto until = after(connection_.connect_s);
    do {
      if (opened()) return true;
      std::this_thread::sleep_for(kAdsReopenInterval);
    } while (AdsClock::now() < until && (for_stop || !interrupted_.load(std::memory_order_relaxed)));
    return false;
  }

  /// After a new connection, or with stale handles: the same program must run, then the handles are fetched again.
  std::optional<Exchange> resume() {
    requests_.clear();
    addStateRequests();
    const Link::Answer answer = link_->ask(requests_);
    if (answer != Link::Answer::ok && answer != Link::Answer::refused) return failed(answer);
    if (const std::optional<Exchange> failure = judgeState(0)) return failure;
    try {
      if (!version_)
        if (const Link::Answer checked = symbols_.check(*link_); checked != Link::Answer::ok) return failed(checked);
    } catch (const InputError& error) {
      return fault(changedProgram() + ": " + error.what());
    }
    const Link::Answer fetched = symbols_.fetch(*link_);
    if (fetched == Link::Answer::ok) {
      buildRequests();
      return std::nullopt;
    }
    if (fetched != Link::Answer::refused) return failed(fetched);
    complaint_ = symbols_.complaint();
    return Exchange::corrupt;
  }

  void buildRequests() {
    const auto partsOf = [&](const std::vector<std::size_t>& values) {
      std::vector<AdsPart> parts;
      for (const std::size_t v : values) parts.push_back(symbols_.part(v));
      return parts;
    };
    const auto sizeOfAll = [](const std::vector<AdsPart>& parts) {
      std::size_t size = 0;
      for (const AdsPart& part : parts) size += part.size;
      return size;
    };
    const std::vector<AdsPart> reads = partsOf(at_.reads), writes = partsOf(at_.writes), stops = partsOf(at_.stops);
    read_bytes_ = sizeOfAll(reads);
    read_request_ = AdsRequest::sumRead(reads);
    write_request_ = AdsRequest::sumWrite(writes, AdsBytes(sizeOfAll(writes)));
    AdsBytes values(sizeOfAll(stops));
    for (std::size_t s = 0, byte = 0; s < stops.size(); byte += stops[s++].size)
      encodePlc(spec_.stop[s].second, spec_.stop[s].first.type, &values[byte]);
    stop_request_ = AdsRequest::sumWrite(stops, values);
  }

  // The tick.

  void fill(std::span<const double> outputs) noexcept {
    std::uint8_t* byte = write_request_.sumValues(at_.writes.size()).data();
    for (std::size_t o = 0; o < at_.writes.size(); ++o) {
      const PlcType type = symbols_[at_.writes[o]].place.type;
      encodePlc(o < at_.outputs ? outputs[o] : static_cast<double>(++commands_), type, byte);
      byte += plcSize(type);
    }
  }

  void addStateRequests() {
    requests_.push_back(&state_request_);
    if (version_) requests_.push_back(&version_request_);
    state_due_ = after(spec_.state_s);
  }

  /// The answers to the requests for state and version, from `first` on.
  std::optional<Exchange> judgeState(std::size_t first) {
    const AdsAnswer& state = link_->answer(first);
    if (state.error != 0) return refused("cannot read the state of the PLC", state.error);
    const std::uint16_t now = ads16(state.data, 0);
    if (now != kAdsRun) return fault(adsStateSentence(target_.port, now));
    if (!version_) return std::nullopt;
    const AdsAnswer& version = link_->answer(first + 1);
    if (version.error != 0) return refused("cannot read the symbol version", version.error);
    if (version.data.size() == 1 && version.data[0] != *version_) return fault(changedProgram());
    return std::nullopt;
  }
  static std::string changedProgram() {
    return "the PLC program was changed during the test; connect again, after a check of the program";
  }

  /// The errors of the parts of answer k to a sum command with so many bytes of values.
  std::optional<Exchange> judgeParts(std::size_t k, const std::vector<std::size_t>& parts, const char* verb,
                                     std::size_t bytes) {
    const AdsAnswer& answer = link_->answer(k);
    if (answer.error != 0)
      return refused("cannot " + std::string(verb) + " " + std::to_string(parts.size()) + " values", answer.error);
    if (answer.data.size() != 4 * parts.size() + bytes) {
      complaint_ = "cannot " + std::string(verb) + " " + std::to_string(parts.size()) +
                   " values: the answer has a wrong length, " + std::to_string(answer.data.size()) +
                   " bytes instead of " + std::to_string(4 * parts.size() + bytes);
      return Exchange::corrupt;
    }
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const std::uint32_t error = ads32(answer.data, 4 * p);
      const AdsValue& value = symbols_[parts[p]];
      if (error == 0) continue;
      if (error == kAdsOldSymbol) return fault(changedProgram());
      const bool stale = !value.place.symbol.empty() && (error == kAdsNoSymbol || error == kAdsBadOffset);
      if (stale) symbols_.forget();
      return refused(
          "cannot " + std::string(verb) + " " + value.name() + (stale ? ", whose handle is no longer valid" : ""),
          error);
    }
    return std::nullopt;
  }

  Exchange decode(const AdsBytes& answer, std::span<double> inputs) {
    const std::uint8_t* byte = &answer[4 * at_.reads.size()];
    for (std::size_t i = 0; i < at_.reads.size(); ++i) {
      const PlcType type = symbols_[at_.reads[i]].place.type;
      const double value = decodePlc(byte, type);
      byte += plcSize(type);
      if (i < at_.inputs)
        inputs[i] = value;
      else
        return checkCycle(static_cast<std::uint32_t>(value));
    }
    return Exchange::ok;
  }

  /// The counter of the task must go on, and forwards.
  Exchange checkCycle(std::uint32_t count) {
    const auto now = AdsClock::now();
    const std::string task = "PLC task " + std::to_string(spec_.task);
    if (cycle_ && static_cast<std::int32_t>(count - *cycle_) < 0)
      return fault(task + " has started again: its cycle counter went from " + std::to_string(*cycle_) + " to " +
                   std::to_string(count) + "; TwinCAT was restarted during the test");
    if (!cycle_ || count != *cycle_) {
      cycle_ = count;
      cycle_seen_ = now;
    } else if (const double still_s = std::max(spec_.max_age_s, kAdsStillCycles * cycle_time_s_);
               AdsSeconds(now - cycle_seen_).count() > still_s) {
      return fault(task + " has stopped: its cycle counter has stayed at " + std::to_string(count) + " for more than " +
                   Checks::text(1e3 * still_s, "ms") + "; check for a breakpoint or an overloaded controller");
    }
    return Exchange::ok;
  }

  // Failures.

  Exchange fault(std::string sentence) {
    complaint_ = std::move(sentence);
    return Exchange::fault;
  }
  /// An error of a whole request or of one of its parts. A missing PLC runtime is a fault; otherwise the next exchange
  /// asks for the state.
  Exchange refused(const std::string& what, std::uint32_t error) {
    state_due_ = {};
    complaint_ = refusal(what, error);
    return error == kAdsPortNotFound ? Exchange::fault : Exchange::corrupt;
  }
  std::string refusal(const std::string& what, std::uint32_t error) {
    std::string sentence = what + ": " + adsErrorText(error);
    if (error == kAdsTargetNotFound || error == 0x745) sentence += "; " + routeRemedy();
    if (error == kAdsPortNotFound && link_->ask(system_request_) == Link::Answer::ok)
      if (const std::uint16_t state = ads16(link_->answer().data, 0); state != kAdsRun)
        sentence += "; TwinCAT is in " + adsStateName(state);
    return sentence;
  }
  Exchange failed(Link::Answer answer) {
    if (answer == Link::Answer::interrupted) return Exchange::lost;
    complaint_ = link_->complaint();
    if (answer == Link::Answer::closed) {
      complaint_ +=
          "; a second ADS program with the address of this computer makes the controller do so: end it (TwinCAT, "
          "another bench)";
      return reopen(false) ? Exchange::corrupt : Exchange::broken;
    }
    return answer == Link::Answer::late ? Exchange::lost : Exchange::corrupt;
  }

  // The stop.

  /// `unsent`: nothing is known.
  Stopped stopOnce() {
    if (!symbols_.fetched()) {  // of a new connection; those that are missing concern other values, or are refused
      const Link::Answer fetched = symbols_.fetch(*link_, true);
      if (fetched == Link::Answer::closed) link_.reset();
      if (fetched != Link::Answer::ok && fetched != Link::Answer::refused) return Stopped::unsent;
      buildRequests();
    }
    requests_.assign({&stop_request_, &state_request_});
    const Link::Answer answer = link_->askForStop(requests_);
    if (answer == Link::Answer::ok || answer == Link::Answer::refused) return judgeStop();
    if (answer != Link::Answer::closed) return Stopped::unconfirmed;
    link_.reset();
    return Stopped::unsent;
  }

  /// A PLC that takes the values but does not run obeys nothing.
  Stopped judgeStop() {
    const AdsAnswer &written = link_->answer(0), &state = link_->answer(1);
    if (written.error != 0 || written.data.size() != 4 * at_.stops.size()) return Stopped::refused;
    for (std::size_t s = 0; s < at_.stops.size(); ++s)
      if (ads32(written.data, 4 * s) != 0) {
        symbols_.forget();  // perhaps of a program that was loaded since
        return Stopped::refused;
      }
    return state.error == 0 && ads16(state.data, 0) == kAdsRun ? Stopped::confirmed : Stopped::unconfirmed;
  }

  const ConnectionSpec connection_;
  const AdsSpec& spec_;  // of connection_
  const Address address_;
  const std::chrono::milliseconds reply_wait_;
  const double rate_hz_;
  const AmsAddress target_;
  const AdsPlan at_;
  AdsSymbols symbols_;
  AmsNetId source_net_;
  std::string local_host_;
  std::atomic<bool> interrupted_{false};
  std::optional<Link> link_;
  AdsRequest read_request_, write_request_, stop_request_, state_request_, system_request_;
  const AdsRequest version_request_;
  std::vector<const AdsRequest*> requests_;  // of one exchange
  std::size_t read_bytes_ = 0;
  AdsClock::time_point state_due_, cycle_seen_;
  std::optional<std::uint8_t> version_;  // of the symbols; none: the controller has none
  std::optional<std::uint32_t> cycle_;   // counter of the task
  double cycle_time_s_ = 0.0;
  std::uint32_t commands_ = 0;  // counter of the watchdog
  std::string complaint_;
};

}  // namespace

std::unique_ptr<Device> makeAdsDevice(const RigSpec& rig, const DeviceChannels& channels) {
  if (rig.channels.empty())
    throw InputError("/rig/channels", "an ADS controller needs channels; enter the PLC variable of each channel.");
  return std::make_unique<PolledDevice>(std::make_unique<AdsInstrument>(rig.connection, rig.channels, channels.rate_hz),
                                        channels, settingsOf<AdsSpec>(rig.connection.protocol.get()).max_age_s);
}

}  // namespace hyb
