#include <Eigen/LU>
#include <unsupported/Eigen/MatrixFunctions>

#include "core/linalg/dense.h"

namespace hyb::linalg {

Eigen::MatrixXd exponential(const Eigen::MatrixXd& a) { return a.exp(); }

}  // namespace hyb::linalg
