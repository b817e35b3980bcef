#pragma once
#include <limits>
#include <numbers>

namespace hyb {

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kTwoPi = 2.0 * std::numbers::pi;
inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();  // marks a value that does not exist

}  // namespace hyb
