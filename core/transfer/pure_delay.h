#pragma once
#include "core/transfer/actuator.h"

namespace hyb {

/// x(t) = gain u(t - delay), linearly interpolated between commands (no hold); delay of at least one tick. The velocity
/// is the rate of the command.
ActuatorModelPtr pureDelay();
ActuatorSpec parsePureDelay(const Json& settings);

}  // namespace hyb
