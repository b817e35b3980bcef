#pragma once
#include <optional>
#include <vector>

#include "core/compensation/addition.h"
#include "core/project/project.h"
#include "core/structure/partition.h"

namespace hyb {

/// Context of an addition in the project's loop. Its response() throws InputError if the twin provides none.
/// `partition`: with both sides unreduced.
AdditionContext additionContext(const Project& project, const Partition& partition, const PlacedAddition& addition);
/// How it acts on the actuators, [own axis]; empty at position level. Throws InputError if an actuator has no velocity
/// loop.
std::vector<VelocityEntry> velocityEntries(const Project& project, const PlacedAddition& addition);
/// "FIR feed-forward"; "FIR feed-forward 2" if it serves interface 2 only.
std::string describe(const PlacedAddition& addition);

}  // namespace hyb
