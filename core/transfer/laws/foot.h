#pragma once
#include <vector>

#include "core/transfer/specimen_law.h"

namespace hyb {

/// One force of a foot as measured: pressed to the ground by so much along the leg, with the leg at this angle.
struct FootPoint {
  double compression_m = 0.0;  // > 0, or 0 with no force
  double angle_rad = 0.0;      // of the leg from upright, forward positive
  double force_n = 0.0;        // >= 0
};

/// A foot on the ground below: force over compression and angle of the leg by points that form a full grid, linear
/// between them. Off the ground (displacements above 0) it does not push; beyond the largest compression the last lines
/// go on, beyond the outer angles those count. `angle_axis`: axis of the actuators that is the angle, from 1; 0: the
/// leg stands upright.
SpecimenLawPtr footLaw(std::vector<FootPoint> points, int angle_axis = 0);
SpecimenLawPtr parseFoot(const Json& settings);

}  // namespace hyb
