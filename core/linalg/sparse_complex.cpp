#include <Eigen/SparseLU>

#include "core/linalg/dense.h"
#include "core/linalg/sparse.h"

namespace hyb::linalg {
namespace {
constexpr Eigen::Index kFew = 24;  // up to it elimination costs less than finding its order
}

bool solveSparse(const Eigen::SparseMatrix<std::complex<double>>& a, const Eigen::MatrixXcd& b, Eigen::MatrixXcd& x) {
  if (a.rows() <= kFew) {
    const ComplexLu factors{Eigen::MatrixXcd(a)};
    if ((factors.pivots().array() == 0.0).any()) return false;
    x = factors.solve(b);
    return true;
  }
  Eigen::SparseLU<Eigen::SparseMatrix<std::complex<double>>> factors;
  factors.compute(a);
  if (factors.info() != Eigen::Success) return false;
  x = factors.solve(b);
  return true;
}

}  // namespace hyb::linalg
