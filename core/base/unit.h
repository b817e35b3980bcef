#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace hyb {

/// A unit in SI: value in SI = factor * value.
struct SiUnit {
  double factor = 1.0;
  std::string name;  // "m/s2"
};

/// A unit as laboratories write it: "mm", "kN", "mm/s²", "kN m", "kNm", "lbf.in", "deg/s", "ms", "g" (of gravity), "%".
/// Prefixes from nano to giga, products by blank, "*", "." or "·", one "/", powers by "2", "^2", "**2" or "²". The
/// empty unit, "-" and "1" are ratios, "". Nothing for an unknown one.
std::optional<SiUnit> siUnit(std::string_view text);

}  // namespace hyb
