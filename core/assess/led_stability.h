#pragma once
#include <optional>
#include <string>

#include "core/assess/preflight.h"

namespace hyb {

/// What the bench knows of the stability of a test that another program leads. That program closes the loop.
/// ok: values are measured at rest, so no delay of the bench matters. warning: they should be, but the rig is not at
/// rest yet. unknown: they are measured in motion, and the program must take the delay of the bench into account.
struct LedStability {
  CheckState state;
  std::string sentence;
};
/// delay_s: of the motion behind its target. None: the bench closes the loop, or no actuator follows a target.
std::optional<LedStability> ledStability(const Project& project, double delay_s);

}  // namespace hyb
