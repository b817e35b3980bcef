#pragma once
#include "core/coupling/coupling_spec.h"

namespace hyb {

/// Coupling scheme "force": the NS is driven by the measured motion of the specimen and asks for a force, which a
/// compliance spring of nominal stiffness k turns into a displacement of the piston, x + f/k (DrivenSide). The axes are
/// the pistons'; targets and gaps are forces of the PS on the NS; the compensator works on the piston's displacement.
/// Of the rig it reads the specimen's displacement beside (specimenColumn). Emulated forces are here the motion of the
/// uncut structure in place of the specimen's. Source: D. Araya, MSc thesis, UTFSM 2023.
CouplingSpecPtr parseForceCoupling(const Json& settings);

}  // namespace hyb
