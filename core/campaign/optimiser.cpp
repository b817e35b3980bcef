#include "core/campaign/optimiser.h"

#include <algorithm>
#include <cmath>

namespace hyb {

using Eigen::Index;

void Optimiser::take(std::span<const double> values) {
  if (best_position_.size() == 0) best_position_ = positions_.row(0);  // until one has a value
  for (Index c = 0; c < positions_.rows(); ++c) {
    const double value = values[static_cast<std::size_t>(c)];
    if (!(value < best_)) continue;  // nor is NaN
    best_ = value;
    best_position_ = positions_.row(c);
  }
  next(values);
}

/// Marsaglia's polar method.
double Optimiser::normal() {
  double a, square;
  do {
    a = 2.0 * unit() - 1.0;
    const double b = 2.0 * unit() - 1.0;
    square = a * a + b * b;
  } while (!(square < 1.0 && square > 0.0));
  return a * std::sqrt(-2.0 * std::log(square) / square);
}

double Optimiser::mirrored(double value, Index number) const {
  const double least = space_.least[number], range = space_.most[number] - least;
  double place = std::fmod(std::abs((value - least) / range), 2.0);
  if (place > 1.0) place = 2.0 - place;
  return std::clamp(least + place * range, least, space_.most[number]);
}

void Optimiser::drawUniform(std::size_t candidates) {
  positions_.resize(static_cast<Index>(candidates), space_.least.size());
  for (Index c = 0; c < positions_.rows(); ++c)
    for (Index n = 0; n < positions_.cols(); ++n)
      positions_(c, n) = space_.least[n] + unit() * (space_.most[n] - space_.least[n]);
}

}  // namespace hyb
