#pragma once
#include "core/coupling/coupling_spec.h"

namespace hyb {

/// Coupling scheme "excite", for the identification of a rig: the command of one actuator is a signal of the
/// excitation, the others are 0; nothing is computed from measured values. Axes are motions, targets are the commands.
CouplingSpecPtr parseExcite(const Json& settings);

}  // namespace hyb
