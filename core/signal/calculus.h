#pragma once
#include <span>
#include <vector>

namespace hyb {

/// Rate of change by central differences, also of second order at the ends; unit of the samples per second. Empty for
/// fewer than three samples.
std::vector<double> rates(std::span<const double> samples, double step_s);

/// Integral over time from the first sample on, where it is 0, by the trapezoidal rule; unit of the samples times
/// second. As many values as samples. Its error for a sine of f Hz is the factor 1 - (pi f step_s)^2 / 3.
std::vector<double> integral(std::span<const double> samples, double step_s);

}  // namespace hyb
