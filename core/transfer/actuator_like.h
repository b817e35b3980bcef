#pragma once
#include <optional>

#include "core/base/json_fwd.h"
#include "core/transfer/actuator_transfer.h"

namespace hyb {

/// Most poles of a transfer function that a model of an actuator can stand for, whatever its coefficients.
inline constexpr int kMostActuatorPoles = 2;

/// Settings of an actuator, model and gain, that answers its command as numerator over denominator does, without its
/// delay: of the first member of the family that can. Nothing where none can.
std::optional<Json> actuatorLike(const ActuatorTransfer& transfer);

}  // namespace hyb
