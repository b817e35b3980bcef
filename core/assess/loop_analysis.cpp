#include "core/assess/loop_analysis.h"

#include <algorithm>

#include "core/coupling/led_spec.h"
#include "core/structure/modes.h"

namespace hyb {
namespace {

constexpr Eigen::Index kModes = 10;  // of the reference structure, for the cut-off

}  // namespace

StabilityRange stabilityRange(const SystemMatrices& reference, double rate_hz, std::optional<double> cutoff_hz) {
  const Eigen::VectorXd natural_hz = lowestModes(reference, kModes).frequency_hz;
  const double highest_hz = natural_hz[natural_hz.size() - 1];
  double lowest_hz = highest_hz;
  for (const double f : natural_hz)
    if (f > 1e-4 * highest_hz) lowest_hz = std::min(lowest_hz, f);  // without rigid-body modes
  const double cutoff = cutoff_hz.value_or(std::min(4.0 * highest_hz, 0.1 * rate_hz));
  return {lowest_hz, highest_hz, cutoff, std::min(2.0 / lowest_hz, longestDelay(cutoff))};
}

bool closesLoop(const Project& project) noexcept {
  return project.coupling->tracks() && ledSpec(*project.coupling) == nullptr;
}

bool decays(const std::vector<std::complex<double>>& roots) {
  return std::none_of(roots.begin(), roots.end(), [](const auto& root) { return root.real() >= 0.0; });
}

LoopAnalysis::LoopAnalysis(const Project& project, const Partition& partition, std::optional<double> cutoff_hz)
    : range(stabilityRange(partition.reference, project.loop.rate_hz,
                           cutoff_hz ? cutoff_hz : project.analysis.stability_cutoff_hz)),
      cut(cutSystem(project, partition), range.cutoff_hz),
      critical(cut.criticalDelay(range.max_delay_s)),
      at_hz(critical && critical->frequency_hz > 0.0 ? critical->frequency_hz : range.lowest_hz),
      delay(loopDelay(project, partition, at_hz)),
      own(loopSystem(project, partition, at_hz, Compensated::yes), range.cutoff_hz),
      reach_s(std::min(range.max_delay_s, longestExtraDelay(own.system(), range.cutoff_hz))),
      project_(project),
      partition_(partition) {}

bool LoopAnalysis::stableUncompensated() {
  if (!project_.compensation.method->acts()) return stable();
  return decays(rightmostRoots(loopSystem(project_, partition_, at_hz, Compensated::no), 0.0, range.cutoff_hz));
}

std::optional<GainCrossover> LoopAnalysis::phaseMargin() {
  const std::vector<GainCrossover> all = gainCrossovers(own);
  if (all.empty() || !stable()) return {};
  return *std::min_element(all.begin(), all.end(),
                           [](const auto& a, const auto& b) { return a.phase_margin_deg < b.phase_margin_deg; });
}

DiscreteStability tickStability(const Project& project, const Partition& reduced) {
  return discreteStability(project.integrator, reduced, project.twin, 1.0 / project.loop.rate_hz,
                           project.compensation.added_delay_s, project.compensation.method.get(),
                           project.coupling->springs(reduced.interface.size()));
}

}  // namespace hyb
