#pragma once
#include <vector>

#include "core/project/project.h"
#include "core/rig/sensed_rig.h"

namespace hyb {

/// True if sensors are listed, or if the fixture force is removed from the measured forces.
bool isSensed(const Project& project);
/// Force sensors with their own columns: those of the partition; if it lists none and the fixture force is removed, one
/// for each axis.
std::vector<InterfaceAxis> forceCells(const Project& project, const std::vector<Dof>& interface);
/// The reconstruction. `partition`: in actuator axes. Throws InputError with places in the project for motions that the
/// sensors cannot determine.
InterfaceSensing interfaceSensing(const Project& project, const Partition& partition);

}  // namespace hyb
