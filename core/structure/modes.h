#pragma once
#include <Eigen/Core>

#include "core/structure/system.h"

namespace hyb {

/// Undamped modes in ascending frequency, with the damping ratio of each.
struct Modes {
  Eigen::VectorXd frequency_hz;   // [r], undamped
  Eigen::VectorXd damping_ratio;  // [r], phi^T C phi / (2 w); exact for proportional damping, 0 where w = 0
  Eigen::MatrixXd shape;          // [n, r], mass-normalised columns
};
/// All modes, dense: for up to a few hundred DOF. DOF without mass follow the others statically and add no mode. Throws
/// InputError ("/structure") if the mass matrix of the others is not positive definite, or if DOF without mass are not
/// held.
Modes modes(const SystemMatrices& system);
/// The lowest `count` modes, or all if there are fewer; sparse (shift-invert) for large systems. No mode is missed, not
/// even among equal frequencies.
Modes lowestModes(const SystemMatrices& system, Eigen::Index count);

}  // namespace hyb
