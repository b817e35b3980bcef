#pragma once
#include "core/transfer/specimen_law.h"

namespace hyb {

/// Rigid ground that is reached after a gap. Its impulses come from SpecimenForces.
SpecimenLawPtr impactLaw(const RigidGround& ground);
SpecimenLawPtr parseImpact(const Json& settings);

}  // namespace hyb
