#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace hyb::test {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Root mean square; not a number of none.
inline double rms(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

/// Largest magnitude.
inline double peak(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Not a number of none.
inline double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace hyb::test
