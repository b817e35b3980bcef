#pragma once
#include "core/structure/link_law.h"

namespace hyb {

/// All nonlinear links of a system with their histories.
class LinkForces {
 public:
  explicit LinkForces(const SystemMatrices& system) : links_(system.nonlinear), histories_(links_.size()) {}
  bool empty() const noexcept { return links_.empty(); }
  void reset() noexcept;
  /// Moves the links to displacement x_m [n]. Once per step. Real-time safe.
  void commit(const Eigen::VectorXd& x_m) noexcept;
  /// force_n [n] += factor r, r at the last commit. Real-time safe.
  void add(double factor, Eigen::VectorXd& force_n) const noexcept;
  /// The same for a trial displacement from the last commit, which is unchanged.
  void addTrial(const Eigen::VectorXd& x_m, double factor, Eigen::VectorXd& force_n) const noexcept;

  Eigen::VectorXd state() const;  // [2 links]
  void setState(const Eigen::Ref<const Eigen::VectorXd>& state);

 private:
  std::vector<NonlinearLink> links_;
  std::vector<LinkHistory> histories_;
};

}  // namespace hyb
