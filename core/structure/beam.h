#pragma once
#include "core/structure/structure.h"

namespace hyb {

/// Mesh of the beam; names as in structure.h. Throws InputError ("/structure/segments/2/length_m"), also for supports,
/// springs and masses that are not at a node, with the nearest positions and a mesh that has a node there.
Model beamModel(const BeamStructure& beam);

}  // namespace hyb
