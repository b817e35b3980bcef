#pragma once
#include "core/transfer/actuator.h"

namespace hyb {

/// The command, held over the tick, late, then tau x' + x = gain u. Exact in time.
ActuatorModelPtr firstOrder(double lag_s = 0.01);
ActuatorSpec parseFirstOrder(const Json& settings);

}  // namespace hyb
