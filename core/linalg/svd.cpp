#include "core/linalg/svd.h"

#include <Eigen/SVD>

namespace hyb::linalg {

RightSvd rightSvd(const Eigen::MatrixXd& a) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(a, Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixV()};
}

Eigen::MatrixXd leftVectors(const Eigen::MatrixXd& a, Eigen::Index count) {
  return Eigen::BDCSVD<Eigen::MatrixXd>(a, Eigen::ComputeThinU).matrixU().leftCols(count);
}

}  // namespace hyb::linalg
