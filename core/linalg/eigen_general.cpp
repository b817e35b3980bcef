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

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXcd& a) {
  return Eigen::ComplexEigenSolver<Eigen::MatrixXcd>(a, false).eigenvalues();
}

}  // namespace hyb::linalg
