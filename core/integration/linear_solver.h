#pragma once
#include <optional>

#include "core/structure/system.h"

namespace hyb {

/// Factorises a symmetric positive definite matrix once and solves with it without allocation. Uses the fastest method
/// for diagonal, small (dense inverse) and large matrices (sparse L D L^T with a fill-reducing order).
class LinearSolver {
 public:
  LinearSolver() = default;
  /// a [n, n], symmetric. Check weakPivot() before use.
  explicit LinearSolver(const SparseMatrix& a);
  /// Row with a pivot that is not positive relative to its diagonal: the matrix is not positive definite. Empty if it
  /// is.
  std::optional<Eigen::Index> weakPivot() const noexcept { return weak_pivot_; }
  /// b [n] becomes A^-1 b. Real-time safe.
  void solve(Eigen::VectorXd& b) noexcept;

  static constexpr Eigen::Index kDenseUpTo = 64;  // above it, a sparse factor of a beam is faster than a full inverse

 private:
  enum class Kind : unsigned char { diagonal, dense, sparse } kind_ = Kind::diagonal;
  Eigen::MatrixXd inverse_;         // [n, n], dense only
  Eigen::VectorXd inverse_pivots_;  // [n], of the diagonal or of D
  SparseMatrix lower_;              // [n, n], L without its diagonal of ones, in the order of elimination
  Eigen::VectorXi order_;           // [n]: row i is eliminated at order_[i]
  Eigen::VectorXd scratch_;         // [n]
  std::optional<Eigen::Index> weak_pivot_;
};

}  // namespace hyb
