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

/// So many rows of A x from row i on, each of which adds up as it does on its own; then i is the row behind them.
template <int rows, typename Put>
void rowsTimes(const Eigen::MatrixXd& a, const Eigen::VectorXd& x, Eigen::Index& i, Put& put) noexcept {
  using Sums = Eigen::Matrix<double, rows, 1>;
  const double *from = a.data() + i, *of = x.data();
  Sums sums = Sums::Zero();
  for (const double* const end = of + a.cols(); of != end; ++of, from += a.rows())
    sums += *of * Eigen::Map<const Sums>(from);
  for (Eigen::Index k = 0; k < rows; ++k, ++i) put(i, sums[k]);
}

/// Of few columns: put(i, row i of A x). As many rows at a time as there are.
template <typename Put>
void eachRowTimes(const Eigen::MatrixXd& a, const Eigen::VectorXd& x, Put&& put) noexcept {
  const Eigen::Index rows = a.rows();
  Eigen::Index i = 0;
  while (rows - i >= 8) rowsTimes<8>(a, x, i, put);
  if (rows - i >= 6) rowsTimes<6>(a, x, i, put);
  if (rows - i >= 4) rowsTimes<4>(a, x, i, put);
  if (rows - i >= 2) rowsTimes<2>(a, x, i, put);
  if (i < rows) put(i, rowTimes(a, i, x));
}

/// y = A x, or y += A x, with more than one row and column.
template <bool adds>
[[gnu::noinline]] void multiplyRows(const Eigen::MatrixXd& a, const Eigen::VectorXd& x, Eigen::VectorXd& y) noexcept {
  if (a.cols() <= kFewColumns)
    eachRowTimes(a, x, [&y](Eigen::Index i, double sum) noexcept { y[i] = adds ? y[i] + sum : sum; });
  else if constexpr (adds)
    y.noalias() += a * x;
  else
    y.noalias() = a * x;
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
