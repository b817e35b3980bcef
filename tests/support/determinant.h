#pragma once
#include <complex>

#include "core/linalg/dense.h"

namespace hyb::test {

inline std::complex<double> determinant(const Eigen::MatrixXcd& a) {
  const linalg::ComplexLu lu(a);
  return lu.sign() * lu.pivots().prod();
}

}  // namespace hyb::test
