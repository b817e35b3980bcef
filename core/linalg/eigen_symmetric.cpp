#include <Eigen/Eigenvalues>

#include "core/linalg/eigen.h"

namespace hyb::linalg {

SymmetricModes symmetricModes(const Eigen::MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(a);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

SymmetricModes generalisedModes(const Eigen::MatrixXd& k, const Eigen::MatrixXd& m) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(k, m);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

SymmetricModes tridiagonalModes(const Eigen::VectorXd& diagonal, const Eigen::VectorXd& beside) {
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(diagonal, beside);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace hyb::linalg
