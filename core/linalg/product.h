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

/// Of few columns: put(i, row i of A x). Four rows at a time, each of which adds up as it does on its own.
template <typename Put>
void eachRowTimes(const Eigen::MatrixXd& a, const Eigen::VectorXd& x, Put&& put) noexcept {
  const Eigen::Index rows = a.rows(), columns = a.cols();
  Eigen::Index i = 0;
  for (; i + 4 <= rows; i += 4) {
    const double* from = a.data() + i;
    Eigen::Vector4d sums = Eigen::Vector4d::Zero();
    for (Eigen::Index j = 0; j < columns; ++j, from += rows) sums += x[j] * Eigen::Map<const Eigen::Vector4d>(from);
    for (Eigen::Index k = 0; k < 4; ++k) put(i + k, sums[k]);
  }
  for (; i < rows; ++i) put(i, rowTimes(a, i, x));
}

/// y = A x; y [m] is not x.
[[gnu::noinline]] inline void multiply(const Eigen::MatrixXd& a, const Eigen::VectorXd& x,
                                       Eigen::VectorXd& y) noexcept {
  if (a.cols() <= kFewColumns)
    eachRowTimes(a, x, [&y](Eigen::Index i, double sum) noexcept { y[i] = sum; });
  else
    y.noalias() = a * x;
}

/// y += A x.
[[gnu::noinline]] inline void addProduct(const Eigen::MatrixXd& a, const Eigen::VectorXd& x,
                                         Eigen::VectorXd& y) noexcept {
  if (a.cols() <= kFewColumns)
    eachRowTimes(a, x, [&y](Eigen::Index i, double sum) noexcept { y[i] += sum; });
  else
    y.noalias() += a * x;
}

}  // namespace hyb::linalg
