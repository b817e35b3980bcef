#include "hardware/text_server.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/rig/device_channels.h"
#include "core/rig/text_example.h"
#include "core/rig/text_protocol.h"
#include "core/rig/text_template.h"

namespace hyb {
namespace {

constexpr const char* kTwinIdentity = "HybridBench twin";

std::string_view bare(std::string_view line) noexcept {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = line.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

/// Both texts one after the other; the end of the first is used as the beginning of the second where they agree.
std::string joined(const std::string& first, const std::string& second) {
  std::size_t shared = std::min(first.size(), second.size());
  while (first.compare(first.size() - shared, shared, second, 0, shared) != 0) --shared;
  return first + second.substr(shared);
}

std::string exampleAt(const char* key, const std::string& pattern, const char* without) {
  if (pattern.empty()) return without;
  if (std::optional<std::string> text = exampleText(pattern)) return *text;
  throw InputError(std::string("/rig/connection/") + key,
                   "is too intricate for the twin, which must send an answer that satisfies it; describe plain text.");
}

class TextResponder final : public Responder {
 public:
  TextResponder(const RigSpec& project, ServedRig& rig)
      : rig_(rig),
        spec_(settingsOf<TextSpec>(project.connection.protocol.get())),
        identity_(exampleAt("identity", spec_.identity, kTwinIdentity)),
        healthy_(exampleAt("no_fault", spec_.no_fault, "0")),
        faulty_(spec_.no_fault.empty() ? "1" : counterexampleText(spec_.no_fault).value_or("1")),
        taken_(spec_.echo == Echo::confirm ? "" : exampleAt("accepted", spec_.accepted, "OK")),
        refused_(spec_.accepted.empty() ? "ERROR" : counterexampleText(spec_.accepted).value_or("ERROR")) {
    if (!spec_.no_fault.empty()) no_fault_ = replyPattern(spec_.no_fault, "/rig/connection/no_fault");
    std::vector<std::string> names;
    for (std::size_t c = 0; c < project.channels.size(); ++c) {
      const TextSpec::Channel& lines = spec_.channels.at(c);
      if (isOutput(project.channels[c].role)) {
        if (spec_.set_all.empty())
          sets_.push_back({TextTemplate(std::string(bare(lines.set)), {"x"}, channelPlace(c, "set")), names.size(), 1});
        names.push_back(project.channels[c].name);
        continue;
      }
      replies_.emplace_back(lines.pattern, channelPlace(c, "pattern"), spec_.decimal, lines.reply_unit);
      if (spec_.get_all.empty()) gets_.emplace_back(bare(lines.get));
    }
    if (!spec_.set_all.empty())
      sets_.push_back(
          {TextTemplate(std::string(bare(spec_.set_all)), names, "/rig/connection/set_all"), 0, names.size()});
    if (!spec_.get_all.empty()) gets_.emplace_back(bare(spec_.get_all));
    values_.resize(names.size());
    inputs_.resize(replies_.size());
  }

  std::size_t take(std::span<const std::uint8_t> received, std::vector<std::uint8_t>& answer) override {
    const std::string_view text(reinterpret_cast<const char*>(received.data()), received.size());
    const std::size_t end = text.find(spec_.send_end);
    if (end == std::string_view::npos) {
      if (text.size() < kLongestReply) return 0;
      rig_.say("ignored: more than " + std::to_string(kLongestReply) + " bytes without the end of a line");
      return text.size();
    }
    if (const std::optional<std::string> reply = obey(std::string(bare(text.substr(0, end))))) {
      const std::string whole = *reply + spec_.reply_end;
      answer.insert(answer.end(), whole.begin(), whole.end());
    }
    return end + spec_.send_end.size();
  }

 private:
  struct SetLine {
    TextTemplate line;
    std::size_t first, count;  // outputs
  };

  /// The answer; nothing: none.
  std::optional<std::string> obey(const std::string& line) {
    if (line.empty()) return std::nullopt;
    if (line == bare(spec_.stop)) {
      rig_.stop("the bench stopped it", false);
      return told(line, true);
    }
    const auto query = std::ranges::find(gets_, line);
    const double periods = rig_.hear(query != gets_.end());
    if (query != gets_.end() || line == bare(spec_.fault_query)) {
      std::string values = query == gets_.end() ? std::string() : valuesOf(query - gets_.begin());
      return line == bare(spec_.fault_query) ? health(values) : values;
    }
    if (line == bare(spec_.identify)) return identity_;
    for (const SetLine& set : sets_)
      if (set.line.read(line, std::span(values_).subspan(0, set.count))) return told(line, follow(set, periods));
    const auto known = [&](const std::string& own) { return line == bare(own); };
    if (std::ranges::any_of(spec_.configure, known) || std::ranges::any_of(spec_.prepare, known))
      return told(line, true);
    if (++unknown_ == 1) rig_.say("a line that is not one of the project: \"" + line.substr(0, 60) + "\"");
    return told(line, false);
  }

  /// The answer to a line that sets, stops or prepares.
  std::optional<std::string> told(const std::string& line, bool accepted) const {
    if (!spec_.set_is_answered) return std::nullopt;
    if (!accepted) return refused_;
    return taken_.empty() ? line : taken_;
  }

  bool follow(const SetLine& set, double periods) {
    for (std::size_t k = 0; k < set.count; ++k)
      if (!rig_.take(set.first + k, values_[k], periods)) return false;
    rig_.write();
    return rig_.state() == ServedRig::State::following;
  }

  std::string valuesOf(std::ptrdiff_t query) {
    rig_.inputs(inputs_);
    const auto one = [&](std::size_t k) { return replies_[k].text(inputs_[k]); };
    if (spec_.get_all.empty()) return one(static_cast<std::size_t>(query));
    std::string all;
    for (std::size_t k = 0; k < inputs_.size(); ++k) all += (k > 0 ? spec_.separator : "") + one(k);
    return all;
  }

  /// The answer to the query of faults, which may query values at the same time.
  std::string health(const std::string& values) const {
    if (rig_.fault()) return faulty_;
    if (values.empty()) return healthy_;
    if (!no_fault_ || std::regex_search(values, *no_fault_)) return values;
    return joined(healthy_, values);
  }

  ServedRig& rig_;
  const TextSpec& spec_;  // of the project, which outlives this
  const std::string identity_, healthy_, faulty_;
  const std::string taken_, refused_;  // taken_ empty: the line itself
  std::optional<std::regex> no_fault_;
  std::vector<SetLine> sets_;
  std::vector<std::string> gets_;     // [inputs], or one for all
  std::vector<NumberReply> replies_;  // [inputs]
  std::vector<double> values_, inputs_;
  std::uint64_t unknown_ = 0;
};

}  // namespace

std::unique_ptr<Responder> makeTextResponder(const RigSpec& project, ServedRig& rig) {
  return std::make_unique<TextResponder>(project, rig);
}

}  // namespace hyb
