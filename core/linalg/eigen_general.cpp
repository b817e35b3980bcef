#include <Eigen/Eigenvalues>

#include "core/base/numbers.h"
#include "core/linalg/balance.h"
#include "core/linalg/eigen.h"

namespace hyb::linalg {

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& a) {
  if (!a.allFinite()) return Eigen::VectorXcd::Constant(a.rows(), kNoValue);
  Eigen::EigenSolver<Eigen::MatrixXd> solver;
  solver.setMaxIterations(1000 * a.rows());  // unbalanced matrices need more than Eigen's 40 per row
  solver.compute(balanced(a).matrix, false);
  if (solver.info() != Eigen::Success) return Eigen::VectorXcd::Constant(a.rows(), kNoValue);
  return solver.eigenvalues();
}

GeneralModes generalModes(const Eigen::MatrixXd& a) {
  const Eigen::Index n = a.rows();
  GeneralModes modes{Eigen::VectorXcd::Constant(n, kNoValue), Eigen::MatrixXcd::Constant(n, n, kNoValue)};
  if (!a.allFinite()) return modes;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(a);
  if (solver.info() == Eigen::Success) modes = {solver.eigenvalues(), solver.eigenvectors()};
  return modes;
}

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXcd& a) {
  return Eigen::ComplexEigenSolver<Eigen::MatrixXcd>(a, false).eigenvalues();
}

}  // namespace hyb::linalg
