#pragma once
#include "core/campaign/optimiser.h"

namespace hyb {

struct EvolutionSpec : SearchSpace {
  std::size_t candidates = 0;  // of each generation, 4 or more; 0: 4 + 3 ln n
  double step = 0.3;           // first standard deviation, as a share of the range of each number
};
/// Candidates of each generation.
std::size_t candidatesOf(const EvolutionSpec& spec);

/// Evolution strategy with covariance matrix adaptation, (mu/mu_w, lambda) with cumulative step control, rank-one and
/// rank-mu update and the usual parameters: N. Hansen, The CMA evolution strategy: a tutorial (arXiv 1604.00772, 2016),
/// table 1 and figure 6, positive weights only. Numbers are scaled to their ranges. Candidates beyond a bound are
/// mirrored at it. A generation without a value leaves the distribution as it is.
class Evolution final : public Optimiser {
 public:
  explicit Evolution(const EvolutionSpec& spec);

 private:
  void next(std::span<const double> values) override;
  void draw();
  Eigen::VectorXd scaled(Eigen::Index candidate) const;

  Eigen::VectorXd weights_;
  double chosen_;                                                // mu_eff
  double path_rate_, step_rate_, one_rate_, mu_rate_, damping_;  // c_c, c_sigma, c_1, c_mu, d_sigma
  double expected_;                                              // length of a normal vector
  Eigen::VectorXd mean_, path_, step_path_;                      // in shares of the ranges
  Eigen::MatrixXd covariance_, axes_;
  Eigen::VectorXd lengths_;  // of the axes
  double step_;
  int generation_ = 0;
};

}  // namespace hyb
