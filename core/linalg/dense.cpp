#include "core/linalg/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

namespace hyb::linalg {

Eigen::MatrixXd inverse(const Eigen::MatrixXd& a) { return a.inverse(); }

bool positiveDefinite(const Eigen::MatrixXd& a) { return Eigen::LLT<Eigen::MatrixXd>(a).info() == Eigen::Success; }

std::optional<Eigen::MatrixXd> choleskyFactor(const Eigen::MatrixXd& a) {
  const Eigen::LLT<Eigen::MatrixXd> factors(a);
  if (factors.info() != Eigen::Success) return std::nullopt;
  return factors.matrixL();
}

std::optional<Eigen::MatrixXd> solvePositive(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  const Eigen::LLT<Eigen::MatrixXd> factors(a);
  if (factors.info() != Eigen::Success) return std::nullopt;
  return factors.solve(b);
}

SymmetricSolution solveSymmetric(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  const Eigen::LDLT<Eigen::MatrixXd> factors(a);
  if (factors.info() != Eigen::Success) return {b, 0.0, 0.0};
  return {factors.solve(b), factors.vectorD().minCoeff(), factors.rcond()};
}

Eigen::MatrixXd leastSquares(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.colPivHouseholderQr().solve(b);
}

Eigen::MatrixXd leastNorm(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.completeOrthogonalDecomposition().solve(b);
}

Eigen::MatrixXd pseudoInverse(const Eigen::MatrixXd& a) { return a.completeOrthogonalDecomposition().pseudoInverse(); }

Eigen::VectorXi spanningColumns(const Eigen::MatrixXd& a) {
  return Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(a).colsPermutation().indices();
}

}  // namespace hyb::linalg
