#pragma once
#include <Eigen/Core>
#include <functional>
#include <optional>

namespace hyb {

/// Least squares |b - A(theta) c| with the optimal c for every theta (variable projection, Golub and Pereyra 1973).
struct Separable {
  Eigen::VectorXd theta, linear, residual;
  double cost() const { return residual.squaredNorm(); }
};
/// A and b at theta; nothing if theta is not allowed.
struct LinearPart {
  Eigen::MatrixXd a;
  Eigen::VectorXd b;
};
using LinearAt = std::function<std::optional<LinearPart>(const Eigen::VectorXd& theta)>;

/// The optimal c and the residual; nothing if theta is not allowed or values overflow.
std::optional<Separable> project(const LinearAt& problem, const Eigen::VectorXd& theta);
/// Levenberg-Marquardt iteration over theta, from an allowed start; `typical` [theta]: magnitudes of its entries.
std::optional<Separable> minimise(const LinearAt& problem, const Eigen::VectorXd& start, const Eigen::VectorXd& typical,
                                  int most_steps);

}  // namespace hyb
