#pragma once
#include <optional>

#include "core/transfer/actuator.h"

namespace hyb {

/// The delayed command, held over the tick, then x'' = w^2 (gain u - x) - 2 D w x'. Exact in time.
struct ServoParams {
  double natural_frequency_hz = 28.0;
  double damping_ratio = 0.7;  // D
};
ActuatorModelPtr servo(const ServoParams& params = {});
ActuatorSpec parseServo(const Json& settings);
/// Settings of one with the response numerator over denominator; nothing if there is none.
std::optional<Json> servoLike(const ActuatorTransfer& transfer);

}  // namespace hyb
