#pragma once
#include "core/compensation/coefficients.h"

namespace hyb {

/// Least squares of u = a X, gathered tick by tick. Real-time safe.
class LeastSquares {
 public:
  explicit LeastSquares(Eigen::Index count);
  void clear() noexcept;
  /// weight: 1, or -1 to take a tick out again.
  void add(double u, const Coefficients& x, double weight = 1.0) noexcept;
  /// All that was gathered counts this share of what it did.
  void fade(double share) noexcept;
  /// Mean square of the first of X about its mean.
  double variance() const noexcept;
  /// What `a` is short of the solution within the bounds: one that would leave them stays, and the others make the best
  /// of it. In directions that X hardly tells apart it is less
  /// than what is short, and 0 where X does not tell at all. False: there is nothing to learn from.
  bool missing(const Coefficients& a, const Coefficients& lowest, const Coefficients& highest,
               Coefficients& d) const noexcept;

 private:
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostCoefficients, kMostCoefficients>;
  using Held = std::array<bool, kMostCoefficients>;
  bool solve(const Coefficients& a, const Held& held, Coefficients& d) const noexcept;

  Square xx_;  // lower triangle
  Coefficients xu_;
  double weight_ = 0.0, first_ = 0.0;  // sums of the weights and of the first of X
};

}  // namespace hyb
