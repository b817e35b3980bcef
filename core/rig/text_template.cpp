#include "core/rig/text_template.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/words.h"

namespace hyb {
namespace {

constexpr std::size_t kLongestPattern = 200;
constexpr int kSignificant = 10, kMostDecimals = 15;
constexpr double kNoNumber = 9.9e37;  // SCPI: 9.9E37 is infinity, 9.91E37 not a number
// This executor scans the reply once for each possible start of a match, and never recurses over it.
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

/// Removes zeros at the end of the decimals.
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

bool isDigit(char c) noexcept { return c >= '0' && c <= '9'; }
bool isLetter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isSign(char c) noexcept { return c == '-' || c == '+'; }
bool isExponent(char c) noexcept { return c == 'e' || c == 'E' || c == 'd' || c == 'D'; }

std::string_view trimmedBlanks(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// True for "mm" after "1.995", but not for the m of "mm" or the N of "Nm".
bool startsWithUnit(std::string_view rest, std::string_view unit) noexcept {
  rest = trimmedBlanks(rest);
  if (!rest.starts_with(unit)) return false;
  rest.remove_prefix(unit.size());
  return rest.empty() ||
         !(isLetter(rest.front()) || isDigit(rest.front()) || rest.front() == '/' || rest.front() == '^' ||
           rest.front() == '*' || static_cast<unsigned char>(rest.front()) > 127);
}

/// A comma may separate two values, "1.2,3.4", or be the decimal sign: without a point it counts as the sign.
bool hasPoint(std::string_view number) noexcept { return number.find('.') != std::string_view::npos; }

/// True if the number begins before the match.
bool cutBefore(std::string_view before, std::string_view number) noexcept {
  if (before.empty()) return false;
  const char last = before.back();
  if (!isSign(number.front())) {
    if (isDigit(last) || last == '.') return true;
    const bool adjacent = isSign(last);
    const std::string_view left = trimmedBlanks(before);
    if (!left.empty() && isSign(left.back())) {  // a sign, unless it is a dash between words or doubled
      const char beside = left.size() > 1 ? left[left.size() - 2] : ' ';
      if (!isSign(beside) && !isDigit(beside) && (adjacent || !isLetter(beside))) return true;
    }
  }
  if (const std::size_t e = isSign(last) ? 2 : 1; before.size() > e) {  // the exponent of a number
    const char mark = before[before.size() - e], digit = before[before.size() - e - 1];
    if (isExponent(mark) && (isDigit(digit) || digit == '.') && isDigit(number.back())) return true;
  }
  if (last != ',' || before.size() < 2 || !isDigit(before[before.size() - 2]) || !isDigit(number.front())) return false;
  before.remove_suffix(1);
  const std::size_t begin = before.find_last_not_of("0123456789.");
  return !hasPoint(before.substr(begin == std::string_view::npos ? 0 : begin + 1));
}

/// True if the number continues after the match.
bool cutBehind(std::string_view number, std::string_view rest) noexcept {
  if (rest.empty()) return false;
  const auto digitAt = [&](std::size_t k) { return k < rest.size() && isDigit(rest[k]); };
  if (isDigit(rest[0])) return true;
  if (rest[0] == '.') return digitAt(1);
  if (rest[0] == ',') return digitAt(1) && !hasPoint(number);
  if (isExponent(rest[0])) return digitAt(1) || (rest.size() > 1 && isSign(rest[1]) && digitAt(2));
  return isSign(rest[0]) && isExponent(number.back());
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
      throw InputError(where, "contains { without }; write a place for a number as " + braced(names) + ".");
    const std::string inside = text.substr(at + 1, close - at - 1);
    const std::string name = inside.substr(0, inside.find(':'));
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw InputError(where, "{" + inside + "} is not a number known here. " + hint(name, names) + "Known are " +
                                  braced(names) + ".");
    const auto value = static_cast<std::size_t>(found - names.begin());
    if (seen[value]) throw InputError(where, "{" + name + "} occurs twice; give it once.");
    seen[value] = true;
    int decimals = -1;
    if (name.size() != inside.size()) {
      const std::string digits = inside.substr(name.size() + 1);
      if (digits.size() != 1 || digits[0] < '0' || digits[0] > '9')
        throw InputError(where, "{" + inside + "}: the number after the colon is that of the decimals, 0 to 9.");
      decimals = digits[0] - '0';
    }
    pieces_.push_back({before, value, decimals});
    before.clear();
    at = close;
  }
  end_ = before;
  for (std::size_t n = 0; n < names.size(); ++n)
    if (!seen[n]) throw InputError(where, "must have {" + names[n] + "} once, at the place of the value.");
}

std::string TextTemplate::text(std::span<const double> values) const {
  std::string line;
  for (const Piece& piece : pieces_) {
    const std::string number = numberText(values[piece.value], piece.decimals);
    line += piece.before + (piece.decimals < 0 ? trimmed(number) : number);
  }
  return line + end_;
}

bool TextTemplate::read(std::string_view line, std::span<double> values) const {
  for (const Piece& piece : pieces_) {
    if (!line.starts_with(piece.before)) return false;
    line.remove_prefix(piece.before.size());
    const std::size_t length = std::min(line.find_first_not_of("+-.0123456789"), line.size());
    const std::optional<double> value = parseNumber(line.substr(0, length));
    if (!value) return false;
    values[piece.value] = *value;
    line.remove_prefix(length);
  }
  return line == end_;
}

std::regex replyPattern(const std::string& pattern, const std::string& where) {
  if (pattern.size() > kLongestPattern)
    throw InputError(where, "is longer than " + std::to_string(kLongestPattern) + " characters; shorten it.");
  try {
    return std::regex(pattern, kPolynomial);
  } catch (const std::regex_error& error) {
    const bool reference =
        error.code() == std::regex_constants::error_complexity || error.code() == std::regex_constants::error_backref;
    throw InputError(where, reference
                                ? "contains a back-reference, which may take unlimited time; describe the text itself."
                                : "is not a regular expression: " + std::string(error.what()) +
                                      ". Write \\ before the characters + ( ) [ ] . * ? to use them literally.");
  }
}

NumberPattern::NumberPattern(const std::string& pattern, const std::string& where, DecimalSign decimal,
                             std::string unit)
    : decimal_(decimal), unit_(std::move(unit)) {
  if (pattern.empty()) return;
  pattern_ = replyPattern(pattern, where);
  if (pattern_->mark_count() != 1)
    throw InputError(where, "has " + std::to_string(pattern_->mark_count()) +
                                " groups in parentheses; give exactly one, around the number: \"=([-+.0-9eE]+)\". "
                                "Begin other groups with (?: .");
}

std::optional<double> parseNumber(std::string_view text, DecimalSign decimal) {
  text = trimmedBlanks(text);
  std::string number;  // with a point, and without plus sign and blanks after the sign
  if (!text.empty() && isSign(text.front())) {
    if (text.front() == '-') number = '-';
    text = trimmedBlanks(text.substr(1));
    if (!text.empty() && isSign(text.front())) return std::nullopt;
  }
  if (text.empty()) return std::nullopt;
  for (const char c : text) {
    const bool comma = decimal == DecimalSign::comma;
    if (comma && c == '.') return std::nullopt;
    number += comma && c == ',' ? '.' : c;
  }
  double value = 0.0;
  const char* const stop = number.data() + number.size();
  const auto [end, error] = std::from_chars(number.data(), stop, value);
  if (end != stop) return std::nullopt;
  if (error == std::errc::result_out_of_range) return kNoValue;
  if (error != std::errc()) return std::nullopt;
  return std::isfinite(value) && std::abs(value) < kNoNumber ? value : kNoValue;
}

std::optional<double> NumberPattern::find(std::string_view reply) const {
  reply = reply.substr(0, kLongestReply);
  std::size_t begin = 0, length = reply.size();
  if (pattern_) {
    std::cmatch match;
    if (!std::regex_search(reply.data(), reply.data() + reply.size(), match, *pattern_)) return std::nullopt;
    begin = static_cast<std::size_t>(match.position(1));
    length = static_cast<std::size_t>(match.length(1));
    if (!match[1].matched) return std::nullopt;
  }
  std::string_view number = trimmedBlanks(reply.substr(begin, length));
  if (!unit_.empty()) {  // inside the group, or after it
    if (number.ends_with(unit_))
      number = trimmedBlanks(number.substr(0, number.size() - unit_.size()));
    else if (!startsWithUnit(reply.substr(begin + length), unit_))
      return std::nullopt;
  }
  if (number.empty()) return std::nullopt;
  begin = static_cast<std::size_t>(number.data() - reply.data());
  if (cutBefore(reply.substr(0, begin), number) || cutBehind(number, reply.substr(begin + number.size())))
    return std::nullopt;
  return parseNumber(number, decimal_);
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
