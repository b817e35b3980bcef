#include "core/rig/text_example.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <charconv>
#include <cmath>
#include <regex>
#include <string_view>

#include "core/base/error.h"

namespace hyb {
namespace {

constexpr std::size_t kMostRepeats = 200;

/// Reads a regular expression from left to right and writes the shortest text along the way. The expression is known
/// to be valid; whether the text satisfies it is tried afterwards.
class ExampleWriter {
 public:
  ExampleWriter(std::string_view pattern, const std::string& group) : rest_(pattern), group_(group) {}
  std::string write() { return alternatives().text; }

 private:
  struct Part {
    std::string text;
    bool has_group = false;  // the first one
  };

  char next() {
    if (rest_.empty()) return '\0';
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  /// The first alternative, or the one with the group.
  Part alternatives() {
    Part chosen = sequence();
    while (take("|"))
      if (Part other = sequence(); other.has_group && !chosen.has_group) chosen = std::move(other);
    return chosen;
  }

  Part sequence() {
    Part all;
    while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') {
      const Part part = atom();
      const std::size_t times = std::max<std::size_t>(repeats(), part.has_group ? 1 : 0);
      for (std::size_t k = 0; k < times; ++k) all.text += part.text;
      all.has_group = all.has_group || part.has_group;
    }
    return all;
  }

  Part atom() {
    switch (const char c = next()) {
      case '(':
        return group();
      case '[':
        return {std::string(1, member())};
      case '\\':
        return {escaped()};
      case '.':
        return {"x"};
      case '^':
      case '$':
        return {};
      default:
        return {std::string(1, c)};
    }
  }

  Part group() {
    const bool looks = take("?=") || take("?!");
    const bool captures = !looks && !take("?:");
    const bool first = captures && ++groups_ == 1;
    Part part = alternatives();
    take(")");
    if (looks) return {};
    if (first) part = {group_.empty() ? part.text : group_, true};
    return part;
  }

  /// The least number of repeats of the atom before.
  std::size_t repeats() {
    std::size_t least = 1;
    if (take("*") || take("?")) {
      least = 0;
    } else if (take("{")) {
      (void)std::from_chars(rest_.data(), rest_.data() + rest_.size(), least);
      rest_.remove_prefix(std::min(rest_.find('}'), rest_.size() - 1) + 1);
    } else if (!take("+")) {
      return 1;
    }
    take("?");  // as few as possible
    return std::min(least, kMostRepeats);
  }

  /// One character of a class in brackets.
  char member() {
    const bool inverted = take("^");
    std::bitset<128> members;
    const auto add = [&](char from, char to) {
      for (int c = std::max<int>(from, 0); c <= to; ++c) members.set(static_cast<std::size_t>(c));
    };
    while (!rest_.empty() && !take("]")) {
      if (take("[:")) {
        const std::string_view name = rest_.substr(0, rest_.find(':'));
        rest_.remove_prefix(std::min(name.size() + 2, rest_.size()));
        if (name == "digit" || name == "d" || name == "alnum" || name == "xdigit") add('0', '9');
        if (name == "alpha" || name == "alnum" || name == "upper" || name == "w") add('A', 'Z');
        if (name == "alpha" || name == "alnum" || name == "lower") add('a', 'z');
        if (name == "space" || name == "s" || name == "blank") add(' ', ' ');
        continue;
      }
      const char from = classCharacter(add);
      if (from == '\0') continue;
      if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
        next();
        add(from, classCharacter(add));
      } else {
        add(from, from);
      }
    }
    for (const char c : std::string_view("x0 A-_"))
      if (members[static_cast<std::size_t>(c)] != inverted) return c;
    for (std::size_t c = ' '; c <= '~'; ++c)
      if (members[c] != inverted) return static_cast<char>(c);
    return members['\n'] != inverted ? '\n' : '\t';
  }

  /// A character of a class; '\0' for an escape that stands for several, which it adds.
  template <typename Add>
  char classCharacter(const Add& add) {
    const char c = next();
    if (c != '\\') return c;
    if (take("d")) return add('0', '9'), '\0';
    if (take("w")) return add('0', '9'), add('A', 'Z'), add('a', 'z'), '\0';
    if (take("s")) return add(' ', ' '), '\0';
    if (take("b")) return '\b';
    if (take("D") || take("S")) return add('A', 'Z'), add('a', 'z'), '\0';
    if (take("W")) return add(' ', '/'), '\0';
    const std::string text = escaped();
    return text.empty() ? '\0' : text.front();
  }

  std::string escaped() {
    const char c = next();
    constexpr std::string_view kNames = "dDwWsSnrtfv0", kStandFor = "0aa  x\n\r\t\f\v\0";
    static_assert(kNames.size() == 12);
    if (c == 'b' || c == 'B') return {};
    if (c == 'x' || c == 'u') {
      unsigned code = 0;
      const std::size_t digits = std::min<std::size_t>(c == 'x' ? 2 : 4, rest_.size());
      (void)std::from_chars(rest_.data(), rest_.data() + digits, code, 16);
      rest_.remove_prefix(digits);
      return std::string(1, static_cast<char>(code));
    }
    if (c == 'c') return std::string(1, static_cast<char>(next() % 32));
    const std::size_t known = kNames.find(c);
    return std::string(1, known != std::string_view::npos && known < kStandFor.size() ? kStandFor[known] : c);
  }

  std::string_view rest_;
  const std::string& group_;
  int groups_ = 0;
};

}  // namespace

std::optional<std::string> exampleText(const std::string& pattern, const std::string& group) {
  std::string text = ExampleWriter(pattern, group).write();
  if (!std::regex_search(text, replyPattern(pattern, ""))) return std::nullopt;
  return text;
}

std::optional<std::string> counterexampleText(const std::string& pattern) {
  const std::regex expression = replyPattern(pattern, "");
  for (const char* text : {"1", "-1,\"stopped\"", "ERROR", "RJ", "?", "9", "0", "x", ""})
    if (!std::regex_search(text, expression)) return text;
  return std::nullopt;
}

NumberReply::NumberReply(const std::string& pattern, const std::string& where, DecimalSign decimal,
                         const std::string& unit)
    : pattern_(pattern), unit_(unit), decimal_(decimal) {
  const NumberPattern reader(pattern, where, decimal, unit);
  constexpr double kTried = 12.0;  // also a whole number
  for (const Style style : {Style::fixed, Style::scientific, Style::whole})
    for (const bool plus : {false, true})
      for (const bool inside : {false, true}) {
        style_ = style;
        plus_ = plus;
        unit_inside_ = inside;
        const double tried = style == Style::whole ? kTried : kTried + 0.5;
        if (reader.find(text(tried)) == tried) return;
      }
  throw InputError(where,
                   "is too intricate for the twin, which must write replies that it reads; describe the reply "
                   "with plain text around the group, for example \"=([-+.0-9eE]+)\".");
}

std::string NumberReply::text(double value) const { return around(std::isfinite(value) ? number(value) : "9.91E37"); }

std::string NumberReply::around(const std::string& number) const {
  const std::string inside = unit_inside_ ? number + " " + unit_ : number;
  std::string whole = pattern_.empty() ? inside : ExampleWriter(pattern_, inside).write();
  if (unit_.empty() || unit_inside_ || NumberPattern(pattern_, "", decimal_, unit_).find(whole)) return whole;
  return whole + " " + unit_;
}

std::string NumberReply::number(double value) const {
  static const TextTemplate kFixed("{x}", {"x"}, ""), kWhole("{x:0}", {"x"}, "");
  std::string text;
  if (style_ == Style::scientific) {
    std::array<char, 40> digits;
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::scientific, 9);
    text.assign(digits.data(), end.ptr);
    std::ranges::replace(text, 'e', 'E');
  } else {
    text = (style_ == Style::whole ? kWhole : kFixed).text(std::span(&value, 1));
  }
  if (plus_ && text.front() != '-') text.insert(text.begin(), '+');
  if (decimal_ == DecimalSign::comma) std::ranges::replace(text, '.', ',');
  return text;
}

}  // namespace hyb
