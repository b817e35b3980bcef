#pragma once
#include <Eigen/Core>
#include <memory>
#include <vector>

#include "core/excitation/excitation.h"
#include "core/integration/integrator.h"
#include "core/structure/partition.h"

namespace hyb {

/// One side of a cut, or the uncut structure, integrated under the excitation and under forces at some of its DOF.
class ExcitedStructure {
 public:
  /// forces: maps forces on the uncut model to this one, [its DOF, DOF of the uncut model]. at: DOF of further forces,
  /// [f]. excitation: defines the possible loads. Throws InputError as makeIntegrator().
  ExcitedStructure(const IntegratorSpec& integrator, const SystemMatrices& system, const SparseMatrix& forces,
                   std::vector<Eigen::Index> at, const ExcitationValue& excitation, double tick_s);
  void reset() noexcept { integrator_->reset(); }
  /// One step to the next tick; force_n [f], N. Real-time safe.
  void step(const ExcitationValue& excitation, const Eigen::VectorXd& force_n) noexcept;
  const Eigen::VectorXd& displacement() const noexcept { return integrator_->displacement(); }
  const Eigen::VectorXd& velocity() const noexcept { return integrator_->velocity(); }
  const Eigen::VectorXd& acceleration() const noexcept { return integrator_->acceleration(); }

 private:
  void putLoads(const ExcitationValue& excitation, const Eigen::VectorXd& force_n) noexcept;
  void putShares(const ExcitationValue& excitation, const Eigen::VectorXd& force_n) noexcept;

  SystemMatrices system_;
  SparseMatrix forces_;
  std::vector<Eigen::Index> at_;
  std::unique_ptr<Integrator> integrator_;
  bool by_shares_ = false;  // step by shares of few load columns
  Eigen::VectorXd load_;    // [its DOF], N, or those shares: motions of the supports, then forces
};

}  // namespace hyb
