#pragma once
#include "core/compensation/coefficients.h"

namespace hyb {

/// Least squares of u = a X, accumulated tick by tick. Real-time safe.
class LeastSquares {
 public:
  explicit LeastSquares(Eigen::Index count);
  void clear() noexcept;
  /// weight: 1, or -1 to remove a tick.
  void add(double u, const Coefficients& x, double weight = 1.0) noexcept;
  /// Multiplies the weight of all accumulated ticks by this share.
  void fade(double share) noexcept;
  /// Mean square of the first of X about its mean.
  double variance() const noexcept;
  /// Difference of `a` from the solution within the bounds: coefficients that would leave their bounds do not change,
  /// and the others are optimised. It is reduced in directions that X hardly excites, and 0 where X does not excite at
  /// all. False: there is no data.
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
