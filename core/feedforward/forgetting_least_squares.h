#pragma once
#include <Eigen/Core>

namespace hyb {

/// Recursive least squares by QR for a x = b over all rows so far, with forgetting of earlier rows:
///   minimise sum over rows of w |a x - b|^2 + w_0 |x - x_0|^2 weighted,
/// in which forget(share) multiplies every weight so far. Stored as the triangular factor R of all rows and Z = R x; a
/// row is added by Givens rotations, O(n^2). All right-hand sides share the factor. Real-time safe except for the
/// constructor.
/// Source: A. Bartl et al., A hybrid testing method based on adaptive feed-forward filters, appendix B; S.
/// Haykin, Adaptive Filter Theory, ch. 15.
class ForgettingLeastSquares {
 public:
  ForgettingLeastSquares(Eigen::Index unknowns, Eigen::Index sides);
  /// Starts without rows: x [unknowns, sides] is the initial solution, held with weight [unknowns], all > 0.
  void begin(const Eigen::VectorXd& weight, const Eigen::MatrixXd& x) noexcept;
  /// Multiplies the weight of all previous rows by this share; 0 < share <= 1.
  void forget(double share) noexcept;
  /// The next row, [unknowns]; followed by its right-hand sides, [sides].
  auto row() noexcept { return rows_.row(unknowns_).head(unknowns_); }
  auto sides() noexcept { return rows_.row(unknowns_).segment(unknowns_, sides_); }
  /// Adds that row, whose entries before `first` are 0.
  void add(Eigen::Index first = 0) noexcept;
  /// x of all rows so far; unknowns without information keep their values.
  void solve() noexcept;
  /// Sum of w |a x - b|^2 of side `side`, at the x of solve().
  double left(Eigen::Index side) const noexcept { return left_[side]; }
  /// Of x(j, side): its variance over that of one row of weight 1, [(R^T R)^-1]_jj; infinity: no information.
  double scatter(Eigen::Index j) noexcept;
  const Eigen::MatrixXd& x() const noexcept { return x_; }  // [unknowns, sides]

 private:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Index unknowns_, sides_;
  Rows rows_;            // [n + 1, n + sides]: [R, Z], upper triangular; the last row is the next one
  double growth_ = 1.0;  // factor of the next row: new rows grow instead of shrinking old ones
  Eigen::MatrixXd x_;
  Eigen::VectorXd left_, scratch_;  // [sides], [n]
};

}  // namespace hyb
