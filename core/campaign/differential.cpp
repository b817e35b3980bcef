#include "core/campaign/differential.h"

#include <algorithm>
#include <limits>

namespace hyb {

using Eigen::Index;

DifferentialEvolution::DifferentialEvolution(const DifferentialSpec& spec)
    : Optimiser(spec), weight_(spec.weight), crossover_(spec.crossover) {
  drawUniform(spec.candidates);
  parents_ = positions_;
  values_ = Eigen::VectorXd::Constant(positions_.rows(), std::numeric_limits<double>::infinity());
}

/// A random candidate that is none of these.
Index DifferentialEvolution::other(std::span<const Index> taken) {
  for (;;) {
    const auto place = static_cast<Index>(unit() * static_cast<double>(parents_.rows()));
    if (std::ranges::find(taken, place) == taken.end()) return place;
  }
}

void DifferentialEvolution::next(std::span<const double> values) {
  for (Index c = 0; c < parents_.rows(); ++c) {
    const double value = values[static_cast<std::size_t>(c)];
    if (!(value <= values_[c])) continue;  // nor is NaN
    values_[c] = value;
    parents_.row(c) = positions_.row(c);
  }
  for (Index c = 0; c < parents_.rows(); ++c) {
    Index taken[4] = {c, 0, 0, 0};
    for (std::size_t k = 1; k < 4; ++k) taken[k] = other(std::span(taken, k));
    const auto always = static_cast<Index>(unit() * static_cast<double>(parents_.cols()));
    for (Index n = 0; n < parents_.cols(); ++n) {
      const bool mutates = unit() < crossover_ || n == always;
      positions_(c, n) =
          mutates ? mirrored(parents_(taken[1], n) + weight_ * (parents_(taken[2], n) - parents_(taken[3], n)), n)
                  : parents_(c, n);
    }
  }
}

}  // namespace hyb
