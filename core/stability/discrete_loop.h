#pragma once
#include <algorithm>
#include <vector>

#include "core/compensation/method.h"
#include "core/integration/integrator.h"
#include "core/structure/partition.h"
#include "core/transfer/params.h"

namespace hyb {

/// Largest eigenvalue of the loop from tick to tick. Below 1: stable. Free runs grow or decay with it.
struct DiscreteMode {
  double spectral_radius = 0.0;
  double growth_per_s = 0.0;  // ln(radius)/tick, 1/s
  double frequency_hz = 0.0;  // of that eigenvalue
  /// Faster than rounding can make it, in a share of the motion per cycle: what is neutral, as a scheme's own root at
  /// rest, does not.
  bool grows() const noexcept { return growth_per_s > 1e-6 * std::max(1.0, frequency_hz); }
};
struct DiscreteStability : DiscreteMode {
  std::vector<DiscreteMode> modes;  // of all eigenvalues but the conjugate ones, largest first
  bool compensated = true;          // false: a method acts that does not tell its taps, and is left out
  /// The largest up to a frequency; radius 0 where there is none.
  DiscreteMode upTo(double highest_hz) const;
};

/// The loop as it runs: at tick k the twin is read, the NS steps with the force read, what the compensation makes of
/// its motion, adaptive ones as they start, late by the delay added on purpose, is the command held to tick k + 1.
/// Whether that step ends at tick k or, with /coupling/ahead, at tick k + 1 is a matter of names: command and forces
/// are the same numbers. Integrator and twin are the real ones, started from one state after the other. Limits,
/// sensors, laws of the specimen and what nonlinear links add to their stiffness at rest are left aside. Without a
/// method the command is the target. With `springs` [i], N/m, the NS is driven by the specimen's motion and asks for
/// forces, as DrivenSide does. Throws InputError for values that makeIntegrator or the twin refuse, and when the
/// loop has more than 1000 states.
DiscreteStability discreteStability(const IntegratorSpec& spec, const Partition& partition, const TwinParams& params,
                                    double tick_s, const Eigen::VectorXd& added_delay_s = {},
                                    const CompensationMethod* method = nullptr, const Eigen::VectorXd& springs = {});

}  // namespace hyb
