#pragma once
#include <vector>

#include "core/project/project.h"

namespace hyb {

constexpr double kPistonDemand_s = 120.0;  // of a longer test the beginning alone is looked at

/// What a piston has to do in a test that asks for forces: peaks.
struct PistonDemand {
  std::string dof;  // of its interface
  double stroke_m = 0.0, velocity_m_per_s = 0.0, force_n = 0.0;
};

/// Of each piston, with every force as it is in the uncut structure under the project's excitation (its first two
/// minutes) and the springs as the scheme knows them. Empty where the scheme asks for no forces, or where the uncut
/// structure is not the whole truth (laws of the specimen). Throws InputError where the project cannot be built, as
/// for a ground motion that is not there.
std::vector<PistonDemand> pistonDemand(const Project& project, const Partition& partition);

/// What of it the actuators cannot do, one sentence each; `remedy` of stroke and velocity.
std::vector<std::string> beyondActuators(const std::vector<PistonDemand>& demand,
                                         const std::vector<ActuatorSpec>& actuators,
                                         const std::string& remedy = "take a stiffer spring, or less excitation");

}  // namespace hyb
