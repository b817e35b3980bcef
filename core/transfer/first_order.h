#pragma once
#include <optional>

#include "core/transfer/actuator.h"

namespace hyb {

/// The delayed command, held over the tick, then tau x' + x = gain u. Exact in time.
ActuatorModelPtr firstOrder(double lag_s = 0.01);
ActuatorSpec parseFirstOrder(const Json& settings);
/// Settings of one with the response numerator over denominator; nothing if there is none.
std::optional<Json> firstOrderLike(const ActuatorTransfer& transfer);

}  // namespace hyb
