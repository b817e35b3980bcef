#pragma once
#include "core/structure/structure.h"

namespace hyb {

/// Mesh of the beam; names as in structure.h. Throws InputError ("/structure/segments/2/length_m"): also for supports,
/// springs and masses that meet no node, with the positions nearby and the mesh that would have one there.
Model beamModel(const BeamStructure& beam);

}  // namespace hyb
