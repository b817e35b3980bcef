#pragma once
#include <cstddef>

#include "core/checks.h"
#include "core/compensation/command_history.h"
#include "core/transfer/params.h"

namespace hyb {

/// Largest speed of the actuator, m/s, while the load pushes against the motion with `opposing_n` (<= 0: it helps, and
/// the no-load speed counts): v0 sqrt(1 - F/F0), 0 from the stall force on.
double velocityCapacity(const ActuatorParams& params, double opposing_n) noexcept;

/// Its input is held over the tick, or switches once inside it: the late command, the current of a leg.
bool takesCommand(ActuatorModel model) noexcept;
/// Natural frequency of a servo, rad/s.
double angularFrequency(const ActuatorParams& servo) noexcept;

/// Adds every fault of actuator `index`, with pointers under /rig/actuators/<index>.
void checkActuator(Checks& checks, const ActuatorParams& params, std::size_t index, double step_s);

}  // namespace hyb
