#pragma once
#include <optional>
#include <vector>

#include "core/compensation/velocity_entry.h"
#include "core/structure/partition.h"
#include "core/transfer/params.h"

namespace hyb {

/// A pulse that is added to the command of one axis.
struct CommandPulse {
  std::size_t axis = 0;
  std::optional<VelocityEntry> entry{};  // it is a rate that gets in there; none: a displacement
  double size = 1.0;                     // m, or m/s
  Eigen::VectorXd late_s{};              // [i]: what delays the commands before they reach the twin; empty: nothing
};
/// Motion of that axis read at the ticks k = 0, 1, ... where the pulse stands in the command of tick 0: the linear part
/// of the twin, without sensors. The rate of the command is its backward difference. Ends where what is left no longer
/// counts. Throws InputError (/compensation/additions) where that is not so within 4096 ticks, and what the twin
/// refuses.
std::vector<double> pulseResponse(const Partition& partition, const TwinParams& params, double step_s,
                                  const CommandPulse& pulse);

}  // namespace hyb
