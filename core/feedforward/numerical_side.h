#pragma once
#include <optional>
#include <vector>

#include "core/coupling/coupling.h"
#include "core/coupling/uncut_structure.h"

namespace hyb {

/// A computed side that runs beside the rig, driven by the force measured in the same tick, while actuators that take
/// forces are to close the gap: what schemes of that kind share. Beside it, a copy without the measured force, whose
/// motion is the gap that the excitation alone leaves, and the uncut structure.
/// Source: A. Bartl et al., A hybrid testing method based on adaptive feed-forward filters, section 2.
class NumericalSide {
 public:
  /// partition: reduced as asked. reference: the uncut structure runs, too. excitation: says which loads there can be.
  NumericalSide(const Partition& partition, const IntegratorSpec& integrator, double step_s, bool reference,
                const ExcitationValue& excitation);
  void reset() noexcept;
  /// One tick: target, its rate and the reference of `output`; gap() and alone(). Real-time safe.
  void step(const RigState& state, const ExcitationValue& excitation, CouplingOutput& output) noexcept;
  const Eigen::VectorXd& gap() const noexcept { return gap_; }      // [i], m: measured minus computed
  const Eigen::VectorXd& alone() const noexcept { return alone_; }  // [i], m: that which the excitation alone leaves
  std::size_t interfaces() const noexcept { return interface_.size(); }
  const std::vector<Dof>& interface() const noexcept { return interface_; }
  bool hasReference() const noexcept { return uncut_.has_value(); }

  /// A motion is wanted, a force commanded.
  static std::vector<AxisSignals> axisSignals(const std::vector<Dof>& interface);
  /// alone() as columns.
  static std::vector<Channel> channels(std::size_t interfaces);

 private:
  Eigen::Index dof(std::size_t i) const noexcept { return at_[i]; }

  std::vector<Dof> interface_;
  std::vector<Eigen::Index> at_;  // [i], DOF of the computed side
  ExcitedStructure numerical_, numerical_alone_;
  std::optional<UncutStructure> uncut_;
  Eigen::VectorXd no_force_, gap_, alone_;
};

}  // namespace hyb
