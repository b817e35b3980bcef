#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/project/project.h"

namespace hyb {

/// What an axis reads, SI; not a number where that is not known.
struct AxisReading {
  double motion, force;
};

/// What axis i may read, to either side, and still pass for being at rest: the tolerances of the gap; of a force
/// without one, a hundredth of what the limits allow, or 1 N (N m).
AxisReading restOf(const Project& project, std::size_t i);

/// Where an axis is away from rest: "interface 1: -2.55 mm, -11.5 N". Empty: all that is known is at rest.
std::vector<std::string> awayFromRest(const Project& project, const std::vector<AxisReading>& readings);

}  // namespace hyb
