#pragma once
#include <Eigen/Core>
#include <complex>
#include <memory>
#include <optional>

namespace hyb::linalg {

/// e^A of a square matrix.
Eigen::MatrixXd exponential(const Eigen::MatrixXd& a);

/// A^-1 of a regular matrix; not finite for a singular one.
Eigen::MatrixXd inverse(const Eigen::MatrixXd& a);

bool positiveDefinite(const Eigen::MatrixXd& a);  // by Cholesky factorisation of the symmetric matrix

/// Lower triangle L of the symmetric positive definite A = L L^T [n, n]; empty if it is not.
std::optional<Eigen::MatrixXd> choleskyFactor(const Eigen::MatrixXd& a);

/// A^-1 B for a symmetric positive definite A [n, n]; empty if it is not.
std::optional<Eigen::MatrixXd> solvePositive(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// A^-1 B for a symmetric A [n, n] by L D L^T.
struct SymmetricSolution {
  Eigen::MatrixXd x;
  double least_pivot;           // smallest element of D; <= 0: A is not positive definite
  double reciprocal_condition;  // near 0: singular
};
SymmetricSolution solveSymmetric(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// The x with minimal |A x - b| per column of b; A [m, n] of full rank, m >= n.
Eigen::MatrixXd leastSquares(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// The x with minimal |x| of those with minimal |A x - b|, per column of b; A [m, n] of any rank and shape.
Eigen::MatrixXd leastNorm(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// A^+ of any matrix [m, n], [n, m].
Eigen::MatrixXd pseudoInverse(const Eigen::MatrixXd& a);

/// Columns of A [m, n], the best spanning ones first.
Eigen::VectorXi spanningColumns(const Eigen::MatrixXd& a);

/// P A = L U of a complex matrix [n, n].
class ComplexLu {
 public:
  explicit ComplexLu(const Eigen::MatrixXcd& a);
  ~ComplexLu();
  Eigen::MatrixXcd solve(const Eigen::MatrixXcd& b) const;  // A^-1 b
  Eigen::VectorXcd pivots() const;                          // diagonal of U
  double sign() const;                                      // determinant of P, 1 or -1

 private:
  struct Factors;
  std::unique_ptr<const Factors> factors_;
};

}  // namespace hyb::linalg
