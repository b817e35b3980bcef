#include "core/identification/separable.h"

#include <algorithm>
#include <cmath>

#include "core/linalg/dense.h"

namespace hyb {

std::optional<Separable> project(const LinearAt& problem, const Eigen::VectorXd& theta) {
  std::optional<LinearPart> part = problem(theta);
  if (!part || !part->a.allFinite()) return std::nullopt;
  // Columns of equal length: powers of s differ by many orders of magnitude.
  Eigen::VectorXd lengths = part->a.colwise().norm().transpose();
  for (double& length : lengths)
    if (!(length > 0.0)) length = 1.0;
  part->a = part->a * lengths.cwiseInverse().asDiagonal();
  Separable found;
  found.theta = theta;
  const Eigen::VectorXd c = linalg::leastSquares(part->a, part->b);
  found.residual = part->b - part->a * c;
  found.linear = c.cwiseQuotient(lengths);
  if (!found.linear.allFinite() || !std::isfinite(found.cost())) return std::nullopt;
  return found;
}

std::optional<Separable> minimise(const LinearAt& problem, const Eigen::VectorXd& start, const Eigen::VectorXd& typical,
                                  int most_steps) {
  constexpr double kDifference = 1e-6, kSettled = 1e-8, kMostDamping = 1e10;
  std::optional<Separable> best = project(problem, start);
  if (!best || start.size() == 0) return best;
  double damping = 1e-3;
  for (int step = 0; step < most_steps; ++step) {
    Eigen::MatrixXd jacobian(best->residual.size(), start.size());
    for (Eigen::Index i = 0; i < start.size(); ++i) {
      Eigen::VectorXd moved = best->theta;
      double h = kDifference * std::max(std::abs(moved[i]), 0.1 * typical[i]);
      moved[i] += h;
      std::optional<Separable> there = project(problem, moved);
      if (!there) {  // at the limit of the allowed range
        h = -h;
        moved[i] = best->theta[i] + h;
        there = project(problem, moved);
      }
      if (!there) return best;
      jacobian.col(i) = (there->residual - best->residual) / h;
    }
    const Eigen::MatrixXd normal = jacobian.transpose() * jacobian;
    const Eigen::VectorXd gradient = jacobian.transpose() * best->residual;
    bool better = false, settled = false;
    while (!better && damping < kMostDamping) {
      Eigen::MatrixXd damped = normal;
      for (Eigen::Index i = 0; i < start.size(); ++i)
        damped(i, i) = normal(i, i) > 0.0 ? (1.0 + damping) * normal(i, i) : 1.0;
      const Eigen::VectorXd change = -linalg::solveSymmetric(damped, gradient).x;
      std::optional<Separable> there =
          change.allFinite() ? project(problem, best->theta + change) : std::optional<Separable>();
      if (there && there->cost() < best->cost()) {
        settled = best->cost() - there->cost() < kSettled * best->cost();
        best = std::move(there);
        damping = std::max(0.1 * damping, 1e-12);
        better = true;
      } else {
        damping *= 10.0;
      }
    }
    if (!better || settled) break;
  }
  return best;
}

}  // namespace hyb
