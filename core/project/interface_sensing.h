#pragma once
#include <vector>

#include "core/project/project.h"
#include "core/rig/sensed_rig.h"

namespace hyb {

/// The interface of a project's rig is made from sensors: some are listed, or a fixture is taken out of the forces.
bool isSensed(const Project& project);
/// Force sensors that have columns of their own: those of the partition; where it lists none and a fixture is taken out
/// of what they read, one for each axis.
std::vector<InterfaceAxis> forceCells(const Project& project, const std::vector<Dof>& interface);
/// How. `partition`: in actuator axes. Throws InputError with places in the project: what the sensors cannot tell.
InterfaceSensing interfaceSensing(const Project& project, const Partition& partition);

}  // namespace hyb
