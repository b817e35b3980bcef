#pragma once
#include "core/coupling/coupling_spec.h"

namespace hyb {

/// Coupling scheme "force": the NS is driven by the measured motion of the specimen, and its output is a force. A
/// compliance spring of nominal stiffness k converts it to a displacement of the piston, x + f/k (DrivenSide). The axes
/// are those of the pistons; targets and gaps are forces of the PS on the NS; the compensator works on the piston's
/// displacement. It also reads the specimen's displacement from the rig (ColumnRole::specimen). Emulated forces mean
/// here that the motion of the uncut structure replaces that of the specimen. Source: D. Araya, MSc thesis, UTFSM 2023.
CouplingSpecPtr parseForceCoupling(const Json& settings);

}  // namespace hyb
