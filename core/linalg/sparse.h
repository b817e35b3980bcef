#pragma once
#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <complex>
#include <memory>

namespace hyb::linalg {

/// P A P^T = L D L^T of a sparse symmetric matrix [n, n], with an order that keeps the fill low.
class SparseFactors {
 public:
  explicit SparseFactors(const Eigen::SparseMatrix<double>& a);
  ~SparseFactors();
  SparseFactors(SparseFactors&&) noexcept;
  SparseFactors& operator=(SparseFactors&&) noexcept;
  bool regular() const;                                   // false: a pivot was exactly 0, and there are no factors
  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;  // A^-1 b
  Eigen::SparseMatrix<double> solve(const Eigen::SparseMatrix<double>& b) const;
  Eigen::VectorXd pivots() const;             // [n], D in the order of elimination
  Eigen::VectorXi order() const;              // [n]: row i of A is eliminated at order[i]
  Eigen::VectorXi sequence() const;           // [n]: rows of A in the order of elimination
  Eigen::SparseMatrix<double> lower() const;  // L without its diagonal of ones, compressed

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

/// A^-1 B of a sparse complex matrix [n, n]; false if it is singular.
bool solveSparse(const Eigen::SparseMatrix<std::complex<double>>& a, const Eigen::MatrixXcd& b, Eigen::MatrixXcd& x);

}  // namespace hyb::linalg
