#pragma once
#include "core/transfer/specimen_law.h"

namespace hyb {

/// Rigid ground after a gap. SpecimenForces computes its impulses.
SpecimenLawPtr impactLaw(const RigidGround& ground);
SpecimenLawPtr parseImpact(const Json& settings);

}  // namespace hyb
