#pragma once
#include "core/coupling/coupling_spec.h"
#include "core/harmonic/continuation_path.h"

namespace hyb {

/// Continuation of a periodic test: as harmonic_balance.h, but the commands are motions and the director follows a path
/// (continuation_path.h). The actuators move the interface, and their own controllers keep it stable.
CouplingSpecPtr parseContinuation(const Json& settings);

}  // namespace hyb
