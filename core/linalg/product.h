#pragma once
#include <Eigen/Core>
#include <cassert>

namespace hyb::linalg {

// Products of a dense matrix [m, n] and a vector [n] within a tick. The overhead of a product for large matrices
// exceeds the time of these; beyond a few columns the large one is faster. Both add in the order of the columns, with
// the same sums bit for bit. Calls instead of inlined copies: copies in the step of the twin are slower by an eighth.
// Real-time safe.

constexpr Eigen::Index kFewColumns = 127;  // with more columns, Eigen adds in blocks

/// Adds the product of the row at `a` with x to `sum`; moves `a` past the row.
[[gnu::always_inline]] inline void addRowTimes(const double*& a, Eigen::Index stride, const Eigen::VectorXd& x,
                                               double& sum) noexcept {
  const double* of = x.data();
  for (const double* const end = of + x.size(); of != end; ++of, a += stride) sum += *a * *of;
}
/// Row i of A x, for few columns; several vectors are treated as one.
template <typename... Vectors>
[[gnu::always_inline]] inline double rowTimes(const Eigen::MatrixXd& a, Eigen::Index i, const Vectors&... x) noexcept {
  double sum = 0.0;
  const double* from = a.data() + i;
  (addRowTimes(from, a.rows(), x, sum), ...);
  return sum;
}

/// Contiguous numbers of x.
struct Stretch {
  const double* first;
  Eigen::Index count;
};
/// y = A x, or y += A x, for few columns, with x in contiguous parts: processes as many rows at a time as possible.
/// `a`: [rows, columns], column by column.
void multiplyFew(const double* a, Eigen::Index rows, const Stretch* x, const Stretch* end, bool adds,
                 double* y) noexcept;

template <bool adds, typename... Vectors>
[[gnu::noinline]] void multiplyMany(const Eigen::MatrixXd& a, Eigen::VectorXd& y, const Vectors&... x) noexcept {
  if constexpr (!adds) y.setZero();
  Eigen::Index first = 0;
  const auto take = [&](const Eigen::VectorXd& part) {
    y.noalias() += a.middleCols(first, part.size()) * part;
    first += part.size();
  };
  (take(x), ...);
}

template <bool adds, typename... Vectors>
[[gnu::always_inline]] inline void multiplyRows(const Eigen::MatrixXd& a, Eigen::VectorXd& y,
                                                const Vectors&... x) noexcept {
  if (a.cols() > kFewColumns) return multiplyMany<adds>(a, y, x...);
  const Stretch stretches[] = {{x.data(), x.size()}...};
  multiplyFew(a.data(), a.rows(), stretches, stretches + sizeof...(x), adds, y.data());
}

/// y = A x of several concatenated vectors without copying; y [m] is none of them.
template <typename... Vectors>
[[gnu::always_inline]] inline void multiplyStacked(const Eigen::MatrixXd& a, Eigen::VectorXd& y,
                                                   const Vectors&... x) noexcept {
  assert(y.size() == a.rows() && (x.size() + ...) == a.cols());
  if (a.rows() == 1 && a.cols() <= kFewColumns)
    y[0] = rowTimes(a, 0, x...);
  else
    multiplyRows<false>(a, y, x...);
}

/// y = A x; y [m] is not x.
[[gnu::always_inline]] inline void multiply(const Eigen::MatrixXd& a, const Eigen::VectorXd& x,
                                            Eigen::VectorXd& y) noexcept {
  if (a.cols() != 1) return multiplyStacked(a, y, x);
  const double factor = x[0], *const column = a.data();
  double* const to = y.data();
  for (Eigen::Index i = 0; i < a.rows(); ++i) to[i] = 0.0 + column[i] * factor;  // as for a sum, never -0
}

/// y += A x.
inline void addProduct(const Eigen::MatrixXd& a, const Eigen::VectorXd& x, Eigen::VectorXd& y) noexcept {
  if (a.cols() == 1)
    for (Eigen::Index i = 0; i < a.rows(); ++i) y[i] += a.data()[i] * x[0];
  else
    multiplyRows<true>(a, y, x);
}

}  // namespace hyb::linalg
