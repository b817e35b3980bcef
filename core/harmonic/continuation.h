#pragma once
#include "core/coupling/coupling_spec.h"
#include "core/harmonic/continuation_path.h"

namespace hyb {

/// Continuation of a periodic test: as harmonic_balance.h, but that the commands are motions and the director follows
/// a path (continuation_path.h). The interface is moved by the actuators, whose own controllers keep it stable.
CouplingSpecPtr parseContinuation(const Json& settings);

}  // namespace hyb
