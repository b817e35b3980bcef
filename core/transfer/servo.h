#pragma once
#include <optional>

#include "core/transfer/actuator.h"

namespace hyb {

/// The command, held over the tick, late, then x'' = w^2 (gain u - x) - 2 D w x'. Exact in time.
struct ServoParams {
  double natural_frequency_hz = 28.0;
  double damping_ratio = 0.7;  // D
};
ActuatorModelPtr servo(const ServoParams& params = {});
ActuatorSpec parseServo(const Json& settings);
/// Settings of one that answers as numerator over denominator does; nothing where none does.
std::optional<Json> servoLike(const ActuatorTransfer& transfer);

}  // namespace hyb
