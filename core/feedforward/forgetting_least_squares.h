#pragma once
#include <Eigen/Core>

namespace hyb {

/// Least squares of a x = b over all rows given so far, older ones forgotten (recursive least squares by QR):
///   minimise sum over rows of w |a x - b|^2 + w_0 |x - x_0|^2 weighted,
/// in which forget(share) multiplies every weight so far. Kept as the triangular factor R of all rows and Z = R x; a
/// row goes in by Givens rotations, O(n^2). All right-hand sides share the factor. Real-time safe but for the
/// constructor. Source: A. Bartl et al., A hybrid testing method based on adaptive feed-forward filters, appendix B; S.
/// Haykin, Adaptive Filter Theory, ch. 15.
class ForgettingLeastSquares {
 public:
  ForgettingLeastSquares(Eigen::Index unknowns, Eigen::Index sides);
  /// No rows yet: x [unknowns, sides] is where it stays until there are, held with weight [unknowns], all > 0.
  void begin(const Eigen::VectorXd& weight, const Eigen::MatrixXd& x) noexcept;
  /// Everything so far counts this share of what it did; 0 < share <= 1.
  void forget(double share) noexcept;
  /// The row to give next, [unknowns]; then its right-hand sides, [sides].
  auto row() noexcept { return rows_.row(unknowns_).head(unknowns_); }
  auto sides() noexcept { return rows_.row(unknowns_).segment(unknowns_, sides_); }
  /// Gives that row, whose entries before `first` are 0.
  void add(Eigen::Index first = 0) noexcept;
  /// x of all rows so far; unknowns that nothing tells of any more stay as they were.
  void solve() noexcept;
  /// Sum of w |a x - b|^2 of side `side`, at the x that solve() finds.
  double left(Eigen::Index side) const noexcept { return left_[side]; }
  /// Of x(j, side): its variance over that of one row of weight 1, [(R^T R)^-1]_jj; infinity: nothing tells of it.
  double scatter(Eigen::Index j) noexcept;
  const Eigen::MatrixXd& x() const noexcept { return x_; }  // [unknowns, sides]

 private:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Index unknowns_, sides_;
  Rows rows_;            // [n + 1, n + sides]: [R, Z], upper triangular; the last is the row to give
  double growth_ = 1.0;  // factor of the next row: new rows grow in place of old ones that shrink
  Eigen::MatrixXd x_;
  Eigen::VectorXd left_, scratch_;  // [sides], [n]
};

}  // namespace hyb
