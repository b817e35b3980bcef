#include "core/feedforward/numerical_side.h"

#include <string>

namespace hyb {

NumericalSide::NumericalSide(const Partition& partition, const IntegratorSpec& integrator, double step_s,
                             bool reference, const ExcitationValue& excitation)
    : interface_(partition.interface),
      at_(partition.interface_in_numerical),
      numerical_(integrator, partition.numerical, partition.numerical_loads, at_, excitation, step_s),
      numerical_alone_(integrator, partition.numerical, partition.numerical_loads, {}, excitation, step_s) {
  if (reference) uncut_.emplace(integrator, partition, step_s, excitation);
  gap_.setZero(static_cast<Eigen::Index>(partition.interface.size()));
  alone_ = gap_;
}

void NumericalSide::reset() noexcept {
  numerical_.reset();
  numerical_alone_.reset();
  if (uncut_) uncut_->reset();
}

void NumericalSide::step(const RigState& state, const ExcitationValue& excitation, CouplingOutput& output) noexcept {
  numerical_alone_.step(excitation, no_force_);
  numerical_.step(excitation, state.force);
  for (std::size_t i = 0; i < interfaces(); ++i) {
    const auto e = static_cast<Eigen::Index>(i);
    output.target[e] = numerical_.displacement()[dof(i)];
    output.target_rate[e] = numerical_.velocity()[dof(i)];
    alone_[e] = -numerical_alone_.displacement()[dof(i)];
  }
  gap_ = state.measured - output.target;
  if (!uncut_) return;
  uncut_->step(excitation);
  for (std::size_t i = 0; i < interfaces(); ++i) output.reference[static_cast<Eigen::Index>(i)] = uncut_->interface(i);
}

std::vector<AxisSignals> NumericalSide::axisSignals(const std::vector<Dof>& interface) {
  std::vector<AxisSignals> signals = motionSignals(interface);
  for (AxisSignals& axis : signals) axis.command = axis.force();
  return signals;
}

std::vector<Channel> NumericalSide::channels(std::size_t interfaces) {
  std::vector<Channel> channels;
  for (std::size_t i = 1; i <= interfaces; ++i)
    channels.push_back(
        {"alone_" + std::to_string(i), "m",
         "gap caused only by the excitation: minus the motion of the computed side without the measured force",
         static_cast<int>(i)});
  return channels;
}

}  // namespace hyb
