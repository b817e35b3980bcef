#include "core/fidelity/trial_scatter.h"

#include <algorithm>
#include <cmath>

namespace hyb {

TrialScatter trialScatter(std::span<const std::span<const double>> trials) {
  TrialScatter found{.trials = trials.size()};
  if (trials.size() < 2) return found;
  std::size_t ticks = trials.front().size();
  for (const std::span<const double> trial : trials) ticks = std::min(ticks, trial.size());
  if (ticks == 0) return found;
  const auto count = static_cast<double>(trials.size());
  double variances = 0.0, squares = 0.0;
  for (std::size_t k = 0; k < ticks; ++k) {
    double sum = 0.0, apart = 0.0;
    const auto at = [&](std::span<const double> trial) { return trial[trial.size() - ticks + k]; };
    for (const std::span<const double> trial : trials) sum += at(trial);
    const double mean = sum / count;
    for (const std::span<const double> trial : trials) apart += (at(trial) - mean) * (at(trial) - mean);
    variances += apart / (count - 1.0);
    squares += mean * mean;
  }
  found.rms = std::sqrt(variances / static_cast<double>(ticks));
  if (squares > 0.0) found.percent = 100.0 * std::sqrt(variances / squares);
  return found;
}

}  // namespace hyb
