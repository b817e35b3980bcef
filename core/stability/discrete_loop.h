#pragma once
#include <algorithm>
#include <vector>

#include "core/compensation/method.h"
#include "core/integration/integrator.h"
#include "core/structure/partition.h"
#include "core/transfer/params.h"

namespace hyb {

/// Largest eigenvalue of the loop from tick to tick. Below 1: stable. It determines growth or decay of free runs.
struct DiscreteMode {
  double spectral_radius = 0.0;
  double growth_per_s = 0.0;  // ln(radius)/tick, 1/s
  double frequency_hz = 0.0;  // of that eigenvalue
  /// True if it grows faster than rounding, as share of the motion per cycle: a neutral root, such as a scheme's own
  /// root at rest, does not.
  bool grows() const noexcept { return growth_per_s > 1e-6 * std::max(1.0, frequency_hz); }
};
struct DiscreteStability : DiscreteMode {
  std::vector<DiscreteMode> modes;  // all eigenvalues except conjugates, largest first
  bool compensated = true;          // false: a method without known taps acts, and is omitted
  /// The largest up to a frequency; radius 0 if there is none.
  DiscreteMode upTo(double highest_hz) const;
};

/// The running loop: at tick k the twin is read, and the NS steps with the measured force. The command is the
/// compensated motion of the NS, with the intended delay and with adaptive methods in their initial state. It is held
/// to tick k + 1. The end of the step at tick k or, with /coupling/ahead, at tick k + 1 is only a convention: command
/// and forces are the same numbers. Uses the real integrator and twin, started from one state after the other. Ignores
/// limits, sensors, laws of the specimen and nonlinear parts of links beyond their stiffness at rest. Without a method
/// the command is the target. With `springs` [i], N/m, the NS is driven by the specimen's motion and its targets are
/// forces, as in DrivenSide. Throws InputError for values that makeIntegrator or the twin refuse, and for more than
/// 1000 states.
DiscreteStability discreteStability(const IntegratorSpec& spec, const Partition& partition, const TwinParams& params,
                                    double tick_s, const Eigen::VectorXd& added_delay_s = {},
                                    const CompensationMethod* method = nullptr, const Eigen::VectorXd& springs = {});

}  // namespace hyb
