#pragma once
#include "core/coupling/coupling_spec.h"

namespace hyb {

/// Coupling scheme "excite": the command of one actuator is a signal of the excitation, the others rest at 0; nothing
/// is computed from what is measured. To identify a rig with. Axes are motions, targets are the commands.
CouplingSpecPtr parseExcite(const Json& settings);

}  // namespace hyb
