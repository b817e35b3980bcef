#pragma once
#include <optional>

#include "core/assess/loop_delay.h"
#include "core/stability/delayed_loop.h"
#include "core/stability/discrete_loop.h"
#include "core/stability/margins.h"

namespace hyb {

/// Search range of the stability analysis: frequencies up to the cut-off, delays up to two periods of the lowest mode.
struct StabilityRange {
  double lowest_hz, highest_hz;  // of the lowest ten modes of the reference structure without rigid-body modes
  double cutoff_hz, max_delay_s;
};
/// The cut-off is the setting (/analysis/stability_cutoff_hz), else four times the tenth natural frequency, at most a
/// tenth of the loop's rate. Faster motion has fewer than ten ticks a cycle, and loops with mass on both sides always
/// become unstable somewhere above it.
StabilityRange stabilityRange(const SystemMatrices& reference, double rate_hz, std::optional<double> cutoff_hz);

/// Are all motions with these rightmost roots damped?
bool decays(const std::vector<std::complex<double>>& roots);

/// True if the bench closes the loop: its actuators follow a motion that it computes itself. Otherwise critical delay,
/// margins and roots do not belong to the test: no actuator follows a target (tracks()), or another program computes
/// the motion and closes the loop (LedStability).
bool closesLoop(const Project& project) noexcept;

/// Stability of a project's loop, shared by command line, window, pre-flight, FACE and measures. For a coupling that
/// follows no target (tracks()) only the cut is meaningful; for a test that another program leads, only the delay.
class LoopAnalysis {
 public:
  /// partition: buildPartition(). Both must outlive the analysis. Without a cut-off, the project's is used.
  LoopAnalysis(const Project& project, const Partition& partition, std::optional<double> cutoff_hz = {});

  StabilityRange range;
  DelayedLoop cut;                   // its actuators have equal pure delays
  std::optional<Crossing> critical;  // smallest such delay that makes it unstable
  double at_hz;                      // frequency at which lags are taken: the given one, else the lowest mode
  LoopDelay delay;                   // of each actuator
  DelayedLoop own;                   // as in the project: loopSystem(), with compensation
  double reach_s;                    // largest added delay of the search

  bool stable() { return decays(own.roots()); }
  bool stableUncompensated();
  /// Smallest added delay on every actuator that makes the loop unstable; 0: it is unstable, none: no delay does.
  std::optional<Crossing> margin() { return own.criticalDelay(reach_s); }
  /// Smallest margin, for one interface DOF; none if the loop is unstable or its gain is never 1.
  std::optional<GainCrossover> phaseMargin();

 private:
  const Project& project_;
  const Partition& partition_;
};

/// The sampled loop with the real integrator and the initial compensation. reduced: reduceSides(). Throws InputError if
/// it is too large.
DiscreteStability tickStability(const Project& project, const Partition& reduced);

}  // namespace hyb
