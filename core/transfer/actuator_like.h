#pragma once
#include <optional>

#include "core/base/json_fwd.h"
#include "core/transfer/actuator_transfer.h"

namespace hyb {

/// Largest number of poles of a transfer function that an actuator model can represent for any coefficients.
inline constexpr int kMostActuatorPoles = 2;

/// Settings of an actuator, model and gain, with the response numerator over denominator, without its delay: of the
/// first suitable member of the family. Nothing if there is none.
std::optional<Json> actuatorLike(const ActuatorTransfer& transfer);

}  // namespace hyb
