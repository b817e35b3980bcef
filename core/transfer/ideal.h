#pragma once
#include "core/transfer/actuator.h"

namespace hyb {

/// Reaches every command within the tick on a straight ramp, x_{k+1} = gain u_k; it has no delay.
ActuatorSpec parseIdeal(const Json& settings);

}  // namespace hyb
