#include "core/transfer/transfer_system.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace hyb {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int substeps = 20;

bool hasLimit(const ActuatorSpec& actuator) {
  return std::isfinite(actuator.stroke_m) || std::isfinite(actuator.velocity_limit_m_per_s) ||
         std::isfinite(actuator.force_limit_n);
}

/// As `block` while its axis is held: nothing of its own moves either.
ActuatorBlock heldStill(ActuatorBlock block) {
  block.drives = ActuatorBlock::Drives::ramp;
  block.own.setZero();
  return block;
}

/// The substep in which the command switches, and where inside it.
TickDelay subSwitch(double fraction) {
  const double place = fraction * substeps;
  const auto whole = std::min(static_cast<std::size_t>(place), static_cast<std::size_t>(substeps - 1));
  return {whole, place - static_cast<double>(whole)};
}

}  // namespace

TransferSystem::TransferSystem(const Partition& partition, const TwinParams& params, double step_s)
    : step_s_(step_s),
      solver_(params.solver),
      interfaces_(static_cast<Index>(partition.interface.size())),
      actuators_(params.actuators) {
  Checks checks;
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    Checks found;
    checkActuator(found, actuators_[i], step_s);
    checks.take(found, "/rig/actuators/" + std::to_string(i));
  }
  const auto count = static_cast<std::size_t>(interfaces_);
  if (actuators_.size() != 1 && actuators_.size() != count)
    checks.fault("/rig/actuators", "has " + std::to_string(actuators_.size()) + " entries for " +
                                       std::to_string(count) +
                                       " interface DOF; give one per interface DOF, or one for all");
  const SpecimenParams& factors = params.specimen;
  checks.positive("/rig/specimen/mass_factor", factors.mass_factor, "");
  checks.notNegative("/rig/specimen/damping_factor", factors.damping_factor, "");
  checks.notNegative("/rig/specimen/stiffness_factor", factors.stiffness_factor, "");
  checks.throwIfAny();

  actuators_.resize(count, actuators_.front());
  std::vector<double> switches, sub_switches;  // where inside the tick or substep the inputs switch
  for (const ActuatorSpec& actuator : actuators_) {
    drives_.push_back(actuator.model->drive(actuator.gain, actuator.delay_s, step_s));
    switches.push_back(drives_.back()->switchesAt());
    sub_switches.push_back(subSwitch(switches.back()).fraction);
    limited_ = limited_ || hasLimit(actuator);
  }
  blocks_ = blocks(step_s);
  placeStates(static_cast<Index>(partition.physical.size()) - interfaces_);
  buildSpecimen(partition, factors);
  buildPistons();
  transition_ = transition(step_s, blocks_, switches);
  sub_transition_ = transition(step_s / substeps, blocks(step_s / substeps), sub_switches);
  std::vector<ActuatorBlock> still;
  for (const ActuatorBlock& block : blocks_) still.push_back(heldStill(block));
  held_ = transition(step_s, still, switches);

  state_.resize(states_);
  inputs_.resize(2 * interfaces_);
  acceleration_.resize(interfaces_);
  force_.resize(interfaces_);
  stacked_.resize(states_ + 2 * interfaces_);
  kinematics_.resize(states_ + interfaces_);
  start_.resize(states_);
  start_force_.resize(interfaces_);
  cut_.resize(count);
  tick_inputs_.resize(2 * interfaces_);
  reset();
}

void TransferSystem::reset() noexcept {
  for (const auto& drive : drives_) drive->reset();
  state_.setZero();
  inputs_.setZero();
  acceleration_.setZero();
  force_.setZero();
}

void TransferSystem::placeAt(const VectorXd& displacement_m) noexcept {
  reset();
  state_.head(interfaces_) = displacement_m;
  updateForce();
}

void TransferSystem::takeInputs(const Command& command) noexcept {
  for (Index i = 0; i < interfaces_; ++i) {
    const TickInputs inputs = drives_[static_cast<std::size_t>(i)]->take({command.position[i], command.rate[i]},
                                                                         state_[i], state_[interfaces_ + i]);
    inputs_[i] = inputs.first;
    inputs_[interfaces_ + i] = inputs.second;
  }
}

void TransferSystem::step(const MatrixXd& transition, double step_s) noexcept {
  stacked_ << state_, inputs_;
  state_.noalias() = transition * stacked_;
  for (Index i = 0; i < interfaces_; ++i) {
    const auto n = static_cast<std::size_t>(i);
    const double v = state_[interfaces_ + i];
    if (blocks_[n].inertia_at_tick && blocks_[n].drives == ActuatorBlock::Drives::acceleration) {
      const Eigen::RowVectorXd& law = blocks_[n].law;
      acceleration_[i] = law[0] * state_[i] + law[1] * v + law[2] * inputs_[interfaces_ + i];
      for (Index h = 0; h < blocks_[n].states(); ++h) acceleration_[i] += law[3 + h] * state_[own_[n] + h];
    } else {
      acceleration_[i] = (v - stacked_[interfaces_ + i]) / step_s;
    }
  }
  if (pistons_.empty()) return;
  kinematics_ << state_, acceleration_;
  for (std::size_t p = 0; p < pistons_.size(); ++p)
    acceleration_[pistons_[p]] = piston_map_.row(static_cast<Index>(p)).dot(kinematics_);
}

void TransferSystem::updateForce() noexcept {
  kinematics_ << state_, acceleration_;
  force_.noalias() = force_map_ * kinematics_;
}

VectorXd TransferSystem::state() const {
  std::vector<double> all(state_.begin(), state_.end());
  for (const auto& drive : drives_) {
    const std::vector<double> carried = drive->state();
    all.insert(all.end(), carried.begin(), carried.end());
  }
  all.insert(all.end(), force_.begin(), force_.end());
  return Eigen::Map<const VectorXd>(all.data(), static_cast<Index>(all.size()));
}

void TransferSystem::setState(const VectorXd& state) {
  reset();
  state_ = state.head(states_);
  std::span<const double> rest(state.data() + states_, state.data() + state.size());
  for (const auto& drive : drives_) {
    const std::size_t carried = drive->state().size();
    drive->setState(rest.first(carried));
    rest = rest.subspan(carried);
  }
  force_ = state.tail(interfaces_);
}

bool TransferSystem::advance(const Command& command) noexcept {
  takeInputs(command);
  start_force_ = force_;
  step(transition_, step_s_);
  updateForce();
  if (!limited_ || withinLimits()) return true;
  state_ = before();
  force_ = start_force_;
  advanceInSubsteps();
  return false;
}

void TransferSystem::rest() noexcept {
  inputs_ << state_.head(interfaces_), VectorXd::Zero(interfaces_);
  stacked_ << state_, inputs_;
  state_.noalias() = held_ * stacked_;
  acceleration_.setZero();
  updateForce();
}

/// Largest speed in `direction` (+1, -1) under the present force. The PS pushes the actuator with its force on the NS.
double TransferSystem::capacity(Index i, double direction) const noexcept {
  return velocityCapacity(actuators_[static_cast<std::size_t>(i)], -direction * force_[i]);
}

bool TransferSystem::withinLimits() const noexcept {
  for (Index i = 0; i < interfaces_; ++i) {
    const auto tooFast = [&](double speed) { return std::abs(speed) > capacity(i, std::copysign(1.0, speed)); };
    if (std::abs(state_[i]) > actuators_[static_cast<std::size_t>(i)].stroke_m || tooFast(state_[interfaces_ + i]) ||
        tooFast((state_[i] - before()[i]) / step_s_))
      return false;
  }
  return true;
}

// Each substep is exact again; after it the motion is cut back to what the actuator can do.
void TransferSystem::advanceInSubsteps() noexcept {
  const double step_s = step_s_ / substeps;
  start_ = state_;
  tick_inputs_ = inputs_;
  for (int sub = 0; sub < substeps; ++sub) {
    const double share = static_cast<double>(sub + 1) / substeps;
    for (Index i = 0; i < interfaces_; ++i) {
      const auto n = static_cast<std::size_t>(i);
      const Index v = interfaces_ + i;
      if (!blocks_[n].prescribes()) {
        const int at = static_cast<int>(subSwitch(drives_[n]->switchesAt()).ticks);
        inputs_[i] = tick_inputs_[sub > at ? v : i];
        inputs_[v] = tick_inputs_[sub < at ? i : v];
      } else {
        inputs_[i] = start_[i] + share * (tick_inputs_[i] - start_[i]);
        inputs_[v] = blocks_[n].drives == ActuatorBlock::Drives::ramp
                         ? (inputs_[i] - state_[i]) / step_s
                         : start_[v] + share * (tick_inputs_[v] - start_[v]);
      }
    }
    step(sub_transition_, step_s);
    for (Index i = 0; i < interfaces_; ++i) {
      double &x = state_[i], &v = state_[interfaces_ + i];
      const double x_free = x, v_free = v;
      const double forward = capacity(i, 1.0), backward = capacity(i, -1.0);
      const double stroke = actuators_[static_cast<std::size_t>(i)].stroke_m;
      x = std::clamp(x, before()[i] - backward * step_s, before()[i] + forward * step_s);
      v = std::clamp(v, -backward, forward);
      if (std::abs(x) > stroke) {
        x = std::copysign(stroke, x);
        if (v * x > 0.0) v = 0.0;
      }
      cut_[static_cast<std::size_t>(i)] = x != x_free || v != v_free;
      if (!cut_[static_cast<std::size_t>(i)]) continue;
      acceleration_[i] = (v - before()[interfaces_ + i]) / step_s;
      drives_[static_cast<std::size_t>(i)]->held();
    }
    updateForce();
    for (std::size_t p = 0; p < pistons_.size(); ++p)
      if (cut_[static_cast<std::size_t>(pistons_[p])]) balance(p);
  }
}

/// A piston that goes as fast as it can, or stands at its stop, is not accelerated: the force behind it is what it
/// moves against. Left to itself, that force would wind up for as long as the limit acts.
void TransferSystem::balance(std::size_t piston) noexcept {
  const auto row = static_cast<Index>(piston);
  const auto i = static_cast<std::size_t>(pistons_[piston]);
  for (Index h = 0; h < blocks_[i].states(); ++h) {
    if (blocks_[i].law[3 + h] == 0.0) continue;
    const Index force = own_[i] + h;
    kinematics_ << state_, acceleration_;
    state_[force] -= piston_map_.row(row).dot(kinematics_) / piston_map_(row, force);
    return;
  }
}

}  // namespace hyb
