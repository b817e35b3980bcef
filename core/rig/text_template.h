#pragma once
#include <cstdint>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hyb {

/// A line with places for numbers: "SOUR:VOLT {x}", "MOV 1 {x} 2 {y}", "/1 move abs {x:0}". A number is written with
/// ten significant digits, a decimal point and no exponent; {x:3} with exactly three decimals.
class TextTemplate {
 public:
  /// `names`: permitted names in braces, without decimals; [k] of the values of text(). Throws InputError at `where`:
  /// an unknown name (with the known ones), a missing or repeated name, unbalanced braces.
  TextTemplate(const std::string& text, const std::vector<std::string>& names, const std::string& where);
  /// The line with values [names].
  std::string text(std::span<const double> values) const;
  /// The inverse: the values [names] of a line. False: another line, or one without a number at such a place.
  bool read(std::string_view line, std::span<double> values) const;

 private:
  struct Piece {
    std::string before;  // text before the number
    std::size_t value;
    int decimals;  // -1: as required for ten significant digits
  };
  std::vector<Piece> pieces_;
  std::string end_;
};

enum class DecimalSign : std::uint8_t { point, comma };

/// Finds the number in a reply. The pattern is a regular expression (ECMAScript) with one group, the number; empty: the
/// whole reply is the number. A search takes polynomial time, so patterns with back-references are refused. The group
/// must match a complete number of the reply: neither "1" of "1,995" nor "1.995" of "-1.995" or "1.995E+03".
class NumberPattern {
 public:
  /// Throws InputError at `where`: not a regular expression, more or less than one group, too long.
  /// `unit`: required after the number; without it, a pattern may omit any unit.
  NumberPattern(const std::string& pattern, const std::string& where, DecimalSign decimal = DecimalSign::point,
                std::string unit = {});
  /// The number in `reply` (in its first 4096 bytes), with this decimal sign whatever the locale. NaN if the instrument
  /// reports "no number" or "overflow" (9.91E37, 9.9E37, nan, inf). Nothing: the reply has no complete number here, or
  /// one of another unit.
  std::optional<double> find(std::string_view reply) const;

 private:
  std::optional<std::regex> pattern_;
  DecimalSign decimal_;
  std::string unit_;
};

/// Numbers of a reply with separators, one for each pattern. False: another count, or a part without a number.
bool findNumbers(std::string_view reply, std::string_view separator, std::span<const NumberPattern> patterns,
                 std::span<double> values);

/// A regular expression of a project, for a search in a reply; the same rules and errors, any number of groups.
std::regex replyPattern(const std::string& pattern, const std::string& where);
/// A number in the notation of instruments: a plus sign and blanks around it and after its sign are allowed. Nothing:
/// not a number.
std::optional<double> parseNumber(std::string_view text, DecimalSign decimal = DecimalSign::point);

inline constexpr std::size_t kLongestReply = 4096;  // bytes

}  // namespace hyb
