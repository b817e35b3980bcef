#pragma once
#include "core/campaign/optimiser.h"

namespace hyb {

struct DifferentialSpec : SearchSpace {
  std::size_t candidates = 30;  // 4 or more
  double weight = 0.7;          // of the difference of two candidates
  double crossover = 0.9;       // probability that a number comes from the mutant
};

/// Differential evolution, strategy rand/1/bin: R. Storn, K. Price, J. Global Optim. 11 (1997) 341. Each candidate is
/// replaced by its trial, the sum of a random one and a weighted difference of two others, unless the trial is worse.
/// Numbers beyond a bound are mirrored at it.
class DifferentialEvolution final : public Optimiser {
 public:
  explicit DifferentialEvolution(const DifferentialSpec& spec);

 private:
  void next(std::span<const double> values) override;
  Eigen::Index other(std::span<const Eigen::Index> taken);

  double weight_, crossover_;
  Eigen::MatrixXd parents_;
  Eigen::VectorXd values_;  // of the parents
};

}  // namespace hyb
