#pragma once
#include <optional>
#include <vector>

#include "core/compensation/addition.h"
#include "core/project/project.h"
#include "core/structure/partition.h"

namespace hyb {

/// What an addition is told of the project's loop; its response() throws InputError where the twin gives none.
/// `partition`: both sides whole.
AdditionContext additionContext(const Project& project, const Partition& partition, const PlacedAddition& addition);
/// How it gets into the actuators, [own axis]; empty at position level. InputError where an actuator has no velocity
/// loop.
std::vector<VelocityEntry> velocityEntries(const Project& project, const PlacedAddition& addition);
/// "FIR feed-forward", "FIR feed-forward 2" where it serves interface 2 alone.
std::string describe(const PlacedAddition& addition);

}  // namespace hyb
