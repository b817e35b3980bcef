#include <Eigen/Eigenvalues>

#include "core/linalg/eigen.h"

namespace hyb::linalg {

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& a) {
  return Eigen::EigenSolver<Eigen::MatrixXd>(a, false).eigenvalues();
}

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXcd& a) {
  return Eigen::ComplexEigenSolver<Eigen::MatrixXcd>(a, false).eigenvalues();
}

}  // namespace hyb::linalg
