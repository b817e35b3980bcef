#include "core/rig/text_template.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/numbers.h"
#include "core/words.h"

namespace hyb {
namespace {

constexpr std::size_t kLongestPattern = 200;
constexpr int kSignificant = 10, kMostDecimals = 15;
constexpr double kNoNumber = 9.9e37;  // SCPI: 9.9E37 is infinity, 9.91E37 not a number
// The executor that goes through the reply once for every place where a match may begin, and never recurses over it.
constexpr auto kPolynomial = std::regex::ECMAScript | std::regex_constants::__polynomial;

std::string numberText(double value, int decimals) {
  if (decimals < 0 && value != 0.0) {
    const int before = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
    decimals = std::clamp(kSignificant - before, 0, kMostDecimals);
  }
  std::array<char, 400> buffer;  // DBL_MAX has 309 digits
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed,
                                 std::max(decimals, 0));
  std::string text(buffer.data(), end.ptr);
  if (text.front() == '-' && text.find_first_of("123456789") == std::string::npos) text.erase(0, 1);
  return text;
}

/// Without zeros at the end of the decimals.
std::string trimmed(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number;
}

std::string braced(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "{" : ", {") + name + "}";
  return text;
}

}  // namespace

TextTemplate::TextTemplate(const std::string& text, const std::vector<std::string>& names, const std::string& where) {
  std::vector<bool> seen(names.size(), false);
  std::string before;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '{') {
      before += text[at];
      continue;
    }
    const std::size_t close = text.find('}', at);
    if (close == std::string::npos)
      throw InputError(where, "has a { that no } closes; a place for a number is written " + braced(names) + ".");
    const std::string inside = text.substr(at + 1, close - at - 1);
    const std::string name = inside.substr(0, inside.find(':'));
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw InputError(where, "{" + inside + "} is no number that is known here. " + hint(name, names) + "There are " +
                                  braced(names) + ".");
    const auto value = static_cast<std::size_t>(found - names.begin());
    if (seen[value]) throw InputError(where, "{" + name + "} stands there twice; give it once.");
    seen[value] = true;
    int decimals = -1;
    if (name.size() != inside.size()) {
      const std::string digits = inside.substr(name.size() + 1);
      if (digits.size() != 1 || digits[0] < '0' || digits[0] > '9')
        throw InputError(where, "{" + inside + "}: behind the colon stands the number of decimals, 0 to 9.");
      decimals = digits[0] - '0';
    }
    pieces_.push_back({before, value, decimals});
    before.clear();
    at = close;
  }
  end_ = before;
  for (std::size_t n = 0; n < names.size(); ++n)
    if (!seen[n]) throw InputError(where, "must have {" + names[n] + "} once, where the value goes.");
}

std::string TextTemplate::text(std::span<const double> values) const {
  std::string line;
  for (const Piece& piece : pieces_) {
    const std::string number = numberText(values[piece.value], piece.decimals);
    line += piece.before + (piece.decimals < 0 ? trimmed(number) : number);
  }
  return line + end_;
}

std::regex replyPattern(const std::string& pattern, const std::string& where) {
  if (pattern.size() > kLongestPattern)
    throw InputError(where, "is longer than " + std::to_string(kLongestPattern) + " characters; give a shorter one.");
  try {
    return std::regex(pattern, kPolynomial);
  } catch (const std::regex_error& error) {
    const bool reference =
        error.code() == std::regex_constants::error_complexity || error.code() == std::regex_constants::error_backref;
    throw InputError(where, reference ? "refers back to a group, which may take for ever; describe the text itself."
                                      : "is no regular expression: " + std::string(error.what()) +
                                            ". Signs like + ( ) [ ] . * ? stand for themselves behind a \\.");
  }
}

NumberPattern::NumberPattern(const std::string& pattern, const std::string& where) {
  if (pattern.empty()) return;
  pattern_ = replyPattern(pattern, where);
  if (pattern_->mark_count() != 1)
    throw InputError(where, "has " + std::to_string(pattern_->mark_count()) +
                                " groups in parentheses; give just one, around the number: \"=([-+.0-9eE]+)\". "
                                "A group that is no number begins with (?: .");
}

std::optional<double> parseNumber(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return kNone;
  if (error != std::errc()) return std::nullopt;
  return std::isfinite(value) && std::abs(value) < kNoNumber ? value : kNone;
}

std::optional<double> NumberPattern::find(std::string_view reply) const {
  reply = reply.substr(0, kLongestReply);
  if (!pattern_) return parseNumber(reply);
  std::cmatch match;
  if (!std::regex_search(reply.data(), reply.data() + reply.size(), match, *pattern_)) return std::nullopt;
  return parseNumber({match[1].first, static_cast<std::size_t>(match[1].length())});
}

bool findNumbers(std::string_view reply, std::string_view separator, std::span<const NumberPattern> patterns,
                 std::span<double> values) {
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    const bool last = p + 1 == patterns.size();
    const std::size_t end = reply.find(separator);
    if ((end == std::string_view::npos) != last) return false;
    const std::optional<double> value = patterns[p].find(reply.substr(0, end));
    if (!value) return false;
    values[p] = *value;
    if (!last) reply.remove_prefix(end + separator.size());
  }
  return true;
}

}  // namespace hyb
