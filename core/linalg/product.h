#pragma once
#include <Eigen/Core>

namespace hyb::linalg {

// Products of a dense matrix [m, n] and a vector [n] within a tick. A product made for large matrices takes longer to
// begin than these take as a whole; past a few columns it is the faster one. Both add up in the order of the columns:
// to the same sums, bit for bit. Calls, not copies of them in each caller: within the step of the twin those are slower
// by an eighth. Real-time safe.

constexpr Eigen::Index kFewColumns = 32;

/// Row i of A x, of few columns.
inline double rowTimes(const Eigen::MatrixXd& a, Eigen::Index i, const Eigen::VectorXd& x) noexcept {
  double sum = 0.0;
  for (Eigen::Index j = 0; j < a.cols(); ++j) sum += a(i, j) * x[j];
  return sum;
}

/// y = A x; y [m] is not x.
[[gnu::noinline]] inline void multiply(const Eigen::MatrixXd& a, const Eigen::VectorXd& x,
                                       Eigen::VectorXd& y) noexcept {
  if (a.cols() <= kFewColumns)
    for (Eigen::Index i = 0; i < a.rows(); ++i) y[i] = rowTimes(a, i, x);
  else
    y.noalias() = a * x;
}

/// y += A x.
[[gnu::noinline]] inline void addProduct(const Eigen::MatrixXd& a, const Eigen::VectorXd& x,
                                         Eigen::VectorXd& y) noexcept {
  if (a.cols() <= kFewColumns)
    for (Eigen::Index i = 0; i < a.rows(); ++i) y[i] += rowTimes(a, i, x);
  else
    y.noalias() += a * x;
}

}  // namespace hyb::linalg
