#pragma once
#include <Eigen/Core>

#include "core/structure/system.h"

namespace hyb {

/// Undamped modes in ascending frequency, with the damping that each sees alone.
struct Modes {
  Eigen::VectorXd frequency_hz;   // [r], undamped
  Eigen::VectorXd damping_ratio;  // [r], phi^T C phi / (2 w); exact for proportional damping, 0 where w = 0
  Eigen::MatrixXd shape;          // [n, r], mass-normalised columns
};
/// All modes, dense: for up to some hundred DOF. DOF without any mass follow the others statically and add no mode.
/// Throws InputError ("/structure") for a mass matrix that is not positive definite over the others, or where nothing
/// holds the DOF without mass.
Modes modes(const SystemMatrices& system);
/// The lowest `count` modes; sparse (shift-invert) where that pays. All of them if there are no more. None is missed,
/// also among equal frequencies.
Modes lowestModes(const SystemMatrices& system, Eigen::Index count);

}  // namespace hyb
