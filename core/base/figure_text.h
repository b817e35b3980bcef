#pragma once
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

namespace hyb {

/// A figure for display with this number of significant digits (1 to 9): figures with more digits before the point are
/// whole numbers ("1360", not "1.36e+03"), trailing zeros are omitted, and a power of ten appears only from a million
/// on and below 1e-4.
inline std::string figureText(double value, int digits = 3) {
  constexpr double kMillion = 1e6;
  const double size = std::abs(value);
  const bool whole = size >= std::pow(10.0, digits) - 0.5 && size < kMillion;
  std::array<char, 40> text{};
  if (whole)
    std::snprintf(text.data(), text.size(), "%.0f", value);
  else
    std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

/// Display unit of a quantity in SI: told = factor * SI.
struct ToldUnit {
  double factor = 1.0;
  std::string_view text = {};
};
/// "m" -> mm, "rad" -> mrad, "m^2" -> mm^2, "J" -> mJ, "s" -> ms; other units are unchanged.
inline ToldUnit toldUnit(std::string_view si) {
  if (si == "m") return {1e3, "mm"};
  if (si == "rad") return {1e3, "mrad"};
  if (si == "m^2" || si == "m2") return {1e6, "mm^2"};
  if (si == "J") return {1e3, "mJ"};
  if (si == "s") return {1e3, "ms"};
  if (si == "1") return {1.0, {}};
  return {1.0, si};
}

/// From here on a quantity is displayed in SI itself, rounded to three digits.
inline constexpr double kThousandTold = 999.5;

/// "0.103 mm"; from a thousand on in SI itself: "1.36 m". `beside`: a quantity displayed next to it, so that both are
/// in the unit of the larger one.
inline std::string quantityText(double value, std::string_view si, int digits = 3, double beside = 0.0) {
  if (std::isnan(value)) return "not a number";
  ToldUnit unit = toldUnit(si);
  const double largest = std::fmax(std::abs(value), std::abs(beside));
  if (unit.factor == 1e3 && largest * unit.factor >= kThousandTold) unit = {1.0, si};
  return figureText(value * unit.factor, digits) + (unit.text.empty() ? "" : " ") + std::string(unit.text);
}

}  // namespace hyb
