#pragma once
#include <vector>

#include "core/transfer/specimen_law.h"

namespace hyb {

/// One measured force of a foot: compressed against the ground by this length along the leg, with the leg at this
/// angle.
struct FootPoint {
  double compression_m = 0.0;  // > 0, or 0 without force
  double angle_rad = 0.0;      // of the leg from upright, forward positive
  double force_n = 0.0;        // >= 0
};

/// A foot on the ground below: force over compression and angle of the leg by points of a full grid, linear between
/// them. Without contact (displacements above 0) the force is 0. Beyond the largest compression the last lines are
/// extrapolated; beyond the outer angles their values are used. `angle_axis`: axis of the actuators that is the angle,
/// from 1; 0: the leg is upright.
SpecimenLawPtr footLaw(std::vector<FootPoint> points, int angle_axis = 0);
SpecimenLawPtr parseFoot(const Json& settings);

}  // namespace hyb
