#include "core/campaign/swarm.h"

#include <algorithm>
#include <utility>

namespace hyb {

using Eigen::Index;

Swarm::Swarm(SwarmSpec spec) : Optimiser(spec), spec_(std::move(spec)) {
  const auto particles = static_cast<Index>(spec_.particles);
  const Index numbers = spec_.least.size();
  positions_.resize(particles, numbers);
  velocities_.resize(particles, numbers);
  for (Index p = 0; p < particles; ++p)
    for (Index n = 0; n < numbers; ++n) {
      positions_(p, n) = spec_.least[n] + unit() * (spec_.most[n] - spec_.least[n]);
      velocities_(p, n) = spec_.first_velocity * (2.0 * unit() - 1.0);
    }
  own_positions_ = positions_;
  own_ = Eigen::VectorXd::Constant(particles, best());
}

void Swarm::next(std::span<const double> values) {
  for (Index p = 0; p < positions_.rows(); ++p) {
    const double value = values[static_cast<std::size_t>(p)];
    if (!(value < own_[p])) continue;  // nor is NaN
    own_[p] = value;
    own_positions_.row(p) = positions_.row(p);
  }
  for (Index p = 0; p < positions_.rows(); ++p)
    for (Index n = 0; n < positions_.cols(); ++n) {
      const double x = positions_(p, n), to_own = own_positions_(p, n) - x, to_best = bestPosition()[n] - x;
      const double first = unit(), second = unit();
      velocities_(p, n) =
          spec_.inertia * velocities_(p, n) + spec_.personal * first * to_own + spec_.global * second * to_best;
      positions_(p, n) = std::clamp(x + velocities_(p, n), spec_.least[n], spec_.most[n]);
    }
}

}  // namespace hyb
