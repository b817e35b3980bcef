#include "core/linalg/svd.h"

#include <Eigen/SVD>

#include "core/linalg/eigen.h"

namespace hyb::linalg {

RightSvd rightSvd(const Eigen::MatrixXd& a) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(a, Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixV()};
}

Eigen::MatrixXd leftVectors(const Eigen::MatrixXd& a, Eigen::Index count) {
  return symmetricModes(a * a.transpose()).vectors.rightCols(count).rowwise().reverse();
}

}  // namespace hyb::linalg
