#include "hardware/text_device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/rig/address.h"
#include "core/rig/device_channels.h"
#include "core/rig/text_protocol.h"
#include "core/rig/text_template.h"
#include "hardware/polled_device.h"
#include "hardware/port.h"

namespace hyb {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kWaitSlice = 20ms;   // of a wait; how soon an interrupt is seen
constexpr auto kQuiet = 50ms;       // ends what is thrown away
constexpr auto kLongestDrain = 1s;  // of an instrument that never falls silent
constexpr auto kFaultInterval = 500ms;
constexpr int kStopTries = 3;

/// A reply as a message shows it: short, without control characters.
std::string shown(const std::string& reply) {
  constexpr std::size_t kShown = 60;
  std::string text = "\"";
  for (const char c : reply.substr(0, kShown)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (reply.size() > kShown ? "...\"" : "\"");
}

class TextInstrument final : public Instrument {
 public:
  explicit TextInstrument(const RigSpec& rig)
      : connection_(rig.connection),
        spec_(settingsOf<TextSpec>(connection_.protocol.get())),
        address_(parseAddress(connection_.address, "/rig/connection/address")),
        reply_wait_(std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(spec_.reply_s))) {
    if (spec_.reply_end.empty())
      throw InputError("/rig/connection/reply_end", "is empty; name the characters that end a reply, like \"\\n\".");
    if (!spec_.identity.empty()) identity_ = replyPattern(spec_.identity, "/rig/connection/identity");
    if (!spec_.accepted.empty()) accepted_ = replyPattern(spec_.accepted, "/rig/connection/accepted");
    if (!spec_.no_fault.empty()) no_fault_ = replyPattern(spec_.no_fault, "/rig/connection/no_fault");
    std::vector<std::string> outputs;
    for (std::size_t c = 0; c < rig.channels.size(); ++c) {
      const ChannelSpec& channel = rig.channels[c];
      const TextSpec::Channel& lines = spec_.channels.at(c);
      if (isOutput(channel.role)) {
        outputs.push_back(channel.name);
        if (spec_.set_all.empty()) sets_.emplace_back(lines.set, std::vector<std::string>{"x"}, channelPlace(c, "set"));
      } else {
        patterns_.emplace_back(lines.pattern, channelPlace(c, "pattern"));
        if (!spec_.get_all.empty()) continue;
        if (lines.get.empty()) throw InputError(channelPlace(c, "get"), "is missing; give the query for this value.");
        gets_.push_back(lines.get);
      }
    }
    if (!spec_.set_all.empty()) sets_.emplace_back(spec_.set_all, outputs, "/rig/connection/set_all");
    if (!spec_.get_all.empty()) gets_.push_back(spec_.get_all);
    last_sets_.resize(sets_.size());
  }

  std::string description() const override { return "text instrument at " + connection_.address; }

  void connect() override {
    interrupted_.store(false, std::memory_order_relaxed);
    received_.clear();
    std::fill(last_sets_.begin(), last_sets_.end(), std::string());
    out_of_step_ = false;
    port_ = openPort(address_, connection_.serial, connection_.connect_s);
    drain();  // greetings
    if (identify() != Exchange::ok) refuse();
    for (const std::string& line : spec_.prepare)
      if (tell(line) != Exchange::ok) refuse();
    fault_asked_ = Clock::time_point();
  }

  Exchange exchange(std::span<const double> outputs, std::span<double> inputs) override {
    Exchange result = out_of_step_ ? resynchronise() : Exchange::ok;
    if (result == Exchange::ok) result = askFault();
    for (std::size_t s = 0; s < sets_.size() && !outputs.empty() && result == Exchange::ok; ++s) {
      const std::string line = sets_[s].text(spec_.set_all.empty() ? outputs.subspan(s, 1) : outputs);
      if (line == last_sets_[s]) continue;
      result = tell(line);
      if (result == Exchange::ok) last_sets_[s] = line;
    }
    for (std::size_t g = 0; g < gets_.size() && result == Exchange::ok; ++g) {
      result = ask(gets_[g]);
      if (result != Exchange::ok) break;
      if (!read(g, inputs))
        result = say(Exchange::corrupt, "\"" + gets_[g] + "\" was answered with " + shown(reply_) +
                                            ", in which the pattern finds no number");
    }
    out_of_step_ = result != Exchange::ok;
    return result;
  }

  bool stop() override {
    if (!port_) return false;
    if (spec_.stop.empty()) return true;
    interrupted_.store(false, std::memory_order_relaxed);
    for (int attempt = 0; attempt < kStopTries; ++attempt) {
      const Exchange told = tell(spec_.stop);
      if (told == Exchange::ok) return true;
      if (told == Exchange::broken) break;
    }
    return false;
  }

  void disconnect() noexcept override { port_.reset(); }
  void interrupt() noexcept override { interrupted_.store(true, std::memory_order_relaxed); }
  const std::string& complaint() const noexcept override { return complaint_; }

 private:
  Exchange say(Exchange result, std::string complaint) {
    complaint_ = std::move(complaint);
    return result;
  }
  [[noreturn]] void refuse() {
    port_.reset();
    throw DeviceError(description() + ": " + complaint_ + ".");
  }

  Exchange send(const std::string& line) {
    const std::string whole = line + spec_.send_end;
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(whole.data()), whole.size());
    if (port_->writeAll(bytes, reply_wait_)) return Exchange::ok;
    return say(Exchange::broken, "\"" + line + "\" could not be sent: the connection is gone");
  }

  /// The next reply into reply_, without its end.
  Exchange receive(const std::string& question, Clock::time_point deadline) {
    for (;;) {
      const std::size_t end = received_.find(spec_.reply_end);
      if (end != std::string::npos) {
        reply_ = received_.substr(0, end);
        received_.erase(0, end + spec_.reply_end.size());
        return Exchange::ok;
      }
      if (received_.size() >= kLongestReply)
        return say(Exchange::corrupt, "\"" + question + "\" was answered with more than " +
                                          std::to_string(kLongestReply) + " bytes without the end of a reply");
      const auto left = deadline - Clock::now();
      if (interrupted_.load(std::memory_order_relaxed))
        return say(Exchange::lost, "a stop broke off the wait for the answer to \"" + question + "\"");
      if (left <= 0s)
        return say(Exchange::lost,
                   "no answer to \"" + question + "\" within " + std::to_string(reply_wait_.count()) + " ms");
      if (port_->waitReadable(std::min<std::chrono::nanoseconds>(left, kWaitSlice)) && !take())
        return say(Exchange::broken, "the connection was closed by the other side");
    }
  }

  /// Takes over what has arrived. False: the other side is gone.
  bool take() {
    std::array<std::uint8_t, 512> bytes;
    const Port::Result result =
        port_->read(std::span(bytes).first(std::min(bytes.size(), kLongestReply - received_.size())));
    received_.append(reinterpret_cast<const char*>(bytes.data()), result.bytes);
    return !result.closed;
  }

  /// What is there before a question is no answer to it: messages sent unasked, prompts.
  Exchange ask(const std::string& question) {
    do received_.clear();
    while (take() && !received_.empty());
    const Exchange sent = send(question);
    return sent == Exchange::ok ? receive(question, Clock::now() + reply_wait_) : sent;
  }
  Exchange tell(const std::string& line) {
    if (!spec_.set_is_answered) return send(line);
    const Exchange asked = ask(line);
    if (asked != Exchange::ok || !accepted_ || std::regex_search(reply_, *accepted_)) return asked;
    return say(Exchange::corrupt, "refused \"" + line + "\": it answered " + shown(reply_));
  }

  /// The values of query g out of its reply.
  bool read(std::size_t g, std::span<double> inputs) const {
    if (!spec_.get_all.empty()) return findNumbers(reply_, spec_.separator, patterns_, inputs);
    const std::optional<double> value = patterns_[g].find(reply_);
    if (value) inputs[g] = *value;
    return value.has_value();
  }

  /// Throws away what arrives until the line is silent.
  void drain() {
    const auto deadline = Clock::now() + kLongestDrain;
    do {
      received_.clear();
      if (!port_->waitReadable(kQuiet)) return;
    } while (take() && Clock::now() < deadline && !interrupted_.load(std::memory_order_relaxed));
    received_.clear();
  }

  /// Answers to what was asked before a stop may come before this one, however long the line was silent.
  Exchange identify() {
    if (spec_.identify.empty()) return Exchange::ok;
    const auto deadline = Clock::now() + reply_wait_;
    const Exchange asked = ask(spec_.identify);
    if (asked != Exchange::ok || !identity_) return asked;
    while (!std::regex_search(reply_, *identity_)) {
      const Exchange next = receive(spec_.identify, deadline);
      if (next == Exchange::lost)
        return say(Exchange::corrupt, "is another instrument than the project expects: it answered \"" +
                                          spec_.identify + "\" with " + shown(reply_));
      if (next != Exchange::ok) return next;
    }
    return Exchange::ok;
  }

  Exchange resynchronise() {
    drain();
    std::fill(last_sets_.begin(), last_sets_.end(), std::string());
    return identify();
  }

  Exchange askFault() {
    if (spec_.fault_query.empty() || Clock::now() - fault_asked_ < kFaultInterval) return Exchange::ok;
    const Exchange asked = ask(spec_.fault_query);
    if (asked != Exchange::ok) return asked;
    fault_asked_ = Clock::now();
    if (!no_fault_ || std::regex_search(reply_.begin(), reply_.end(), *no_fault_)) return Exchange::ok;
    return say(Exchange::fault, "reports a fault: it answered \"" + spec_.fault_query + "\" with " + shown(reply_));
  }

  const ConnectionSpec connection_;
  const TextSpec& spec_;  // of connection_
  const Address address_;
  const std::chrono::milliseconds reply_wait_;
  std::optional<std::regex> identity_, no_fault_, accepted_;
  std::vector<TextTemplate> sets_;       // [outputs], or one for all
  std::vector<std::string> gets_;        // [inputs], or one for all
  std::vector<NumberPattern> patterns_;  // [inputs]
  std::vector<std::string> last_sets_;   // [sets_]: lines last sent
  std::unique_ptr<Port> port_;
  std::string received_, reply_, complaint_;
  bool out_of_step_ = false;
  Clock::time_point fault_asked_;
  std::atomic<bool> interrupted_{false};
};

}  // namespace

std::unique_ptr<Device> makeTextDevice(const RigSpec& rig, const DeviceChannels& channels) {
  if (rig.channels.empty())
    throw InputError("/rig/channels", "a text instrument needs its channels: give each one's \"set\" or \"get\".");
  return std::make_unique<PolledDevice>(std::make_unique<TextInstrument>(rig), channels,
                                        settingsOf<TextSpec>(rig.connection.protocol.get()).max_age_s);
}

}  // namespace hyb
