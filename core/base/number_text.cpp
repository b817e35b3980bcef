#include "core/base/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace hyb {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Position of a number in a text: mantissa and exponent, both with signs.
struct Parts {
  std::size_t mantissa_end = 0, exponent_begin = 0, end = 0;  // no exponent: exponent_begin == end
  bool has_point = false;
};

/// The mantissa at the front of `text`, with an exponent after a letter; nothing without a number.
std::optional<Parts> split(std::string_view text) {
  Parts parts;
  std::size_t i = text.starts_with('+') || text.starts_with('-') ? 1 : 0, digits = 0;
  for (; i < text.size() && (isDigit(text[i]) || (text[i] == '.' && !parts.has_point)); ++i)
    isDigit(text[i]) ? void(++digits) : void(parts.has_point = true);
  if (digits == 0) return std::nullopt;
  parts.mantissa_end = parts.exponent_begin = parts.end = i;
  if (i == text.size() || std::string_view("eEdDqQ").find(text[i]) == std::string_view::npos) return parts;
  std::size_t e = i + 1;
  if (e < text.size() && (text[e] == '+' || text[e] == '-')) ++e;
  if (e == text.size() || !isDigit(text[e])) return parts;
  parts.exponent_begin = i + 1;
  while (e < text.size() && isDigit(text[e])) ++e;
  parts.end = e;
  return parts;
}

/// 0 or infinity for a number out of range, which from_chars does not distinguish.
double outOfRange(std::string_view mantissa, std::string_view exponent) {
  long long power = 0;  // of ten, of the first nonzero digit
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return 0.0;
  power = static_cast<long long>(point) - static_cast<long long>(first);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  long long given = 0;
  if (!exponent.empty() &&
      std::from_chars(exponent.data(), exponent.data() + exponent.size(), given).ec == std::errc::result_out_of_range)
    given = exponent.starts_with('-') ? -1'000'000'000'000 : 1'000'000'000'000;
  const double size = power + given > 0 ? HUGE_VAL : 0.0;
  return mantissa.starts_with('-') ? -size : size;
}

double valueOf(std::string_view text, const Parts& parts) {
  const std::string_view mantissa = text.substr(0, parts.mantissa_end);
  const std::string_view exponent = text.substr(parts.exponent_begin, parts.end - parts.exponent_begin);
  std::string plain(mantissa);
  if (!exponent.empty()) (plain += 'e') += exponent;
  const char* const begin = plain.data() + (plain.starts_with('+') ? 1 : 0);
  double value = 0.0;
  const std::errc error = std::from_chars(begin, plain.data() + plain.size(), value).ec;
  return error == std::errc::result_out_of_range ? outOfRange(mantissa, exponent) : value;
}

}  // namespace

std::optional<double> numberIn(std::string_view field, char point) {
  std::string with_point;
  if (point != '.') {
    if (field.find('.') != std::string_view::npos) return std::nullopt;
    with_point = field;
    std::replace(with_point.begin(), with_point.end(), point, '.');
    field = with_point;
  }
  double value = 0.0;
  const std::string_view unsigned_field = field.starts_with('+') && !field.starts_with("+-") ? field.substr(1) : field;
  const char* const end = unsigned_field.data() + unsigned_field.size();
  if (const auto [stop, error] = std::from_chars(unsigned_field.data(), end, value);
      stop == end && error == std::errc{})
    return value;
  const std::optional<Parts> parts = split(field);
  if (!parts || parts->end != field.size()) return std::nullopt;
  return valueOf(field, *parts);
}

std::optional<double> takeFortranNumber(std::string_view& line) {
  const std::size_t first = line.find_first_not_of(" \t\f");
  if (first == std::string_view::npos) return std::nullopt;
  const std::string_view text = line.substr(first);
  std::optional<Parts> parts = split(text);
  if (!parts) return std::nullopt;
  const auto signAt = [&](std::size_t i) { return i < text.size() && (text[i] == '+' || text[i] == '-'); };
  if (parts->end == parts->mantissa_end && parts->has_point && signAt(parts->end)) {
    // A sign and up to three digits without a point are an exponent: a following separate number has a point.
    std::size_t end = parts->end + 1;
    while (end < text.size() && isDigit(text[end])) ++end;
    const std::size_t digits = end - parts->end - 1;
    if (digits >= 1 && digits <= 3 && (end == text.size() || text[end] != '.')) {
      parts->exponent_begin = parts->end;
      parts->end = end;
    }
  }
  if (parts->end < text.size() && !signAt(parts->end) && text[parts->end] != ' ' && text[parts->end] != '\t' &&
      text[parts->end] != '\f')
    return std::nullopt;
  line = text.substr(parts->end);
  return valueOf(text, *parts);
}

}  // namespace hyb
