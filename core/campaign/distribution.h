#pragma once
#include <limits>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/checks.h"

namespace hyb {

// Distributions of an uncertain number, in the unit of that number.

struct UniformNumber {
  double from = 0.0, to = 1.0;
};
/// Truncated at its bounds: the density outside is spread over what lies inside.
struct NormalNumber {
  double mean = 0.0, deviation = 1.0;
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
};
/// The logarithm is normal with the deviation `dispersion` about that of the median.
struct LognormalNumber {
  double median = 1.0, dispersion = 0.1;
};
struct TriangularNumber {
  double from = 0.0, peak = 0.5, to = 1.0;
};
/// One of several values; the number is its index.
struct DiscreteNumber {
  std::vector<double> weights;  // in any unit
};
using Distribution = std::variant<UniformNumber, NormalNumber, LognormalNumber, TriangularNumber, DiscreteNumber>;

/// Faults of its numbers, at their members below `where`.
void check(const Distribution& distribution, const std::string& where, Checks& checks);

/// The value that is not exceeded with this probability, 0 < probability < 1. The distribution must have passed
/// check().
double quantile(const Distribution& distribution, double probability);

/// Standard normal: value that is not exceeded with this probability, and the probability of not exceeding a value.
double normalQuantile(double probability);
double normalProbability(double value);

}  // namespace hyb
