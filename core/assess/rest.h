#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/project/project.h"

namespace hyb {

/// Reading of an axis, SI; NaN if unknown.
struct AxisReading {
  double motion, force;
};

/// Largest reading of axis i, to either side, that counts as rest: the tolerances of the gap. For a force without
/// tolerance: one hundredth of its limit, or 1 N (N m).
AxisReading restOf(const Project& project, std::size_t i);

/// Readings of the interface axes, [i], from those of the actuators: the same, or by the geometry of the rig. NaN where
/// they do not follow; empty if their number is not that of the legs.
std::vector<AxisReading> interfaceReadings(const Project& project, const std::vector<AxisReading>& actuators);

/// Axes that are away from rest: "interface 1: -2.55 mm, -11.5 N". Empty: all known readings are at rest.
std::vector<std::string> awayFromRest(const Project& project, const std::vector<AxisReading>& readings);

}  // namespace hyb
