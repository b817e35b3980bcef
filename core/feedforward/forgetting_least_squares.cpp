#include "core/feedforward/forgetting_least_squares.h"

#include <Eigen/Jacobi>
#include <cmath>
#include <limits>

namespace hyb {

ForgettingLeastSquares::ForgettingLeastSquares(Eigen::Index unknowns, Eigen::Index sides)
    : unknowns_(unknowns), sides_(sides), rows_(Rows::Zero(unknowns + 1, unknowns + sides)) {
  x_.setZero(unknowns, sides);
  left_.setZero(sides);
  scratch_.setZero(unknowns);
}

void ForgettingLeastSquares::begin(const Eigen::VectorXd& weight, const Eigen::MatrixXd& x) noexcept {
  rows_.setZero();
  growth_ = 1.0;
  x_ = x;
  left_.setZero();
  for (Eigen::Index j = 0; j < unknowns_; ++j) {
    rows_(j, j) = std::sqrt(weight[j]);
    for (Eigen::Index side = 0; side < sides_; ++side) rows_(j, unknowns_ + side) = rows_(j, j) * x(j, side);
  }
}

void ForgettingLeastSquares::forget(double share) noexcept {
  constexpr double most = 1e30;
  growth_ /= std::sqrt(share);
  left_ *= share;
  if (growth_ < most) return;
  rows_.topRows(unknowns_) *= 1.0 / growth_;
  growth_ = 1.0;
}

void ForgettingLeastSquares::add(Eigen::Index first) noexcept {
  if (growth_ != 1.0) rows_.row(unknowns_).tail(rows_.cols() - first) *= growth_;
  for (Eigen::Index j = first; j < unknowns_; ++j) {
    const double a = rows_(unknowns_, j), r = rows_(j, j);
    if (a == 0.0) continue;
    const double scale = 1.0 / std::sqrt(a * a + r * r);
    if (!(scale < 1e150)) continue;  // negligible after rounding
    auto both = rows_.rightCols(rows_.cols() - j);
    both.applyOnTheLeft(j, unknowns_, Eigen::JacobiRotation<double>(r * scale, a * scale));
  }
  for (Eigen::Index side = 0; side < sides_; ++side) {
    const double missed = rows_(unknowns_, unknowns_ + side) / growth_;
    left_[side] += missed * missed;
  }
}

// |y|^2 of R^T y = e_j: the inverse's element is e_j^T (R^T R)^-1 e_j.
double ForgettingLeastSquares::scatter(Eigen::Index j) noexcept {
  double sum = 0.0;
  for (Eigen::Index i = j; i < unknowns_; ++i) {
    double missing = i == j ? 1.0 : 0.0;
    for (Eigen::Index k = j; k < i; ++k) missing -= rows_(k, i) * scratch_[k];
    if (rows_(i, i) == 0.0) return std::numeric_limits<double>::infinity();
    scratch_[i] = missing / rows_(i, i);
    sum += scratch_[i] * scratch_[i];
  }
  return sum * growth_ * growth_;
}

void ForgettingLeastSquares::solve() noexcept {
  for (Eigen::Index j = unknowns_; j-- > 0;) {
    const double pivot = rows_(j, j);
    if (pivot == 0.0) continue;
    const Eigen::Index below = unknowns_ - 1 - j;
    for (Eigen::Index side = 0; side < sides_; ++side) {
      double missing = rows_(j, unknowns_ + side);
      if (below > 0) missing -= rows_.row(j).segment(j + 1, below).dot(x_.col(side).tail(below));
      x_(j, side) = missing / pivot;
    }
  }
}

}  // namespace hyb
