#pragma once
#include <limits>
#include <numbers>

namespace hyb {

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kTwoPi = 2.0 * std::numbers::pi;
inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // a figure that there is not

}  // namespace hyb
