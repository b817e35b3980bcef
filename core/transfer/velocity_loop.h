#pragma once
#include <optional>

#include "core/compensation/velocity_entry.h"
#include "core/transfer/actuator.h"

namespace hyb {

/// What an actuator model with a velocity loop beneath its position loop is in addition.
class VelocityLoop {
 public:
  virtual ~VelocityLoop() = default;
  /// How a velocity gets in there, for gain 1.
  virtual VelocityEntry velocityEntry() const noexcept = 0;
};
/// The same of an actuator with its gain; none: its model has no such loop.
std::optional<VelocityEntry> velocityEntryOf(const ActuatorSpec& actuator);

}  // namespace hyb
