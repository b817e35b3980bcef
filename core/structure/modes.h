#pragma once
#include <Eigen/Core>

#include "core/structure/lumped.h"

namespace hyb {

/// Undamped modes in ascending frequency; damping ratios from the complex eigenvalues of the damped system, matched in
/// order.
struct Modes {
  Eigen::VectorXd frequency_hz;   // [n], undamped
  Eigen::VectorXd damping_ratio;  // [n], phi^T C phi / (2 w) for mass-normalised phi (exact for proportional damping)
  Eigen::MatrixXd shape;          // [n, n], mass-normalised columns
};
Modes modes(const SystemMatrices& system);

}  // namespace hyb
