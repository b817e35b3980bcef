#pragma once
#include <optional>

#include "core/transfer/actuator.h"

namespace hyb {

/// The command, held over the tick, late, then tau x' + x = gain u. Exact in time.
ActuatorModelPtr firstOrder(double lag_s = 0.01);
ActuatorSpec parseFirstOrder(const Json& settings);
/// Settings of one that answers as numerator over denominator does; nothing where none does.
std::optional<Json> firstOrderLike(const ActuatorTransfer& transfer);

}  // namespace hyb
