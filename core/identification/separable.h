#pragma once
#include <Eigen/Core>
#include <functional>
#include <optional>

namespace hyb {

/// Least squares |b - A(theta) c| in which c is best for every theta (variable projection, Golub and Pereyra 1973).
struct Separable {
  Eigen::VectorXd theta, linear, residual;
  double cost() const { return residual.squaredNorm(); }
};
/// A and b at theta; nothing where theta is not allowed.
struct LinearPart {
  Eigen::MatrixXd a;
  Eigen::VectorXd b;
};
using LinearAt = std::function<std::optional<LinearPart>(const Eigen::VectorXd& theta)>;

/// The best c and what is left over; nothing where theta is not allowed or the numbers run away.
std::optional<Separable> project(const LinearAt& problem, const Eigen::VectorXd& theta);
/// Levenberg and Marquardt's iteration over theta, from a start that is allowed; `typical` [theta]: sizes of its
/// entries.
std::optional<Separable> minimise(const LinearAt& problem, const Eigen::VectorXd& start, const Eigen::VectorXd& typical,
                                  int most_steps);

}  // namespace hyb
