#pragma once
#include <Eigen/Core>

#include "core/structure/lumped.h"

namespace hyb {

/// Undamped modes in ascending frequency, with the damping that each sees alone.
struct Modes {
  Eigen::VectorXd frequency_hz;   // [n], undamped
  Eigen::VectorXd damping_ratio;  // [n], phi^T C phi / (2 w); exact for proportional damping, 0 where w = 0
  Eigen::MatrixXd shape;          // [n, n], mass-normalised columns
};
/// The mass matrix must be positive definite.
Modes modes(const SystemMatrices& system);

}  // namespace hyb
