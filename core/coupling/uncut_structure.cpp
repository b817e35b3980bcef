#include "core/coupling/uncut_structure.h"

namespace hyb {

UncutStructure::UncutStructure(const IntegratorSpec& integrator, const Partition& partition, double tick_s,
                               const ExcitationValue& excitation)
    : physical_(partition.physical),
      physical_motion_(partition.physical_motion),
      at_(partition.interface_in_reference),
      physical_at_(partition.interface_in_physical),
      reference_(integrator, partition.reference, partition.reference_loads, {}, excitation, tick_s) {
  x_.setZero(physical_.size());
  v_ = a_ = force_ = x_;
}

void UncutStructure::physicalForce(Eigen::VectorXd& force_n) noexcept {
  x_.noalias() = physical_motion_ * reference_.displacement();
  v_.noalias() = physical_motion_ * reference_.velocity();
  a_.noalias() = physical_motion_ * reference_.acceleration();
  force_.noalias() = physical_.k * x_;
  force_.noalias() += physical_.c * v_;
  force_.noalias() += physical_.m * a_;
  for (std::size_t i = 0; i < physical_at_.size(); ++i)
    force_n[static_cast<Eigen::Index>(i)] = -force_[physical_at_[i]];
}

}  // namespace hyb
