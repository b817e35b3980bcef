#include <Eigen/SparseLU>

#include "core/linalg/sparse.h"

namespace hyb::linalg {

bool solveSparse(const Eigen::SparseMatrix<std::complex<double>>& a, const Eigen::MatrixXcd& b, Eigen::MatrixXcd& x) {
  Eigen::SparseLU<Eigen::SparseMatrix<std::complex<double>>> factors;
  factors.compute(a);
  if (factors.info() != Eigen::Success) return false;
  x = factors.solve(b);
  return true;
}

}  // namespace hyb::linalg
