#pragma once
#include <optional>

#include "core/compensation/velocity_entry.h"
#include "core/transfer/actuator.h"

namespace hyb {

/// Additional interface of an actuator model with a velocity loop inside its position loop.
class VelocityLoop {
 public:
  virtual ~VelocityLoop() = default;
  /// Entry of a velocity into the loop, for gain 1.
  virtual VelocityEntry velocityEntry() const noexcept = 0;
};
/// The same for an actuator with its gain; none: its model has no such loop.
std::optional<VelocityEntry> velocityEntryOf(const ActuatorSpec& actuator);

}  // namespace hyb
