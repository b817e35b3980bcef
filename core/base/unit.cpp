#include "core/base/unit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace hyb {
namespace {

constexpr double kGravity = 9.80665, kPound = 4.4482216152605, kInch = 0.0254;

struct BaseUnit {
  std::string_view spelling;
  double factor;
  std::string_view si;
  bool prefixed = false;  // takes prefixes
};
/// A spelling that is also a prefix and a unit comes first: "min" is no milli-inch.
constexpr std::array kBaseUnits{
    BaseUnit{"m", 1.0, "m", true},
    BaseUnit{"N", 1.0, "N", true},
    BaseUnit{"s", 1.0, "s", true},
    BaseUnit{"Pa", 1.0, "Pa", true},
    BaseUnit{"V", 1.0, "V", true},
    BaseUnit{"A", 1.0, "A", true},
    BaseUnit{"W", 1.0, "W", true},
    BaseUnit{"J", 1.0, "J", true},
    BaseUnit{"Hz", 1.0, "Hz", true},
    BaseUnit{"rad", 1.0, "rad", true},
    BaseUnit{"bar", 1e5, "Pa", true},
    BaseUnit{"kg", 1.0, "kg"},
    BaseUnit{"t", 1e3, "kg"},
    BaseUnit{"sec", 1.0, "s"},
    BaseUnit{"min", 60.0, "s"},
    BaseUnit{"h", 3600.0, "s"},
    BaseUnit{"deg", std::numbers::pi / 180.0, "rad"},
    BaseUnit{"\xC2\xB0", std::numbers::pi / 180.0, "rad"},
    BaseUnit{"in", kInch, "m"},
    BaseUnit{"inch", kInch, "m"},
    BaseUnit{"ft", 12.0 * kInch, "m"},
    BaseUnit{"kgf", kGravity, "N"},
    BaseUnit{"lbf", kPound, "N"},
    BaseUnit{"kip", 1e3 * kPound, "N"},
    BaseUnit{"psi", kPound / (kInch * kInch), "Pa"},
    BaseUnit{"ksi", 1e3 * kPound / (kInch * kInch), "Pa"},
    BaseUnit{"g", kGravity, "m/s2"},
    BaseUnit{"G", kGravity, "m/s2"},
    BaseUnit{"gal", 0.01, "m/s2"},
    BaseUnit{"Gal", 0.01, "m/s2"},
    BaseUnit{"%", 0.01, ""},
};
/// Products that are written as one word.
constexpr std::array kWords{BaseUnit{"Nm", 1.0, "N m", true}};

struct Prefix {
  std::string_view spelling;
  double factor;
};
constexpr std::array kPrefixes{Prefix{"n", 1e-9},        Prefix{"u", 1e-6}, Prefix{"\xC2\xB5", 1e-6},
                               Prefix{"\xCE\xBC", 1e-6}, Prefix{"m", 1e-3}, Prefix{"c", 1e-2},
                               Prefix{"k", 1e3},         Prefix{"M", 1e6},  Prefix{"G", 1e9}};

std::optional<SiUnit> wordUnit(std::string_view word) {
  for (const BaseUnit& base : kBaseUnits)
    if (word == base.spelling) return SiUnit{base.factor, std::string(base.si)};
  const auto prefixed = [&](const BaseUnit& base) -> std::optional<SiUnit> {
    if (word == base.spelling) return SiUnit{base.factor, std::string(base.si)};
    if (!base.prefixed || !word.ends_with(base.spelling)) return std::nullopt;
    const std::string_view front = word.substr(0, word.size() - base.spelling.size());
    for (const Prefix& prefix : kPrefixes)
      if (front == prefix.spelling) return SiUnit{prefix.factor * base.factor, std::string(base.si)};
    return std::nullopt;
  };
  for (const BaseUnit& base : kWords)
    if (std::optional<SiUnit> unit = prefixed(base)) return unit;
  for (const BaseUnit& base : kBaseUnits)
    if (std::optional<SiUnit> unit = prefixed(base)) return unit;
  return std::nullopt;
}

/// A word with its power: "s2", "s^2", "s**2", "s²".
std::optional<SiUnit> factorUnit(std::string_view text) {
  int power = 1;
  for (const std::string_view two : {std::string_view("**2"), std::string_view("^2"), std::string_view("\xC2\xB2"),
                                     std::string_view("\xB2"), std::string_view("2")})
    if (text.size() > two.size() && text.ends_with(two)) {
      text.remove_suffix(two.size());
      power = 2;
      break;
    }
  std::optional<SiUnit> unit = wordUnit(text);
  if (!unit || power == 1) return unit;
  if (unit->name.find_first_of(" /") != std::string::npos) return std::nullopt;  // no such unit is in use
  return SiUnit{unit->factor * unit->factor, unit->name.empty() ? "" : unit->name + "2"};
}

std::optional<SiUnit> productUnit(std::string_view text) {
  SiUnit product;
  constexpr std::string_view kDot = "\xC2\xB7";
  while (!text.empty()) {
    std::size_t end = std::min(text.find_first_of(" .-"), text.size());
    if (const std::size_t star = text.find('*'); star < end && text.substr(star, 2) != "**") end = star;
    end = std::min(end, text.find(kDot));
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    if (text.starts_with(kDot))
      text.remove_prefix(kDot.size());
    else if (!text.empty())
      text.remove_prefix(1);
    if (word.empty()) continue;
    const std::optional<SiUnit> unit = factorUnit(word);
    if (!unit) return std::nullopt;
    product.factor *= unit->factor;
    if (!unit->name.empty()) product.name += (product.name.empty() ? "" : " ") + unit->name;
  }
  return product;
}

}  // namespace

std::optional<SiUnit> siUnit(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '[' || text.front() == '(')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == ']' || text.back() == ')')) text.remove_suffix(1);
  if (text.empty() || text == "-" || text == "1") return SiUnit{};
  const std::size_t slash = text.find('/');
  std::optional<SiUnit> unit = productUnit(text.substr(0, slash));
  if (!unit || slash == std::string_view::npos) return unit;
  std::string_view below = text.substr(slash + 1);
  while (!below.empty() && (below.front() == ' ' || below.front() == '(')) below.remove_prefix(1);
  std::optional<SiUnit> divisor;
  if (below == "s/s" || below == "sec/sec")
    divisor = SiUnit{1.0, "s2"};
  else if (below.find('/') == std::string_view::npos && !below.empty())
    divisor = productUnit(below);
  if (!divisor || divisor->name.empty()) return std::nullopt;
  unit->factor /= divisor->factor;
  if (unit->name == divisor->name) return SiUnit{unit->factor, ""};
  const bool product = divisor->name.find(' ') != std::string::npos;
  unit->name = (unit->name.empty() ? "1" : unit->name) + "/" + (product ? "(" + divisor->name + ")" : divisor->name);
  return unit;
}

}  // namespace hyb
