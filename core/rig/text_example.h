#pragma once
#include <optional>
#include <string>

#include "core/rig/text_template.h"

namespace hyb {

/// A short text that satisfies a regular expression (ECMAScript), as an instrument might send it, with `group` as its
/// first group in parentheses. Nothing: none was found, for example for an assertion about what follows.
std::optional<std::string> exampleText(const std::string& pattern, const std::string& group = {});
/// A short text that does not satisfy it. Nothing: every text that was tried does.
std::optional<std::string> counterexampleText(const std::string& pattern);

/// Writes replies that a NumberPattern reads: the other end of a query. Digits: at least ten significant ones, or a
/// whole number if the pattern allows no others.
class NumberReply {
 public:
  /// Throws InputError at `where` for a pattern without a reply that it reads.
  NumberReply(const std::string& pattern, const std::string& where, DecimalSign decimal, const std::string& unit);
  /// "no number" for NaN and infinity.
  std::string text(double value) const;

 private:
  enum class Style : unsigned char { fixed, scientific, whole };
  std::string number(double value) const;
  std::string around(const std::string& number) const;

  std::string pattern_, unit_;
  DecimalSign decimal_;
  Style style_ = Style::fixed;
  bool plus_ = false;         // before numbers that are not negative
  bool unit_inside_ = false;  // of the group
};

}  // namespace hyb
