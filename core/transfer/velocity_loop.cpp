#include "core/transfer/velocity_loop.h"

namespace hyb {

std::optional<VelocityEntry> velocityEntryOf(const ActuatorSpec& actuator) {
  const auto* loop = dynamic_cast<const VelocityLoop*>(actuator.model.get());
  if (loop == nullptr) return std::nullopt;
  VelocityEntry entry = loop->velocityEntry();
  entry.position_gain_per_s *= actuator.gain;
  entry.rate_gain *= actuator.gain;
  return entry;
}

}  // namespace hyb
