#include "core/transfer/transfer_system.h"

#include <algorithm>
#include <cmath>

namespace hyb {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int substeps = 20;

/// Where inside the tick the input switches; a leg's controller acts at the start of the tick only.
double switchFraction(const ActuatorParams& actuator, const TickDelay& delay) {
  return actuator.model == ActuatorModel::leg ? 0.0 : delay.fraction;
}

bool hasLimit(const ActuatorParams& actuator) {
  return std::isfinite(actuator.stroke_m) || std::isfinite(actuator.velocity_limit_m_per_s) ||
         std::isfinite(actuator.force_limit_n);
}

/// The substep in which the command switches, and where inside it.
TickDelay subSwitch(double fraction) {
  const double place = fraction * substeps;
  const auto whole = std::min(static_cast<std::size_t>(place), static_cast<std::size_t>(substeps - 1));
  return {whole, place - static_cast<double>(whole)};
}

}  // namespace

TransferSystem::TransferSystem(const Partition& partition, const TwinParams& params, double step_s)
    : step_s_(step_s), interfaces_(static_cast<Index>(partition.interface.size())), actuators_(params.actuators) {
  Checks checks;
  for (std::size_t i = 0; i < actuators_.size(); ++i) checkActuator(checks, actuators_[i], i, step_s);
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
  std::vector<ActuatorModel> models;
  std::vector<double> fractions, sub_fractions;
  for (std::size_t i = 0; i < count; ++i)
    if (actuators_[i].model == ActuatorModel::servo_hydraulic) pistons_.push_back(static_cast<Index>(i));
  for (const ActuatorParams& actuator : actuators_) {
    delays_.push_back(actuator.model == ActuatorModel::ideal ? TickDelay{} : splitDelay(actuator.delay_s, step_s));
    commands_.emplace_back(delays_.back().ticks + 1);
    models.push_back(actuator.model);
    fractions.push_back(switchFraction(actuator, delays_.back()));
    sub_fractions.push_back(subSwitch(fractions.back()).fraction);
    legs_.emplace_back();
    if (actuator.model == ActuatorModel::leg) legs_.back().emplace(actuator.leg, step_s);
    limited_ = limited_ || hasLimit(actuator);
  }
  buildSpecimen(partition, factors);
  buildPistons();
  transition_ = transition(step_s, models, fractions);
  sub_transition_ = transition(step_s / substeps, models, sub_fractions);
  held_ = transition(step_s, std::vector<ActuatorModel>(count, ActuatorModel::ideal), fractions);

  state_.resize(states_);
  inputs_.resize(2 * interfaces_);
  acceleration_.resize(interfaces_);
  force_.resize(interfaces_);
  stacked_.resize(states_ + 2 * interfaces_);
  kinematics_.resize(states_ + interfaces_);
  start_.resize(states_);
  start_force_.resize(interfaces_);
  tick_inputs_.resize(2 * interfaces_);
  reset();
}

void TransferSystem::reset() noexcept {
  for (CommandHistory& history : commands_) history.reset();
  for (auto& leg : legs_)
    if (leg) leg->setState({});
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
    const auto n = static_cast<std::size_t>(i);
    CommandHistory& history = commands_[n];
    history.push({command.position[i], command.rate[i]});
    const ActuatorParams& actuator = actuators_[n];
    const TickDelay& delay = delays_[n];
    double& first = inputs_[i];
    double& second = inputs_[interfaces_ + i];
    switch (actuator.model) {
      case ActuatorModel::servo:
      case ActuatorModel::servo_hydraulic:
      case ActuatorModel::first_order:
        first = history.at(delay.ticks + 1).position;
        second = history.at(delay.ticks).position;
        break;
      case ActuatorModel::leg: {
        const double wanted = actuator.gain * history.at(delay).position;
        first = second = legs_[n]->current(wanted, state_[i], state_[interfaces_ + i]);
        break;
      }
      case ActuatorModel::pure_delay: {
        const CommandHistory::Entry &older = history.at(delay.ticks), &newer = history.at(delay.ticks - 1);
        first = actuator.gain * (delay.fraction * older.position + (1.0 - delay.fraction) * newer.position);
        second = actuator.gain * (delay.fraction * older.rate + (1.0 - delay.fraction) * newer.rate);
        break;
      }
      case ActuatorModel::ideal:
        first = actuator.gain * command.position[i];
        second = (first - state_[i]) / step_s_;
        break;
    }
  }
}

void TransferSystem::step(const MatrixXd& transition, double step_s) noexcept {
  stacked_ << state_, inputs_;
  state_.noalias() = transition * stacked_;
  for (Index i = 0; i < interfaces_; ++i) {
    const ActuatorParams& actuator = actuators_[static_cast<std::size_t>(i)];
    const double v = state_[interfaces_ + i];
    if (actuator.model == ActuatorModel::servo) {
      const double w = angularFrequency(actuator);
      acceleration_[i] =
          w * (w * (actuator.gain * inputs_[interfaces_ + i] - state_[i]) - 2.0 * actuator.damping_ratio * v);
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
  for (std::size_t i = 0; i < commands_.size(); ++i)
    for (std::size_t back = 0; back <= delays_[i].ticks; ++back) {
      all.push_back(commands_[i].at(back).position);
      all.push_back(commands_[i].at(back).rate);
    }
  for (const auto& leg : legs_)
    if (leg) all.insert(all.end(), {leg->state().integral_a, leg->state().wanted_m});
  all.insert(all.end(), force_.begin(), force_.end());
  return Eigen::Map<const VectorXd>(all.data(), static_cast<Index>(all.size()));
}

void TransferSystem::setState(const VectorXd& state) {
  reset();
  state_ = state.head(states_);
  Index next = states_;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    const auto kept = static_cast<Index>(delays_[i].ticks) + 1;
    for (Index back = kept; back-- > 0;) commands_[i].push({state[next + 2 * back], state[next + 2 * back + 1]});
    next += 2 * kept;
  }
  for (auto& leg : legs_)
    if (leg) {
      leg->setState({state[next], state[next + 1]});
      next += 2;
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
      if (takesCommand(actuators_[n].model)) {
        const int at = static_cast<int>(subSwitch(switchFraction(actuators_[n], delays_[n])).ticks);
        inputs_[i] = tick_inputs_[sub > at ? v : i];
        inputs_[v] = tick_inputs_[sub < at ? i : v];
      } else {
        inputs_[i] = start_[i] + share * (tick_inputs_[i] - start_[i]);
        inputs_[v] = actuators_[n].model == ActuatorModel::ideal ? (inputs_[i] - state_[i]) / step_s
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
      if (x == x_free && v == v_free) continue;
      acceleration_[i] = (v - before()[interfaces_ + i]) / step_s;
      if (legs_[static_cast<std::size_t>(i)]) legs_[static_cast<std::size_t>(i)]->holdIntegral();
    }
    updateForce();
  }
}

}  // namespace hyb
