#include "hardware/text_device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cmath>
#include <deque>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/rig/address.h"
#include "core/rig/device_channels.h"
#include "core/rig/text_protocol.h"
#include "core/rig/text_template.h"
#include "hardware/polled_device.h"
#include "hardware/port.h"

namespace hyb {
namespace {

using namespace std::chrono_literals;
using TextClock = std::chrono::steady_clock;

constexpr auto kWaitSlice = 20ms;   // of a wait; reaction time to an interrupt
constexpr auto kQuiet = 50ms;       // ends a drain
constexpr auto kLongestDrain = 1s;  // of an instrument that never stops sending
constexpr auto kFaultInterval = 500ms;
constexpr int kStopTries = 3;
constexpr std::size_t kEchoes = 16;  // recent lines that may still be echoed

bool isWord(char c) noexcept { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool isBlank(char c) noexcept { return c >= 0 && c <= ' '; }
std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
  return text;
}

/// A reply as shown in a message: short, without control characters.
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
      throw InputError("/rig/connection/reply_end",
                       "is empty; enter the characters that end a reply, for example \"\\n\".");
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
        patterns_.emplace_back(lines.pattern, channelPlace(c, "pattern"), spec_.decimal, lines.reply_unit);
        if (!spec_.get_all.empty()) continue;
        if (lines.get.empty()) throw InputError(channelPlace(c, "get"), "is missing; enter the query for this value.");
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
    sent_.clear();
    out_of_step_ = stopping_ = telling_ = false;
    recognisable_ = identity_.has_value();
    owed_ = identities_owed_ = 0;
    port_ = openPort(address_, connection_.serial, connection_.connect_s);
    drain(kQuiet);  // greetings
    greet();
    prepared_ = 0;
    for (const std::string& line : spec_.configure)
      if (tell(line) != Exchange::ok) refuse();
    if (sets_.empty() && prepare() != Exchange::ok) refuse();
    fault_asked_ = TextClock::time_point();
  }

  Exchange exchange(std::span<const double> outputs, std::span<double> inputs) override {
    Exchange result = out_of_step_ ? resynchronise() : Exchange::ok;
    if (result == Exchange::ok) result = askFault();
    if (result == Exchange::ok && !outputs.empty()) result = prepare();
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
                                            ", which has no complete number at the place described in the project");
    }
    out_of_step_ = result != Exchange::ok;
    if (result == Exchange::broken) port_.reset();
    return result;
  }

  /// Over a new connection if the old one is broken. Pending answers arrive before the reply to the stop, so they are
  /// counted.
  Stopped stop() override {
    if (spec_.stop.empty()) return Stopped::unknown_how;
    if (!port_ && !reopen()) return Stopped::unsent;
    stopping_ = telling_ = true;
    Stopped heard = Stopped::unsent;
    for (int attempt = 0; attempt < kStopTries; ++attempt) {
      if (send(spec_.stop) != Exchange::ok) return heard;
      if (!spec_.set_is_answered) return Stopped::sent;
      if (heard == Stopped::unsent) heard = Stopped::unconfirmed;
      for (const auto deadline = TextClock::now() + reply_wait_; receive(spec_.stop, deadline) == Exchange::ok;) {
        if (owed_ > 0) {
          --owed_;
          continue;
        }
        if (!accepted_ || std::regex_search(reply_, *accepted_)) return Stopped::confirmed;
        heard = Stopped::refused;
        break;
      }
    }
    return heard;
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

  /// TCP: connects again within `connect_s`, without the greeting. False: the device does not take the connection.
  bool reopen() {
    if (address_.kind != Address::Kind::tcp) return false;
    received_.clear();
    owed_ = 0;
    try {
      port_ = openPort(address_, connection_.serial, connection_.connect_s);
    } catch (const DeviceError&) {
      return false;
    }
    return true;
  }

  Exchange send(const std::string& line) {
    const std::string whole = line + spec_.send_end;
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(whole.data()), whole.size());
    if (sent_.size() == kEchoes) sent_.pop_front();
    sent_.emplace_back(trimmed(line));
    if (port_->writeAll(bytes, reply_wait_)) return Exchange::ok;
    return say(Exchange::broken, "\"" + line + "\" could not be sent: the connection is closed");
  }

  /// Reads the next reply into reply_, without its end. Ignores echoes, blank lines and late answers to "identify".
  Exchange receive(const std::string& question, TextClock::time_point deadline) {
    for (;;) {
      const std::size_t end = received_.find(spec_.reply_end);
      if (end != std::string::npos) {
        reply_ = received_.substr(0, end);
        received_.erase(0, end + spec_.reply_end.size());
        if (takeEcho(question)) {
          if (spec_.echo != Echo::refuse) continue;
          return say(Exchange::corrupt, "echoes its input, \"" + question +
                                            "\": turn off the echo of the device, or set the project to ignore it");
        }
        if (trimmed(reply_).empty() && !telling_) continue;
        if (identities_owed_ > 0 && question != spec_.identify && recognised()) {
          --identities_owed_;
          continue;
        }
        return Exchange::ok;
      }
      if (received_.size() >= kLongestReply) {
        received_.clear();
        return say(Exchange::corrupt, "\"" + question + "\" was answered with more than " +
                                          std::to_string(kLongestReply) + " bytes without a reply end");
      }
      const auto left = deadline - TextClock::now();
      if (!stopping_ && interrupted_.load(std::memory_order_relaxed))
        return say(Exchange::lost, "a stop interrupted the wait for the answer to \"" + question + "\"");
      if (left <= 0s)
        return say(Exchange::lost,
                   "no answer to \"" + question + "\" within " + std::to_string(reply_wait_.count()) + " ms");
      if (port_->waitReadable(std::min<std::chrono::nanoseconds>(left, kWaitSlice)) && !take())
        return say(Exchange::broken, "the connection was closed by the other side");
    }
  }

  /// Arms and enables the device before the first command, not for readings only.
  Exchange prepare() {
    for (; prepared_ < spec_.prepare.size(); ++prepared_)
      if (const Exchange told = tell(spec_.prepare[prepared_]); told != Exchange::ok) return told;
    return Exchange::ok;
  }

  bool recognised() const { return identity_ && std::regex_search(reply_, *identity_); }

  /// Removes sent lines from reply_ if they are alone or followed by an end of line: some devices end an echo
  /// differently from a reply. True: nothing else is left. An echo that confirms the line is a reply.
  bool takeEcho(const std::string& question) {
    std::string_view rest = trimmed(reply_);
    bool echoed = false;
    const auto echoOf = [&rest](const std::string& line) {
      const std::size_t at = line.empty() ? std::string_view::npos : rest.find(line);
      if (at == std::string_view::npos ||
          std::any_of(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(at), isWord))
        return false;  // before it, only a prompt is allowed
      const std::string_view behind = rest.substr(at + line.size());
      return behind.empty() || (behind.front() >= 0 && behind.front() < ' ');
    };
    for (auto line = std::ranges::find_if(sent_, echoOf); line != sent_.end();
         line = std::ranges::find_if(sent_, echoOf)) {
      if (spec_.echo == Echo::confirm && telling_ && *line == trimmed(question)) return false;
      rest = trimmed(rest.substr(rest.find(*line) + line->size()));
      echoed = true;
    }
    if (!echoed) return false;
    if (rest.empty() || spec_.echo == Echo::refuse) return true;
    reply_ = std::string(rest);
    return false;
  }

  /// Takes received bytes. False: the other side has closed.
  bool take() {
    std::array<std::uint8_t, 512> bytes;
    const Port::Result result =
        port_->read(std::span(bytes).first(std::min(bytes.size(), kLongestReply - received_.size())));
    received_.append(reinterpret_cast<const char*>(bytes.data()), result.bytes);
    return !result.closed;
  }

  /// Drops bytes received before the question, such as unsolicited messages and prompts.
  Exchange ask(const std::string& question) {
    do received_.clear();
    while (take() && !received_.empty());
    const Exchange sent = send(question);
    if (sent != Exchange::ok) return sent;
    owed_ = 1;
    const Exchange answered = receive(question, TextClock::now() + reply_wait_);
    if (answered != Exchange::ok) return answered;
    owed_ = 0;
    if (question != spec_.identify && recognised()) recognisable_ = false;  // the pattern also matches other replies
    return answered;
  }
  Exchange tell(const std::string& line) {
    if (!spec_.set_is_answered) return send(line);
    telling_ = true;
    const Exchange asked = ask(line);
    telling_ = false;
    if (asked != Exchange::ok || !accepted_ || std::regex_search(reply_, *accepted_)) return asked;
    return say(Exchange::corrupt, "refused \"" + line + "\": it answered " + shown(reply_));
  }

  /// Reads the values of query g from its reply; some devices start it with the query, without an end of line.
  bool read(std::size_t g, std::span<double> inputs) const {
    const std::string_view query = trimmed(gets_[g]);
    std::string_view reply = trimmed(reply_);
    if (!query.empty() && reply.starts_with(query) && readFrom(g, reply.substr(query.size()), inputs)) return true;
    return readFrom(g, reply_, inputs);
  }
  bool readFrom(std::size_t g, std::string_view reply, std::span<double> inputs) const {
    if (!spec_.get_all.empty()) return findNumbers(reply, spec_.separator, patterns_, inputs);
    const std::optional<double> value = patterns_[g].find(reply);
    if (value) inputs[g] = *value;
    return value.has_value();
  }

  /// Drops received bytes until the line is silent for `quiet`.
  void drain(std::chrono::milliseconds quiet) {
    const auto deadline = TextClock::now() + kLongestDrain + quiet;
    auto silent = TextClock::now() + quiet;
    while (TextClock::now() < std::min(silent, deadline) && !interrupted_.load(std::memory_order_relaxed)) {
      received_.clear();
      if (!port_->waitReadable(std::min<std::chrono::nanoseconds>(silent - TextClock::now(), kWaitSlice))) continue;
      if (!take()) break;
      silent = TextClock::now() + quiet;
    }
    received_.clear();
  }

  /// Boards that restart when their port is opened miss the first questions: repeats them until `connect_s`.
  void greet() {
    const auto until = TextClock::now() + std::chrono::duration<double>(connection_.connect_s);
    for (bool first = true;; first = false) {
      Exchange answered = Exchange::ok;
      if (!spec_.identify.empty())
        answered = identify(true);
      else if (!gets_.empty())
        answered = ask(gets_.front());
      if (answered == Exchange::ok) {
        if (!first && !recognisable_) drain(reply_wait_);  // answers to earlier questions
        return;
      }
      if (answered == Exchange::broken || TextClock::now() >= until || interrupted_.load(std::memory_order_relaxed))
        refuse();
    }
  }

  /// Answers to earlier questions may arrive first, even after a long silence.
  Exchange identify(bool opening) {
    if (!identity_) return ask(spec_.identify);
    if (const Exchange sent = send(spec_.identify); sent != Exchange::ok) return sent;
    ++identities_owed_;
    std::string other;
    for (const auto deadline = TextClock::now() + reply_wait_;;) {
      const Exchange next = receive(spec_.identify, deadline);
      if (next == Exchange::lost && opening && !other.empty())
        return say(Exchange::corrupt,
                   "is not the instrument of the project: it answered \"" + spec_.identify + "\" with " + shown(other));
      if (next != Exchange::ok) return next;
      if (recognised()) break;
      other = reply_;
    }
    --identities_owed_;
    owed_ = 0;  // earlier questions are answered, or never will be
    return Exchange::ok;
  }

  /// Runs until the next reply certainly answers the next question. A device answers in the order of the questions:
  /// this holds once it has identified itself, or, if that answer cannot be distinguished from a value, once every
  /// pending answer has come.
  Exchange resynchronise() {
    std::fill(last_sets_.begin(), last_sets_.end(), std::string());
    if (recognisable_) {
      drain(kQuiet);
      return identify(false);
    }
    for (const auto deadline = TextClock::now() + reply_wait_; owed_ > 0; --owed_) {
      const Exchange next = receive(sent_.empty() ? std::string() : sent_.back(), deadline);
      if (next == Exchange::lost)
        complaint_ +=
            ", nor later; a later reply could belong to any question, and the device cannot be identified: enter "
            "\"identify\" and \"identity\"";
      if (next != Exchange::ok) return next;
    }
    drain(kQuiet);
    return Exchange::ok;
  }

  Exchange askFault() {
    if (spec_.fault_query.empty() || TextClock::now() - fault_asked_ < kFaultInterval) return Exchange::ok;
    const Exchange asked = ask(spec_.fault_query);
    if (asked != Exchange::ok) return asked;
    fault_asked_ = TextClock::now();
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
  std::size_t prepared_ = 0;             // lines of "prepare" that were sent
  std::unique_ptr<Port> port_;
  std::string received_, reply_, complaint_;
  std::deque<std::string> sent_;  // the last lines
  bool out_of_step_ = false, stopping_ = false;
  bool telling_ = false;       // the last line sets or stops
  bool recognisable_ = false;  // the answer to "identify" differs from every other one
  int owed_ = 0;               // pending answers
  int identities_owed_ = 0;    // pending answers to "identify", among these and later
  TextClock::time_point fault_asked_;
  std::atomic<bool> interrupted_{false};
};

}  // namespace

std::unique_ptr<Device> makeTextDevice(const RigSpec& rig, const DeviceChannels& channels) {
  if (rig.channels.empty())
    throw InputError("/rig/channels", "a text instrument needs channels; enter \"set\" or \"get\" of each channel.");
  return std::make_unique<PolledDevice>(std::make_unique<TextInstrument>(rig), channels,
                                        settingsOf<TextSpec>(rig.connection.protocol.get()).max_age_s);
}

}  // namespace hyb
