#include <Eigen/LU>
#include <unsupported/Eigen/MatrixFunctions>

#include "core/linalg/balance.h"
#include "core/linalg/dense.h"

namespace hyb::linalg {

Eigen::MatrixXd exponential(const Eigen::MatrixXd& a) {
  const Balanced balance = balanced(a);
  const Eigen::MatrixXd result = balance.matrix.exp();
  return balance.scale.asDiagonal() * result * balance.scale.cwiseInverse().asDiagonal();
}

}  // namespace hyb::linalg
