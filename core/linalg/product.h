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

/// y = A x, or y += A x, of so many rows from those that `a` and `y` begin with on; columns are `stride` apart.
template <int rows, bool adds>
[[gnu::always_inline]] inline void rowsTimes(const double* a, Eigen::Index stride, const Eigen::VectorXd& x,
                                             double* y) noexcept {
  using Sums = Eigen::Matrix<double, rows, 1>;
  Sums sums = Sums::Zero();
  const double* of = x.data();
  for (const double* const end = of + x.size(); of != end; ++of, a += stride) sums += *of * Eigen::Map<const Sums>(a);
  Eigen::Map<Sums> to(y);
  if constexpr (adds)
    to += sums;
  else
    to = sums;
}

/// y = A x, or y += A x, with more than one row and column: of a few columns, as many rows at a time as there are.
template <bool adds>
[[gnu::noinline]] void multiplyRows(const Eigen::MatrixXd& a, const Eigen::VectorXd& x, Eigen::VectorXd& y) noexcept {
  if (a.cols() > kFewColumns) {
    if constexpr (adds)
      y.noalias() += a * x;
    else
      y.noalias() = a * x;
    return;
  }
  const double* from = a.data();
  double* to = y.data();
  Eigen::Index rows = a.rows();
  for (; rows >= 8; rows -= 8, from += 8, to += 8) rowsTimes<8, adds>(from, a.rows(), x, to);
  switch (rows) {
    case 7:
      return rowsTimes<7, adds>(from, a.rows(), x, to);
    case 6:
      return rowsTimes<6, adds>(from, a.rows(), x, to);
    case 5:
      return rowsTimes<5, adds>(from, a.rows(), x, to);
    case 4:
      return rowsTimes<4, adds>(from, a.rows(), x, to);
    case 3:
      return rowsTimes<3, adds>(from, a.rows(), x, to);
    case 2:
      return rowsTimes<2, adds>(from, a.rows(), x, to);
    case 1:
      return rowsTimes<1, adds>(from, a.rows(), x, to);
    default:
      return;
  }
}

/// y = A x; y [m] is not x.
inline void multiply(const Eigen::MatrixXd& a, const Eigen::VectorXd& x, Eigen::VectorXd& y) noexcept {
  if (a.cols() == 1)
    for (Eigen::Index i = 0; i < a.rows(); ++i) y[i] = 0.0 + a.data()[i] * x[0];  // as a sum begins, never -0
  else if (a.rows() == 1 && a.cols() <= kFewColumns)
    y[0] = rowTimes(a, 0, x);
  else
    multiplyRows<false>(a, x, y);
}

/// y += A x.
inline void addProduct(const Eigen::MatrixXd& a, const Eigen::VectorXd& x, Eigen::VectorXd& y) noexcept {
  if (a.cols() == 1)
    for (Eigen::Index i = 0; i < a.rows(); ++i) y[i] += a.data()[i] * x[0];
  else
    multiplyRows<true>(a, x, y);
}

}  // namespace hyb::linalg
