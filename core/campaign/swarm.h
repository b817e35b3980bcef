#pragma once
#include "core/campaign/optimiser.h"

namespace hyb {

struct SwarmSpec : SearchSpace {
  std::size_t particles = 30;
  double inertia = 0.5, personal = 0.5, global = 0.5;
  double first_velocity = 0.5;  // velocities of the first move, uniform up to this, in the unit of the numbers
};

/// Particle swarm with a global neighbourhood, generation by generation, in the form of Araya (2023), eqs 5.13
/// and 5.14:
///   v <- inertia v + personal r1 (own best - x) + global r2 (best of all - x),  x <- x + v, clamped to its bounds,
/// r1 and r2 uniform in [0, 1] for each number. The first positions are uniform in the bounds.
class Swarm final : public Optimiser {
 public:
  explicit Swarm(SwarmSpec spec);

 private:
  void next(std::span<const double> values) override;
  SwarmSpec spec_;
  Eigen::MatrixXd velocities_, own_positions_;
  Eigen::VectorXd own_;
};

}  // namespace hyb
