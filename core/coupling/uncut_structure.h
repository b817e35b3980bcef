#pragma once
#include <Eigen/Core>
#include <memory>

#include "core/excitation/excitation.h"
#include "core/integration/integrator.h"
#include "core/structure/partition.h"

namespace hyb {

/// The reference structure, computed beside the test under the same excitation.
class UncutStructure {
 public:
  UncutStructure(const IntegratorSpec& integrator, const Partition& partition, double tick_s);
  void reset() noexcept { integrator_->reset(); }
  /// One step to the next tick. Real-time safe.
  void step(const ExcitationValue& excitation) noexcept;
  /// Motion of interface i, m. Real-time safe.
  double interface(std::size_t i) const noexcept { return integrator_->displacement()[at_[i]]; }
  /// What the PS would do to the NS in its motion, F = -(M a + C v + K x)_PS at the interface, [i], N. Real-time safe.
  void physicalForce(Eigen::VectorXd& force_n) noexcept;

 private:
  SystemMatrices physical_, reference_;
  SparseMatrix loads_, physical_motion_;
  std::vector<Eigen::Index> at_, physical_at_;  // [i]
  std::unique_ptr<Integrator> integrator_;
  Eigen::VectorXd load_, x_, v_, a_, force_;
};

}  // namespace hyb
