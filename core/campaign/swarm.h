#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <random>
#include <span>

namespace hyb {

struct SwarmSpec {
  Eigen::VectorXd least, most;  // bounds of each number
  std::size_t particles = 30;
  double inertia = 0.5, personal = 0.5, global = 0.5;
  double first_velocity = 0.5;  // velocities of the first move, uniform up to this, in the unit of the numbers
  std::uint64_t seed = 1;
};

/// Particle swarm with a global neighbourhood, generation by generation, in the form of Araya (2023), eqs 5.13
/// and 5.14:
///   v <- inertia v + personal r1 (own best - x) + global r2 (best of all - x),  x <- x + v, clamped to its bounds,
/// r1 and r2 uniform in [0, 1] for each number. The first positions are uniform in the bounds. The same values lead to
/// the same positions on every platform.
class Swarm {
 public:
  explicit Swarm(SwarmSpec spec);
  /// Candidates of the present generation [particles, numbers].
  const Eigen::MatrixXd& positions() const noexcept { return positions_; }
  /// Values of all candidates, the smallest is the best; NaN is worse than every number. Moves on.
  void take(std::span<const double> values);
  /// Smallest value so far, infinity without any, and its candidate.
  double best() const noexcept { return best_; }
  const Eigen::VectorXd& bestPosition() const noexcept { return best_position_; }

 private:
  double unit();
  SwarmSpec spec_;
  std::mt19937_64 engine_;
  Eigen::MatrixXd positions_, velocities_, own_positions_;
  Eigen::VectorXd own_, best_position_;
  double best_ = std::numeric_limits<double>::infinity();
};

}  // namespace hyb
