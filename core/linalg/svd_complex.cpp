#include <Eigen/SVD>

#include "core/linalg/svd.h"

namespace hyb::linalg {

NullVectors nullVectors(const Eigen::MatrixXcd& a) {
  const Eigen::JacobiSVD<Eigen::MatrixXcd> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.matrixU().rightCols(1), svd.matrixV().rightCols(1)};
}

}  // namespace hyb::linalg
