#pragma once
#include <optional>
#include <vector>

#include "core/coupling/coupling.h"
#include "core/coupling/uncut_structure.h"

namespace hyb {

/// Common part of schemes with a computed side that runs beside the rig, driven by the force measured in the same tick,
/// while force-controlled actuators close the gap. Includes a copy without the measured force, whose motion is the gap
/// caused only by the excitation, and the uncut structure.
/// Source: A. Bartl et al., A hybrid testing method based on adaptive feed-forward filters, section 2.
class NumericalSide {
 public:
  /// partition: reduced as configured. reference: also runs the uncut structure. excitation: defines the possible
  /// loads.
  NumericalSide(const Partition& partition, const IntegratorSpec& integrator, double step_s, bool reference,
                const ExcitationValue& excitation);
  void reset() noexcept;
  /// One tick: target, its rate and the reference of `output`; gap() and alone(). Real-time safe.
  void step(const RigState& state, const ExcitationValue& excitation, CouplingOutput& output) noexcept;
  const Eigen::VectorXd& gap() const noexcept { return gap_; }      // [i], m: measured minus computed
  const Eigen::VectorXd& alone() const noexcept { return alone_; }  // [i], m: caused only by the excitation
  std::size_t interfaces() const noexcept { return interface_.size(); }
  const std::vector<Dof>& interface() const noexcept { return interface_; }
  const Eigen::VectorXd& displacement() const noexcept { return numerical_.displacement(); }  // of the computed side
  const UncutStructure* uncut() const noexcept { return uncut_ ? &*uncut_ : nullptr; }        // null: not computed
  bool hasReference() const noexcept { return uncut_.has_value(); }

  /// The target is a motion, the command a force.
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
