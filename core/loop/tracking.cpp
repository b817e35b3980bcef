#include "core/loop/tracking.h"

#include <algorithm>
#include <utility>

namespace hyb {
namespace {

Eigen::Index indexOf(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) - names.begin();
}

class Tracking final : public CouplingScheme {
 public:
  Tracking(const Partition& partition, Scheme scheme, double step_s, std::unique_ptr<Compensator> compensator)
      : partition_(partition),
        numerical_(makeIntegrator(scheme, partition.numerical, step_s)),
        reference_(makeIntegrator(scheme, partition.reference, step_s)),
        compensator_(std::move(compensator)) {
    const auto i = static_cast<Eigen::Index>(interfaces());
    load_numerical_.setZero(partition.numerical.m.rows());
    load_reference_.setZero(partition.reference.m.rows());
    force_.setZero(i);
    emulated_.setZero(i);
    physical_x_.setZero(partition.physical.m.rows());
    physical_v_ = physical_a_ = physical_force_ = physical_x_;
    state_.target.setZero(i);
    state_.target_rate = state_.measured = state_.target;
    for (const std::string& dof : partition.numerical.dofs)
      numerical_to_reference_.push_back(indexOf(partition.reference.dofs, dof));
    for (const std::string& dof : partition.physical.dofs)
      physical_to_reference_.push_back(indexOf(partition.reference.dofs, dof));
  }

  std::size_t interfaces() const noexcept override { return partition_.interface.size(); }

  void reset() override {
    restart();
    compensator_->reset();
  }

  void restart() noexcept override {
    numerical_->reset();
    reference_->reset();
    compensator_->restart();
  }

  void update(const RigState& state, const ExcitationValue& excitation, CouplingOutput& output) noexcept override {
    stepReference(excitation);
    if (force_source_ == ForceSource::emulated) {
      force_ = emulated_;
    } else {
      force_ = state.force;
    }
    const SystemMatrices& ns = partition_.numerical;
    load_numerical_.noalias() = ns.k_support * excitation.support_m;
    load_numerical_.noalias() += ns.c_support * excitation.support_mps;
    for (std::size_t d = 0; d < numerical_to_reference_.size(); ++d)
      load_numerical_[static_cast<Eigen::Index>(d)] += excitation.force_n[numerical_to_reference_[d]];
    for (std::size_t i = 0; i < interfaces(); ++i)
      load_numerical_[partition_.interface_in_numerical[i]] += force_[static_cast<Eigen::Index>(i)];
    numerical_->step(load_numerical_);

    for (std::size_t i = 0; i < interfaces(); ++i) {
      const auto e = static_cast<Eigen::Index>(i);
      state_.target[e] = numerical_->displacement()[partition_.interface_in_numerical[i]];
      state_.target_rate[e] = numerical_->velocity()[partition_.interface_in_numerical[i]];
      output.reference[e] = reference_->displacement()[partition_.interface_in_reference[i]];
    }
    state_.measured = state.measured;
    compensator_->update(state_, output.command);
    output.target = state_.target;
    output.target_rate = state_.target_rate;
  }

  bool hasReference() const noexcept override { return true; }
  bool setForceSource(ForceSource source) noexcept override {
    force_source_ = source;
    return true;
  }
  std::vector<Tunable> tunables() const override { return compensator_->tunables(); }
  void tune(std::size_t index, double value) noexcept override { compensator_->tune(index, value); }
  std::vector<Adapted> adapted() const override { return compensator_->adapted(); }
  void readAdapted(std::span<double> values) const noexcept override { compensator_->readAdapted(values); }

 private:
  void stepReference(const ExcitationValue& excitation) noexcept {
    const SystemMatrices& whole = partition_.reference;
    load_reference_.noalias() = whole.k_support * excitation.support_m;
    load_reference_.noalias() += whole.c_support * excitation.support_mps;
    load_reference_ += excitation.force_n;
    reference_->step(load_reference_);
    if (force_source_ != ForceSource::emulated) return;
    for (std::size_t d = 0; d < physical_to_reference_.size(); ++d) {
      const auto p = static_cast<Eigen::Index>(d);
      physical_x_[p] = reference_->displacement()[physical_to_reference_[d]];
      physical_v_[p] = reference_->velocity()[physical_to_reference_[d]];
      physical_a_[p] = reference_->acceleration()[physical_to_reference_[d]];
    }
    const SystemMatrices& ps = partition_.physical;
    physical_force_.noalias() = ps.k * physical_x_;
    physical_force_.noalias() += ps.c * physical_v_;
    physical_force_.noalias() += ps.m * physical_a_;
    for (std::size_t i = 0; i < interfaces(); ++i)
      emulated_[static_cast<Eigen::Index>(i)] = -physical_force_[partition_.interface_in_physical[i]];
  }

  Partition partition_;
  std::unique_ptr<Integrator> numerical_, reference_;
  std::unique_ptr<Compensator> compensator_;
  ForceSource force_source_ = ForceSource::measured;
  std::vector<Eigen::Index> numerical_to_reference_, physical_to_reference_;
  Eigen::VectorXd load_numerical_, load_reference_, force_, emulated_;
  Eigen::VectorXd physical_x_, physical_v_, physical_a_, physical_force_;
  InterfaceState state_;
};

}  // namespace

std::unique_ptr<CouplingScheme> makeTracking(const Partition& partition, Scheme scheme, double step_s,
                                             std::unique_ptr<Compensator> compensator) {
  return std::make_unique<Tracking>(partition, scheme, step_s, std::move(compensator));
}

}  // namespace hyb
