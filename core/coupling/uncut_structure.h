#pragma once
#include <Eigen/Core>
#include <vector>

#include "core/coupling/excited_structure.h"

namespace hyb {

/// Some rows of a sparse matrix, for products in a tick: each sums in the order of its columns. Real-time safe.
class SparseRows {
 public:
  SparseRows(const SparseMatrix& matrix, const std::vector<Eigen::Index>& rows);
  /// Adds row r times x to sums[r].
  void addProduct(const Eigen::VectorXd& x, Eigen::VectorXd& sums) const noexcept;

 private:
  struct Term {
    double factor;
    Eigen::Index column;
  };
  std::vector<Term> terms_;
  std::vector<std::size_t> ends_;  // [r]: its last term, exclusive
};

/// The reference structure, computed in parallel with the test under the same excitation.
class UncutStructure {
 public:
  /// excitation: defines the possible loads.
  UncutStructure(const IntegratorSpec& integrator, const Partition& partition, double tick_s,
                 const ExcitationValue& excitation = {});
  void reset() noexcept { reference_.reset(); }
  /// One step to the next tick. Real-time safe.
  void step(const ExcitationValue& excitation) noexcept { reference_.step(excitation, no_force_); }
  /// Motion of interface i, m. Real-time safe.
  double interface(std::size_t i) const noexcept { return reference_.displacement()[at_[i]]; }
  /// Motion of DOF `dof` of the reference, m or rad. Real-time safe.
  double motion(Eigen::Index dof) const noexcept { return reference_.displacement()[dof]; }
  /// Force of the PS on the NS for its motion, F = -(M a + C v + K x)_PS at the interface, [i], N. Real-time safe.
  void physicalForce(Eigen::VectorXd& force_n) noexcept;

 private:
  SparseRows motion_;             // of all DOF of the PS, from that of the structure
  SparseRows k_, c_, m_;          // of the PS at the interface
  std::vector<Eigen::Index> at_;  // [i]
  ExcitedStructure reference_;
  Eigen::VectorXd no_force_, x_, v_, a_, force_;
};

}  // namespace hyb
