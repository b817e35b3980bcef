#include "core/coupling/uncut_structure.h"

#include "core/coupling/excitation_load.h"

namespace hyb {

UncutStructure::UncutStructure(const IntegratorSpec& integrator, const Partition& partition, double tick_s)
    : physical_(partition.physical),
      reference_(partition.reference),
      loads_(partition.reference_loads),
      physical_motion_(partition.physical_motion),
      at_(partition.interface_in_reference),
      physical_at_(partition.interface_in_physical),
      integrator_(makeIntegrator(integrator, partition.reference, tick_s)) {
  load_.setZero(reference_.size());
  x_.setZero(physical_.size());
  v_ = a_ = force_ = x_;
}

void UncutStructure::step(const ExcitationValue& excitation) noexcept {
  loadOf(excitation, reference_, loads_, load_);
  integrator_->step(load_);
}

void UncutStructure::physicalForce(Eigen::VectorXd& force_n) noexcept {
  x_.noalias() = physical_motion_ * integrator_->displacement();
  v_.noalias() = physical_motion_ * integrator_->velocity();
  a_.noalias() = physical_motion_ * integrator_->acceleration();
  force_.noalias() = physical_.k * x_;
  force_.noalias() += physical_.c * v_;
  force_.noalias() += physical_.m * a_;
  for (std::size_t i = 0; i < physical_at_.size(); ++i)
    force_n[static_cast<Eigen::Index>(i)] = -force_[physical_at_[i]];
}

}  // namespace hyb
