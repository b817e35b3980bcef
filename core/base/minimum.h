#pragma once
#include <functional>
#include <utility>

namespace hyb {

/// Where a function with one minimum between low and high has it, and its value there: Brent's method, down to where
/// rounding hides the difference.
std::pair<double, double> minimumOf(const std::function<double(double)>& function, double low, double high);

}  // namespace hyb
