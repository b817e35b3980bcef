#pragma once
#include <optional>

#include "core/assess/loop_delay.h"
#include "core/stability/delayed_loop.h"
#include "core/stability/discrete_loop.h"
#include "core/stability/margins.h"

namespace hyb {

/// How far stability looks: frequencies up to the cut-off, delays up to two periods of the lowest mode.
struct StabilityRange {
  double lowest_hz, highest_hz;  // of the lowest ten modes of the reference structure, but those without strain
  double cutoff_hz, max_delay_s;
};
/// The cut-off is what is asked for (/analysis/stability_cutoff_hz), else four times the tenth natural frequency, at
/// most a tenth of the loop's rate: faster motion has fewer than ten ticks a cycle, and loops with mass on both sides
/// always go unstable somewhere up there.
StabilityRange stabilityRange(const SystemMatrices& reference, double rate_hz, std::optional<double> cutoff_hz);

/// Do all motions die out that these rightmost roots are of?
bool decays(const std::vector<std::complex<double>>& roots);

/// The stability of a project's loop: the one answer for command line, window, pre-flight, FACE and measures. Of a
/// coupling that follows no target (tracks()) the cut alone means something.
class LoopAnalysis {
 public:
  /// partition: buildPartition(). Both have to outlive the analysis. Without a cut-off: the project's.
  LoopAnalysis(const Project& project, const Partition& partition, std::optional<double> cutoff_hz = {});

  StabilityRange range;
  DelayedLoop cut;                   // its actuators are late alone, all by the same
  std::optional<Crossing> critical;  // the smallest such delay that makes it unstable
  double at_hz;                      // where lags are taken: there, else at the lowest mode
  LoopDelay delay;                   // of each actuator
  DelayedLoop own;                   // as the project has it: loopSystem(), compensated
  double reach_s;                    // how far delays more than its own are looked at

  bool stable() { return decays(own.roots()); }
  bool stableUncompensated();
  /// The smallest delay more on every actuator that makes the loop unstable; 0: it is, none: no delay does.
  std::optional<Crossing> margin() { return own.criticalDelay(reach_s); }
  /// The least, of one interface DOF; none where the loop is unstable, or its gain is never 1.
  std::optional<GainCrossover> phaseMargin();

 private:
  const Project& project_;
  const Partition& partition_;
};

/// The loop from tick to tick, with the real integrator and the compensation as it starts. reduced: reduceSides().
/// Throws InputError where it is too large.
DiscreteStability tickStability(const Project& project, const Partition& reduced);

}  // namespace hyb
