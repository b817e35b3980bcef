#include "core/transfer/transfer_system.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unsupported/Eigen/MatrixFunctions>

namespace hyb {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int substeps = 20;

double angularFrequency(const ActuatorParams& actuator) {
  return 2.0 * std::numbers::pi * actuator.natural_frequency_hz;
}

/// Takes its command as it is, held over the tick and late by its delay.
bool takesCommand(ActuatorModel model) {
  return model == ActuatorModel::servo || model == ActuatorModel::servo_hydraulic;
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

/// The specimen alone, interface held: its roots must decay, and the tick must be able to follow them.
void checkRoots(const MatrixXd& internal_map, Index interfaces, double step_s) {
  const Index j = internal_map.rows();
  if (j == 0) return;
  MatrixXd a = MatrixXd::Zero(2 * j, 2 * j);
  a.topRightCorner(j, j).setIdentity();
  a.bottomRows(j) = internal_map.middleCols(2 * interfaces, 2 * j);
  const double fastest_allowed = 200.0 * std::numbers::pi / step_s;
  double fastest = std::numeric_limits<double>::infinity(), rightmost = 0.0;
  if (a.allFinite()) {
    const Eigen::VectorXcd roots = Eigen::EigenSolver<MatrixXd>(a, false).eigenvalues();
    fastest = roots.cwiseAbs().maxCoeff();
    rightmost = roots.real().maxCoeff();
  }
  if (!(fastest <= fastest_allowed))
    throw InputError("/rig/specimen/stiffness_factor",
                     "makes the specimen's fastest root " + Checks::text(fastest, "1/s") + ", too fast for a tick of " +
                         Checks::text(step_s, "s") +
                         "; make the specimen softer or heavier, or raise /loop/rate_hz to at least " +
                         Checks::text(fastest / (200.0 * std::numbers::pi), "Hz"));
  if (!(rightmost <= 1e-7 * fastest))
    throw InputError("/rig/specimen/damping_factor",
                     "leaves the specimen unstable by itself (a root at " + Checks::text(rightmost, "1/s") +
                         " with the interface held); no physical link may have negative damping or stiffness");
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
    fractions.push_back(delays_.back().fraction);
    sub_fractions.push_back(subSwitch(delays_.back().fraction).fraction);
    limited_ = limited_ || hasLimit(actuator);
  }
  buildSpecimen(partition, factors);
  checkRoots(internal_map_, interfaces_, step_s);
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

// M a + C v + K x of the physical part is zero inside (row J) and minus the force on the NS at the interface (row I).
void TransferSystem::buildSpecimen(const Partition& partition, const SpecimenParams& factors) {
  const std::vector<Index>& i_dofs = partition.interface_in_physical;
  std::vector<Index> j_dofs;
  for (Index dof = 0; dof < partition.physical.size(); ++dof)
    if (std::find(i_dofs.begin(), i_dofs.end(), dof) == i_dofs.end()) j_dofs.push_back(dof);
  internals_ = static_cast<Index>(j_dofs.size());
  const Index motions = 2 * (interfaces_ + internals_);
  states_ = motions + 3 * static_cast<Index>(pistons_.size());
  const Index ni = interfaces_, nj = internals_;

  const MatrixXd m = MatrixXd(partition.physical.m) * factors.mass_factor;
  const MatrixXd c = MatrixXd(partition.physical.c) * factors.damping_factor;
  const MatrixXd k = MatrixXd(partition.physical.k) * factors.stiffness_factor;
  // Columns [x_I, v_I, x_J, v_J, h, a_I].
  const auto none = [&](Index rows) { return MatrixXd::Zero(rows, states_ - motions); };
  MatrixXd inside(nj, states_ + ni), at_interface(ni, states_ + ni);
  inside << k(j_dofs, i_dofs), c(j_dofs, i_dofs), k(j_dofs, j_dofs), c(j_dofs, j_dofs), none(nj), m(j_dofs, i_dofs);
  at_interface << k(i_dofs, i_dofs), c(i_dofs, i_dofs), k(i_dofs, j_dofs), c(i_dofs, j_dofs), none(ni),
      m(i_dofs, i_dofs);
  internal_map_ = MatrixXd::Zero(nj, states_ + ni);
  if (nj > 0) {
    const Eigen::LLT<MatrixXd> mass(m(j_dofs, j_dofs));
    if (mass.info() != Eigen::Success)
      throw InputError("/partition/physical", "has a degree of freedom without mass inside; give it a mass");
    internal_map_ = -mass.solve(inside);
  }
  force_map_ = -(at_interface + m(i_dofs, j_dofs) * internal_map_);
}

// Piston: m a = f + (force of the PS on the NS, here on the piston), which holds -m_PS a itself; solved for a.
void TransferSystem::buildPistons() {
  const auto count = static_cast<Index>(pistons_.size());
  piston_map_ = MatrixXd::Zero(count, states_ + interfaces_);
  if (count == 0) return;
  MatrixXd mass(count, count);
  for (Index k = 0; k < count; ++k) {
    piston_map_.row(k) = force_map_.row(pistons_[static_cast<std::size_t>(k)]);
    piston_map_(k, hydraulics(static_cast<std::size_t>(k)) + 2) += 1.0;
    for (Index l = 0; l < count; ++l)
      mass(k, l) = -force_map_(pistons_[static_cast<std::size_t>(k)], states_ + pistons_[static_cast<std::size_t>(l)]);
    mass(k, k) += actuators_[static_cast<std::size_t>(pistons_[static_cast<std::size_t>(k)])].hydraulic.piston_mass_kg;
  }
  for (const Index piston : pistons_) piston_map_.col(states_ + piston).setZero();
  const Eigen::LDLT<MatrixXd> solver(mass);
  if (!(solver.vectorD().minCoeff() > 0.0))
    throw InputError("/rig/actuators/" + std::to_string(pistons_.front()) + "/piston_mass_kg",
                     "is 0 where the specimen has no mass at the interface; give the piston a mass greater than 0");
  piston_map_ = MatrixXd(solver.solve(piston_map_));
}

// The inputs are carried along as states that stay constant: the command of a servo, or the slopes of displacement and
// velocity of a prescribed motion. A command that switches inside the tick acts over what is left of it
// (superposition).
MatrixXd TransferSystem::transition(double step_s, const std::vector<ActuatorModel>& models,
                                    const std::vector<double>& fractions) const {
  const Index ni = interfaces_, nj = internals_, ns = states_, size = ns + 2 * ni;
  MatrixXd acceleration = MatrixXd::Zero(ni, size);  // a_I
  MatrixXd a = MatrixXd::Zero(size, size);
  for (Index i = 0; i < ni; ++i) {
    if (models[static_cast<std::size_t>(i)] == ActuatorModel::servo_hydraulic) {
      a(i, ni + i) = 1.0;
    } else if (models[static_cast<std::size_t>(i)] == ActuatorModel::servo) {
      const ActuatorParams& actuator = actuators_[static_cast<std::size_t>(i)];
      const double w = angularFrequency(actuator);
      acceleration(i, i) = -w * w;
      acceleration(i, ni + i) = -2.0 * actuator.damping_ratio * w;
      acceleration(i, ns + i) = actuator.gain * w * w;
      a(i, ni + i) = 1.0;
    } else {
      acceleration(i, ns + ni + i) = 1.0;
      a(i, ns + i) = 1.0;
    }
  }
  for (std::size_t p = 0; p < pistons_.size(); ++p) {
    const Index i = pistons_[p], q = hydraulics(p);
    if (models[static_cast<std::size_t>(i)] != ActuatorModel::servo_hydraulic) continue;  // held
    const auto row = static_cast<Index>(p);
    acceleration.row(i).head(ns) = piston_map_.row(row).head(ns);
    acceleration.row(i) +=
        piston_map_.row(row).tail(ni) * acceleration;  // of the other actuators; pistons have 0 there
    const ActuatorParams& actuator = actuators_[static_cast<std::size_t>(i)];
    const HydraulicParams& h = actuator.hydraulic;
    a(q, q + 1) = 1.0;
    a(q + 1, q) = -h.b2;
    a(q + 1, q + 1) = -h.b1;
    a(q + 1, i) = -h.a1b0;
    a(q + 1, ns + i) = h.a1b0 * actuator.gain;
    a(q + 2, q) = 1.0;
    a(q + 2, q + 2) = -h.a3;
    a(q + 2, ni + i) = -h.a2;
  }
  a.middleRows(ni, ni) = acceleration;
  a.block(2 * ni, 2 * ni + nj, nj, nj).setIdentity();
  a.block(2 * ni + nj, 0, nj, ns) = internal_map_.leftCols(ns);
  a.middleRows(2 * ni + nj, nj) += internal_map_.rightCols(ni) * acceleration;

  // Time in steps and velocity per step keep the exponential well scaled.
  VectorXd scale = VectorXd::Ones(size);
  scale.segment(ni, ni).setConstant(1.0 / step_s);
  scale.segment(2 * ni + nj, nj).setConstant(1.0 / step_s);
  for (std::size_t p = 0; p < pistons_.size(); ++p) {
    const double force = actuators_[static_cast<std::size_t>(pistons_[p])].hydraulic.a1b0 * std::pow(step_s, 3);
    scale.segment(hydraulics(p), 3) << force / step_s, force / (step_s * step_s), force;
  }
  for (Index i = 0; i < ni; ++i)
    if (!takesCommand(models[static_cast<std::size_t>(i)])) {
      scale[ns + i] = 1.0 / step_s;
      scale[ns + ni + i] = 1.0 / (step_s * step_s);
    }
  const MatrixXd scaled = scale.cwiseInverse().asDiagonal() * a * scale.asDiagonal() * step_s;
  const auto exponential = [&](double share) -> MatrixXd {
    return scale.asDiagonal() * MatrixXd((scaled * share).exp()) * scale.cwiseInverse().asDiagonal();
  };

  MatrixXd start = MatrixXd::Identity(size, size);  // constant states at the start of the step, from state and inputs
  for (Index i = 0; i < ni; ++i) {
    const Index x = i, v = ni + i, first = ns + i, second = ns + ni + i;
    const ActuatorModel model = models[static_cast<std::size_t>(i)];
    if (takesCommand(model)) continue;
    start.row(first).setZero();  // slope of the displacement
    start(first, first) = 1.0 / step_s;
    start(first, x) = -1.0 / step_s;
    start.row(second).setZero();  // slope of the velocity
    if (model == ActuatorModel::pure_delay) {
      start(second, second) = 1.0 / step_s;
      start(second, v) = -1.0 / step_s;
    } else {  // a ramp: the velocity is that of the end from the start on
      start(v, v) = 0.0;
      start(v, second) = 1.0;
    }
  }
  MatrixXd result = exponential(1.0).topRows(ns) * start;
  for (Index i = 0; i < ni; ++i) {
    const Index first = ns + i, second = ns + ni + i;
    if (takesCommand(models[static_cast<std::size_t>(i)])) {
      result.col(second) = exponential(1.0 - fractions[static_cast<std::size_t>(i)]).col(first).head(ns);
      result.col(first) -= result.col(second);
    } else {  // what is prescribed, without rounding
      result.row(i).setZero();
      result(i, first) = 1.0;
      result.row(ni + i).setZero();
      result(ni + i, second) = 1.0;
    }
  }
  return result;
}

void TransferSystem::reset() noexcept {
  for (CommandHistory& history : commands_) history.reset();
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
        first = history.at(delay.ticks + 1).position;
        second = history.at(delay.ticks).position;
        break;
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
        const int at = static_cast<int>(subSwitch(delays_[n].fraction).ticks);
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
      if (x != x_free || v != v_free) acceleration_[i] = (v - before()[interfaces_ + i]) / step_s;
    }
    updateForce();
  }
}

}  // namespace hyb
