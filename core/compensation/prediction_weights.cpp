#include "core/compensation/prediction_weights.h"

#include <cmath>

#include "core/base/checks.h"
#include "core/compensation/predictor.h"

namespace hyb {

void checkFit(Checks& checks, int points, int order) {
  // Beyond these the fit is meaningless (noise gain) and rounding dominates.
  constexpr int max_order = 15, max_points = 200;
  if (order < 1 || order > max_order)
    checks.fault("/order", "is " + std::to_string(order) + "; the order of the polynomial must be between 1 and " +
                               std::to_string(max_order));
  if (points > max_points)
    checks.fault("/points",
                 "is " + std::to_string(points) + "; must be at most " + std::to_string(max_points) + " points");
  if (points < order + 1)
    checks.fault("/points", "is " + std::to_string(points) + "; a polynomial of order " + std::to_string(order) +
                                " needs at least " + std::to_string(order + 1) +
                                " points: use more points or a lower order");
}

// Discrete Chebyshev (Gram) polynomials, orthonormal on the samples t = 0, -1, ..., -(n - 1). With the centre c they
// obey b_{j+1} p_{j+1} = (t - c) p_j - b_j p_{j-1}, b_j = (j/2) sqrt((n^2 - j^2) / (4 j^2 - 1)).
// recurrence_ holds b_j in column 0, 1/b_j in column 1; row 0 is unused but for p_0 in column 1.
PredictionWeights::PredictionWeights(int points, int order) : points_(points), order_(order) {
  Checks checks;
  checkFit(checks, points, order);
  checks.throwIfAny();

  const double n = points;
  recurrence_.resize(order + 1, 2);
  recurrence_.row(0) << 0.0, 1.0 / std::sqrt(n);
  for (int j = 1; j <= order; ++j) {
    const double b = 0.5 * j * std::sqrt((n - j) * (n + j) / (4.0 * j * j - 1.0));
    recurrence_.row(j) << b, 1.0 / b;
  }
  basis_.resize(points, order + 1);
  const Eigen::ArrayXd t = Eigen::ArrayXd::LinSpaced(points, 0.5 * (n - 1.0), -0.5 * (n - 1.0));
  basis_.col(0).setConstant(recurrence_(0, 1));
  for (int j = 1; j <= order; ++j) {
    basis_.col(j) = t * basis_.col(j - 1).array() * recurrence_(j, 1);
    if (j > 1) basis_.col(j) -= recurrence_(j - 1, 0) * recurrence_(j, 1) * basis_.col(j - 2);
  }
}

void PredictionWeights::at(double steps, Eigen::Ref<Eigen::VectorXd> weights) const noexcept {
  const double t = steps + 0.5 * (points_ - 1);
  double before = 0.0, p = recurrence_(0, 1);
  weights = p * basis_.col(0);
  for (int j = 1; j <= order_; ++j) {
    const double next = (t * p - recurrence_(j - 1, 0) * before) * recurrence_(j, 1);
    before = p;
    p = next;
    weights += p * basis_.col(j);
  }
}

void PredictionWeights::rateAt(double steps, Eigen::Ref<Eigen::VectorXd> weights) const noexcept {
  const double t = steps + 0.5 * (points_ - 1);
  double before = 0.0, p = recurrence_(0, 1);
  double before_rate = 0.0, rate = 0.0;
  weights.setZero();
  for (int j = 1; j <= order_; ++j) {
    const double next = (t * p - recurrence_(j - 1, 0) * before) * recurrence_(j, 1);
    const double next_rate = (p + t * rate - recurrence_(j - 1, 0) * before_rate) * recurrence_(j, 1);
    before = p;
    p = next;
    before_rate = rate;
    rate = next_rate;
    weights += rate * basis_.col(j);
  }
}

double noiseGain(int points, int order, double steps) {
  Eigen::VectorXd weights(points > 0 ? points : 0);
  PredictionWeights(points, order).at(steps, weights);
  return weights.norm();
}

}  // namespace hyb
