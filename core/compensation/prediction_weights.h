#pragma once
#include <Eigen/Core>

namespace hyb {

/// Polynomial extrapolation: least-squares fit of order N through the last n equally spaced samples, evaluated P steps
/// after the newest. Wallace, Wagg, Neild 2005, section 3. Uses discrete orthogonal polynomials, so that orders up to
/// 10 and above are accurate, unlike with normal equations.
class PredictionWeights {
 public:
  /// points n >= order + 1, order N >= 1. Throws InputError("/points" or "/order") otherwise.
  PredictionWeights(int points, int order);
  /// weights [n], newest first, for `steps` ahead (any real number). Real-time safe.
  void at(double steps, Eigen::Ref<Eigen::VectorXd> weights) const noexcept;
  /// weights of the derivative with respect to time in steps (divide by dt for 1/s). Real-time safe.
  void rateAt(double steps, Eigen::Ref<Eigen::VectorXd> weights) const noexcept;
  int points() const noexcept { return points_; }
  int order() const noexcept { return order_; }

 private:
  int points_, order_;
  Eigen::MatrixXd basis_;       // [n, N + 1], orthonormal polynomials at the samples, newest first
  Eigen::MatrixXd recurrence_;  // [N + 1, 2], three-term recurrence coefficients
};

/// ||w||_2: rms of the prediction of white noise over the rms of the noise.
double noiseGain(int points, int order, double steps);

}  // namespace hyb
