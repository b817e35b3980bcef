#include "core/transfer/actuator_like.h"

#include <array>

#include "core/base/json.h"
#include "core/transfer/first_order.h"
#include "core/transfer/servo.h"

namespace hyb {
namespace {

/// Members that can represent a transfer function.
constexpr std::array kLikes{firstOrderLike, servoLike};

}  // namespace

std::optional<Json> actuatorLike(const ActuatorTransfer& transfer) {
  for (const auto& like : kLikes)
    if (std::optional<Json> settings = like(transfer)) return settings;
  return std::nullopt;
}

}  // namespace hyb
