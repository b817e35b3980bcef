#pragma once
#include <optional>
#include <vector>

#include "core/compensation/velocity_entry.h"
#include "core/structure/partition.h"
#include "core/transfer/params.h"

namespace hyb {

/// A pulse in the command of one axis.
struct CommandPulse {
  std::size_t axis = 0;
  std::optional<VelocityEntry> entry{};  // a rate pulse with this entry; none: a displacement
  double size = 1.0;                     // m, or m/s
  Eigen::VectorXd late_s{};              // [i]: delay of the commands before the twin; empty: none
};
/// Motion of that axis read at the ticks k = 0, 1, ... for a pulse in the command of tick 0: the linear part of the
/// twin, without sensors. The rate of the command is its backward difference. Ends when the rest is negligible. Throws
/// InputError (/compensation/additions) if that takes more than 4096 ticks, and as the twin does.
std::vector<double> pulseResponse(const Partition& partition, const TwinParams& params, double step_s,
                                  const CommandPulse& pulse);

}  // namespace hyb
