#pragma once
#include <functional>
#include <utility>

namespace hyb {

/// Position and value of the minimum of a function with one minimum between low and high: Brent's method, to the limit
/// of rounding.
std::pair<double, double> minimumOf(const std::function<double(double)>& function, double low, double high);

}  // namespace hyb
