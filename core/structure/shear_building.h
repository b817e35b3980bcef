#pragma once
#include "core/structure/structure.h"

namespace hyb {

/// Floors above the ground, stretch of the lowest storey = displacement of its floor; names as in structure.h. Throws
/// InputError ("/structure/storeys/1/mass_kg").
Model shearModel(const ShearBuilding& building);

}  // namespace hyb
