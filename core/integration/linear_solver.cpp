#include "core/integration/linear_solver.h"

#include "core/linalg/dense.h"
#include "core/linalg/product.h"
#include "core/linalg/sparse.h"

namespace hyb {
namespace {

// A pivot below this share of its diagonal is a rounded 0. Relative to the own diagonal, because masses and moments of
// inertia of a fine mesh differ by many powers of ten.
constexpr double kWeakPivot = 1e-13;

bool isDiagonal(const SparseMatrix& a) {
  for (Eigen::Index j = 0; j < a.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(a, j); it; ++it)
      if (it.row() != it.col() && it.value() != 0.0) return false;
  return true;
}

}  // namespace

LinearSolver::LinearSolver(const SparseMatrix& a) : scratch_(a.rows()) {
  const Eigen::Index n = a.rows();
  const Eigen::VectorXd diagonal = a.diagonal();
  for (Eigen::Index i = 0; i < n; ++i)
    if (!(diagonal[i] > 0.0)) {
      weak_pivot_ = i;
      return;
    }
  if (isDiagonal(a)) {
    inverse_pivots_ = diagonal.cwiseInverse();
    return;
  }

  linalg::SparseFactors ldlt(a);
  if (!ldlt.regular()) {  // a pivot of exactly 0 ends the factorisation: replace it by a weak one, to find it
    SparseMatrix shifted = a;
    for (Eigen::Index i = 0; i < n; ++i) shifted.coeffRef(i, i) += 0.1 * kWeakPivot * diagonal[i];
    ldlt = linalg::SparseFactors(shifted);
  }
  order_ = ldlt.order();
  const Eigen::VectorXd pivots = ldlt.pivots();
  for (Eigen::Index i = 0; i < n && !weak_pivot_; ++i)
    if (!(pivots[order_[i]] > kWeakPivot * diagonal[i])) weak_pivot_ = i;
  if (weak_pivot_) return;

  if (n <= kDenseUpTo) {
    kind_ = Kind::dense;
    inverse_ = linalg::inverse(Eigen::MatrixXd(a));
  } else {
    kind_ = Kind::sparse;
    inverse_pivots_ = pivots.cwiseInverse();
    lower_ = ldlt.lower();
  }
}

void LinearSolver::solve(Eigen::VectorXd& b) noexcept {
  switch (kind_) {
    case Kind::diagonal:
      b.array() *= inverse_pivots_.array();
      return;
    case Kind::dense:
      linalg::multiply(inverse_, b, scratch_);
      b = scratch_;
      return;
    case Kind::sparse:
      break;
  }
  const Eigen::Index n = scratch_.size();
  const int *begin = lower_.outerIndexPtr(), *row = lower_.innerIndexPtr();
  const double* value = lower_.valuePtr();
  double* y = scratch_.data();
  for (Eigen::Index i = 0; i < n; ++i) y[order_[i]] = b[i];
  for (Eigen::Index j = 0; j < n; ++j) {
    const double known = y[j];
    for (int p = begin[j]; p < begin[j + 1]; ++p) y[row[p]] -= value[p] * known;
  }
  scratch_.array() *= inverse_pivots_.array();
  for (Eigen::Index j = n - 1; j >= 0; --j) {
    double sum = y[j];  // in a register: storing each term would add a dependency
    for (int p = begin[j]; p < begin[j + 1]; ++p) sum -= value[p] * y[row[p]];
    y[j] = sum;
  }
  for (Eigen::Index i = 0; i < n; ++i) b[i] = y[order_[i]];
}

}  // namespace hyb
