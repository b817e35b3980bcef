#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <utility>

namespace hyb {

/// Numbers that a search looks for, each within its bounds.
struct SearchSpace {
  Eigen::VectorXd least, most;
  std::uint64_t seed = 1;  // of the candidates
};

/// Search for the smallest value, generation by generation: all candidates are known before their values are asked for.
/// The same values lead to the same candidates, so that a search can be repeated from its values.
class Optimiser {
 public:
  explicit Optimiser(SearchSpace space) : space_(std::move(space)), engine_(space_.seed) {}
  virtual ~Optimiser() = default;
  /// Candidates of the present generation [candidates, numbers], within their bounds.
  const Eigen::MatrixXd& positions() const noexcept { return positions_; }
  /// Values of all candidates, the smallest is the best; NaN is worse than every number. Moves on.
  void take(std::span<const double> values);
  /// Smallest value so far, infinity without any, and its candidate.
  double best() const noexcept { return best_; }
  const Eigen::VectorXd& bestPosition() const noexcept { return best_position_; }

 protected:
  virtual void next(std::span<const double> values) = 0;
  /// Uniform in [0, 1), and normal with mean 0 and deviation 1.
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double normal();
  /// First candidates, uniform within the bounds.
  void drawUniform(std::size_t candidates);
  /// A number beyond its bounds is mirrored at them.
  double mirrored(double value, Eigen::Index number) const;

  SearchSpace space_;
  Eigen::MatrixXd positions_;

 private:
  std::mt19937_64 engine_;
  double best_ = std::numeric_limits<double>::infinity();
  Eigen::VectorXd best_position_;
};

}  // namespace hyb
