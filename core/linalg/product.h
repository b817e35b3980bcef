#pragma once
#include <Eigen/Core>
#include <cassert>

namespace hyb::linalg {

// Products of a dense matrix [m, n] and a vector [n] within a tick. A product made for large matrices takes longer to
// begin than these take as a whole; past a few columns it is the faster one. Both add up in the order of the columns:
// to the same sums, bit for bit. Calls, not copies of them in each caller: within the step of the twin those are slower
// by an eighth. Real-time safe.

constexpr Eigen::Index kFewColumns = 127;  // with more, Eigen adds up in blocks of columns

/// Adds to `sum` the product of a row that begins at `a` with x; leaves `a` behind it.
[[gnu::always_inline]] inline void addRowTimes(const double*& a, Eigen::Index stride, const Eigen::VectorXd& x,
                                               double& sum) noexcept {
  const double* of = x.data();
  for (const double* const end = of + x.size(); of != end; ++of, a += stride) sum += *a * *of;
}
/// Row i of A x, of few columns; several vectors are one, one behind the other.
template <typename... Vectors>
[[gnu::always_inline]] inline double rowTimes(const Eigen::MatrixXd& a, Eigen::Index i, const Vectors&... x) noexcept {
  double sum = 0.0;
  const double* from = a.data() + i;
  (addRowTimes(from, a.rows(), x, sum), ...);
  return sum;
}

/// Numbers of x that stand one behind the other.
struct Stretch {
  const double* first;
  Eigen::Index count;
};
/// y = A x, or y += A x, of few columns, with x in stretches: as many rows at a time as there are. `a`: [rows,
/// columns], column by column.
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

/// y = A x of several vectors one behind the other, none of which has to be copied for it; y [m] is none of them.
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
  for (Eigen::Index i = 0; i < a.rows(); ++i) to[i] = 0.0 + column[i] * factor;  // as a sum begins, never -0
}

/// y += A x.
inline void addProduct(const Eigen::MatrixXd& a, const Eigen::VectorXd& x, Eigen::VectorXd& y) noexcept {
  if (a.cols() == 1)
    for (Eigen::Index i = 0; i < a.rows(); ++i) y[i] += a.data()[i] * x[0];
  else
    multiplyRows<true>(a, y, x);
}

}  // namespace hyb::linalg
