#pragma once
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

namespace hyb {

/// A figure as people read it, with so many significant digits (1 to 9): what has more digits before the point is a
/// whole number ("1360", not "1.36e+03"), zeros at the end are left out, a power of ten stands only from a million on
/// and below 1e-4.
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

}  // namespace hyb
