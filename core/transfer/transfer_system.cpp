#include "core/transfer/transfer_system.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/linalg/product.h"
#include "core/transfer/command_response.h"
#include "core/transfer/compliance_spring.h"

namespace hyb {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

bool hasLimit(const ActuatorSpec& actuator) {
  return std::isfinite(actuator.stroke_m) || std::isfinite(actuator.velocity_limit_m_per_s) ||
         std::isfinite(actuator.force_limit_n);
}

/// `block` with its axis held: its own states do not change either.
ActuatorBlock heldStill(ActuatorBlock block) {
  block.drives = ActuatorBlock::Drives::ramp;
  block.own.setZero();
  return block;
}

/// The substep in which the command switches, and the position inside it.
TickDelay subSwitch(double fraction, int substeps) {
  const double place = fraction * substeps;
  const auto whole = std::min(static_cast<std::size_t>(place), static_cast<std::size_t>(substeps - 1));
  return {whole, place - static_cast<double>(whole)};
}

}  // namespace

TransferSystem::TransferSystem(const Partition& cut, const TwinParams& given, double step_s)
    : step_s_(step_s),
      solver_(given.solver),
      interfaces_(static_cast<Index>(cut.interface.size())),
      actuators_(given.actuators) {
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
  const SpecimenParams& factors = given.specimen;
  checks.positive("/rig/specimen/mass_factor", factors.mass_factor, "");
  checks.notNegative("/rig/specimen/damping_factor", factors.damping_factor, "");
  checks.notNegative("/rig/specimen/stiffness_factor", factors.stiffness_factor, "");
  checks.throwIfAny();

  actuators_.resize(count, actuators_.front());
  std::vector<double> switches, sub_switches;  // position inside the tick or substep at which the inputs switch
  for (const ActuatorSpec& actuator : actuators_) {
    drives_.push_back(actuator.model->drive(actuator.gain, actuator.delay_s, step_s));
    switches.push_back(drives_.back()->switchesAt());
    limited_ = limited_ || hasLimit(actuator);
    controls_ = controls_ || drives_.back()->controls();
  }
  blocks_ = blocks(step_s);
  TwinParams params = given;
  Partition partition = cut;
  if (hasSprings(given)) {  // the factors apply to the specimen, not to the parts before it
    partition = behindSprings(withSpecimen(cut, factors), given);
    params.specimen = {};
  }
  placeStates(static_cast<Index>(partition.physical.size()) - interfaces_);
  placeSpecimen(cut, partition);
  buildSpecimen(partition, params.specimen);
  addFixture(params.fixture);
  placeLaws(partition, params);
  placeMoments(partition, params);
  buildPistons();
  requireTimeForLaws(step_s);
  for (const double at : switches) sub_switches.push_back(subSwitch(at, substeps_).fraction);
  const double sub_step_s = step_s / substeps_;
  transition_ = transition(step_s, blocks_, switches);
  sub_transition_ = transition(sub_step_s, blocks(sub_step_s), sub_switches);
  std::vector<ActuatorBlock> still;
  for (const ActuatorBlock& block : blocks_) still.push_back(heldStill(block));
  held_ = transition(step_s, still, switches);
  if (yields_inside_) sub_held_ = transition(sub_step_s, still, sub_switches);
  if (params.fixture.load_cell_beneath && load_map_.size() > 0) force_map_ = load_map_;

  state_.resize(states_);
  inputs_.resize(2 * interfaces_);
  acceleration_.resize(interfaces_);
  force_.resize(interfaces_);
  before_.resize(states_);
  first_acceleration_.resize(interfaces_);
  start_.resize(states_);
  start_force_.resize(interfaces_);
  load_.resize(interfaces_);
  moments_.resize(moment_map_.rows());
  first_moments_.resize(moment_map_.rows());
  mean_inputs_.resize(2 * interfaces_);
  start_load_.resize(interfaces_);
  cut_.resize(count);
  tick_inputs_.resize(2 * interfaces_);
  disturbance_.resize(noise_map_.cols());
  reset();
  if (laws_.empty() && moments_.size() == 0 && disturbance_.size() == 0 && !controls_) foresee();
}

/// If only state and inputs matter, a whole tick is linear in them: computes the result for a unit of each.
void TransferSystem::foresee() {
  const Index inputs = inputs_.size();
  const Index rows = states_ + 2 * interfaces_ + load_map_.rows();
  outcome_map_.setZero(rows + rows % 2, states_ + inputs);  // in pairs: a single row is slower
  outcome_.resize(outcome_map_.rows());
  for (Index k = 0; k < outcome_map_.cols(); ++k) {
    reset();
    (k < states_ ? state_[k] : inputs_[k - states_]) = 1.0;
    step(transition_, step_s_, Laws::idle);
    updateForce();
    outcome_map_.col(k).head(rows) << state_, acceleration_, force_, load_.head(load_map_.rows());
  }
  reset();
}

/// step() and updateForce() over a tick, in one product.
void TransferSystem::stepAtOnce() noexcept {
  before_.swap(state_);
  linalg::multiplyStacked(outcome_map_, outcome_, before_, inputs_);
  const double* from = outcome_.data();
  for (double *to = state_.data(), *const end = to + states_; to != end; ++to) *to = *from++;
  const Index loads = load_map_.rows();
  for (Index i = 0; i < interfaces_; ++i) {
    acceleration_[i] = from[i];
    force_[i] = from[interfaces_ + i];
    if (loads > 0) load_[i] = from[2 * interfaces_ + i];
  }
}

void TransferSystem::reset() noexcept {
  for (const auto& drive : drives_) drive->reset();
  state_.setZero();
  inputs_.setZero();
  acceleration_.setZero();
  force_.setZero();
  load_.setZero();
  moments_.setZero();
  first_moments_.setZero();
  disturbance_.setZero();
  resting_ = true;
  if (laws_.empty()) return;
  laws_.place(state_);  // a table may have a force at rest
  updateForce();
}

void TransferSystem::placeAt(const VectorXd& displacement_m) noexcept {
  reset();
  state_.head(interfaces_) = displacement_m;
  if (!laws_.empty()) laws_.place(state_);
  updateForce();
}

bool TransferSystem::takesRates() const noexcept {
  return std::ranges::any_of(drives_, [](const auto& drive) { return drive->takesRate(); });
}

void TransferSystem::takeInputs(const Command& command) noexcept {
  for (Index i = 0; i < interfaces_; ++i) {
    const TickInputs inputs = drives_[static_cast<std::size_t>(i)]->take({command.position[i], command.rate[i]},
                                                                         state_[i], state_[interfaces_ + i]);
    inputs_[i] = inputs.first;
    inputs_[interfaces_ + i] = inputs.second;
  }
}

void TransferSystem::step(const Transition& transition, double step_s, Laws laws) noexcept {
  before_.swap(state_);
  linalg::multiplyStacked(transition.from, state_, before_, inputs_);
  if (disturbance_.size() > 0) linalg::addProduct(transition.noise, disturbance_, state_);
  if (laws == Laws::resist) {
    if (smooth_)
      laws_.resistAtOnce(transition.yielding, step_s, state_);
    else
      laws_.resist(transition.yielding, step_s, state_);
  }
  for (Index i = 0; i < interfaces_; ++i) {
    const auto n = static_cast<std::size_t>(i);
    const double v = state_[interfaces_ + i];
    if (blocks_[n].drives == ActuatorBlock::Drives::force) continue;
    if (blocks_[n].inertia_at_tick && blocks_[n].drives == ActuatorBlock::Drives::acceleration) {
      const Eigen::RowVectorXd& law = blocks_[n].law;
      acceleration_[i] = law[0] * state_[i] + law[1] * v + law[2] * inputs_[interfaces_ + i];
      for (Index h = 0; h < blocks_[n].states(); ++h) acceleration_[i] += law[3 + h] * state_[own_[n] + h];
    } else {
      acceleration_[i] = (v - before_[interfaces_ + i]) / step_s;
    }
  }
  if (!laws_.empty()) laws_.attempt(state_);
  for (std::size_t p = 0; p < pistons_.size(); ++p)
    acceleration_[pistons_[p]] = pistonAcceleration(p, acceleration_, inputs_);
}

/// Acceleration from the state, the accelerations of the other actuators, the forces of laws, the disturbances, and the
/// inputs: the second half of `inputs`.
double TransferSystem::pistonAcceleration(std::size_t piston, const VectorXd& accelerations,
                                          const VectorXd& inputs) const noexcept {
  const auto row = static_cast<Index>(piston);
  double a = linalg::rowTimes(piston_map_, row, state_, accelerations);
  if (!laws_.empty()) a += linalg::rowTimes(law_pistons_, row, laws_.force());
  if (disturbance_.size() > 0) a += linalg::rowTimes(noise_map_, row, disturbance_);
  for (Index k = 0; k < piston_input_.cols(); ++k)
    a += piston_input_(row, k) * inputs[interfaces_ + pistons_[static_cast<std::size_t>(k)]];
  return a;
}

/// Values of the moments after the change of the commands. The mean of an input that switches inside the tick is used.
void TransferSystem::beginMoments() noexcept {
  for (Index i = 0; i < interfaces_; ++i) {
    const double at = drives_[static_cast<std::size_t>(i)]->switchesAt();
    mean_inputs_[interfaces_ + i] = at * inputs_[i] + (1.0 - at) * inputs_[interfaces_ + i];
  }
  first_acceleration_ = acceleration_;
  for (std::size_t p = 0; p < pistons_.size(); ++p)
    first_acceleration_[pistons_[p]] = pistonAcceleration(p, first_acceleration_, mean_inputs_);
  linalg::multiplyStacked(moment_map_, first_moments_, state_, first_acceleration_);
  if (!laws_.empty()) linalg::addProduct(law_moments_, laws_.force(), first_moments_);
}

void TransferSystem::updateForce() noexcept {
  linalg::multiplyStacked(force_map_, force_, state_, acceleration_);
  if (!laws_.empty()) linalg::addProduct(law_force_, laws_.force(), force_);
  if (moments_.size() > 0) {
    linalg::multiplyStacked(moment_map_, moments_, state_, acceleration_);
    if (!laws_.empty()) linalg::addProduct(law_moments_, laws_.force(), moments_);
  }
  if (load_map_.size() == 0) return;
  linalg::multiplyStacked(load_map_, load_, state_, acceleration_);
  if (!laws_.empty()) linalg::addProduct(law_force_, laws_.force(), load_);
}

VectorXd TransferSystem::state() const {
  std::vector<double> all(state_.begin(), state_.end());
  for (const auto& drive : drives_) {
    const std::vector<double> carried = drive->state();
    all.insert(all.end(), carried.begin(), carried.end());
  }
  const std::vector<double> histories = laws_.state();
  all.insert(all.end(), histories.begin(), histories.end());
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
  laws_.setState(rest.first(laws_.states()));
  force_ = state.tail(interfaces_);
}

[[gnu::hot]] bool TransferSystem::advance(const Command& command) noexcept {
  takeInputs(command);
  resting_ = false;
  if (moments_.size() > 0) beginMoments();
  bool by_parts = controls_;
  if (smooth_ && !by_parts) {
    step(transition_, step_s_, Laws::resist);
    updateForce();
    laws_.commit();
    return true;
  }
  if (!by_parts) {
    if (yields_ || limited_) {
      linalg::copyFew(force_, start_force_);
      linalg::copyFew(load_, start_load_);
    }
    if (outcome_map_.rows() > 0)
      stepAtOnce();
    else
      step(transition_, step_s_, Laws::idle);
    by_parts = yields_ && !laws_.idle(before_, state_, step_s_);
    if (!by_parts) {
      if (outcome_map_.rows() == 0) updateForce();
      if (!limited_ || withinLimits()) {
        laws_.commit();
        return true;
      }
    }
    state_ = before_;
    force_ = start_force_;
    load_ = start_load_;
  }
  const bool cut = advanceInSubsteps();
  if (by_parts && !cut) meanAccelerations();
  const bool cut_off = std::any_of(drives_.begin(), drives_.end(), [](const auto& drive) { return drive->cutOff(); });
  return by_parts && !cut && !cut_off;
}

double TransferSystem::signal(std::size_t i, const ActuatorSignal& signal) const noexcept {
  if (resting_) return 0.0;
  return signal.source == ActuatorSignal::kInput ? inputs_[interfaces_ + static_cast<Index>(i)]
                                                 : state_[own_[i] + signal.source];
}

void TransferSystem::rest() noexcept {
  resting_ = true;
  first_moments_ = moments_;
  inputs_ << state_.head(interfaces_), VectorXd::Zero(interfaces_);
  acceleration_.setZero();
  const Transition& held = yields_inside_ ? sub_held_ : held_;
  for (int sub = 0; sub < (yields_inside_ ? substeps_ : 1); ++sub) {
    before_.swap(state_);
    linalg::multiplyStacked(held.from, state_, before_, inputs_);
    if (laws_.empty()) continue;
    if (yields_inside_) laws_.resist(held.yielding, step_s_ / substeps_, state_);
    laws_.attempt(state_);
    laws_.commit();
  }
  updateForce();
}

/// Largest speed in `direction` (+1, -1) with the present force. The force of the PS on the NS acts on the actuator.
double TransferSystem::capacity(Index i, double direction) const noexcept {
  return velocityCapacity(actuators_[static_cast<std::size_t>(i)],
                          -direction * (load_map_.size() == 0 ? force_[i] : load_[i]));
}

bool TransferSystem::withinLimits() const noexcept {
  for (Index i = 0; i < interfaces_; ++i) {
    if (std::abs(state_[i]) > actuators_[static_cast<std::size_t>(i)].stroke_m) return false;
    const double now = state_[interfaces_ + i], mean = (state_[i] - before_[i]) / step_s_;
    const double direction = std::copysign(1.0, now), reaches = capacity(i, direction);
    if (std::abs(now) > reaches) return false;
    if (std::abs(mean) > (std::copysign(1.0, mean) == direction ? reaches : capacity(i, -direction))) return false;
  }
  return true;
}

/// Inputs over a part of the tick.
void TransferSystem::putIn(int sub, double step_s) noexcept {
  const double share = static_cast<double>(sub + 1) / substeps_;
  for (Index i = 0; i < interfaces_; ++i) {
    const auto n = static_cast<std::size_t>(i);
    const Index v = interfaces_ + i;
    if (blocks_[n].prescribes()) {
      inputs_[i] = start_[i] + share * (tick_inputs_[i] - start_[i]);
      inputs_[v] = blocks_[n].drives == ActuatorBlock::Drives::ramp ? (inputs_[i] - state_[i]) / step_s
                                                                    : start_[v] + share * (tick_inputs_[v] - start_[v]);
      continue;
    }
    const TickDelay at = subSwitch(drives_[n]->switchesAt(), substeps_);
    const auto in = static_cast<std::size_t>(sub);
    if (drives_[n]->controls()) {  // uses the command of the start of the part
      const bool switched = in > at.ticks || (in == at.ticks && at.fraction < 1e-9);
      inputs_[i] = inputs_[v] = drives_[n]->control(tick_inputs_[switched ? v : i], state_[i], state_[v], step_s);
    } else {
      inputs_[i] = tick_inputs_[in > at.ticks ? v : i];
      inputs_[v] = tick_inputs_[in < at.ticks ? i : v];
    }
  }
}

// Each substep is exact except for laws; after it the motion is limited to the capacity of the actuator. True: it was
// limited.
bool TransferSystem::advanceInSubsteps() noexcept {
  const double step_s = step_s_ / substeps_;
  bool any_cut = false;
  start_ = state_;
  tick_inputs_ = inputs_;
  for (int sub = 0; sub < substeps_; ++sub) {
    putIn(sub, step_s);
    step(sub_transition_, step_s, yields_ ? Laws::resist : Laws::idle);
    bool cut = false;
    for (Index i = 0; i < interfaces_; ++i) {
      double &x = state_[i], &v = state_[interfaces_ + i];
      const double x_free = x, v_free = v;
      const double forward = capacity(i, 1.0), backward = capacity(i, -1.0);
      const double stroke = actuators_[static_cast<std::size_t>(i)].stroke_m;
      x = std::clamp(x, before_[i] - backward * step_s, before_[i] + forward * step_s);
      v = std::clamp(v, -backward, forward);
      if (std::abs(x) > stroke) {
        x = std::copysign(stroke, x);
        if (v * x > 0.0) v = 0.0;
      }
      cut_[static_cast<std::size_t>(i)] = x != x_free || v != v_free;
      if (!cut_[static_cast<std::size_t>(i)]) continue;
      cut = true;
      acceleration_[i] = (v - before_[interfaces_ + i]) / step_s;
      drives_[static_cast<std::size_t>(i)]->held();
    }
    if (cut && !laws_.empty()) laws_.attempt(state_);
    updateForce();
    for (std::size_t p = 0; p < pistons_.size(); ++p)
      if (const auto piston = static_cast<std::size_t>(pistons_[p]); cut_[piston] && blocks_[piston].winds_up)
        balance(p);
    laws_.commit();
    any_cut = any_cut || cut;
  }
  return any_cut;
}

/// If an acceleration is the mean over the tick, this also applies to a tick in parts.
void TransferSystem::meanAccelerations() noexcept {
  bool any = false;
  for (Index i = 0; i < interfaces_; ++i) {
    const ActuatorBlock& block = blocks_[static_cast<std::size_t>(i)];
    if (block.drives == ActuatorBlock::Drives::force ||
        (block.inertia_at_tick && block.drives == ActuatorBlock::Drives::acceleration))
      continue;
    acceleration_[i] = (state_[interfaces_ + i] - start_[interfaces_ + i]) / step_s_;
    any = true;
  }
  if (any) updateForce();
}

/// A piston at its largest speed, or at its stop, is not accelerated: its drive force equals the opposing force.
/// Without this correction the drive force would wind up while the limit acts.
void TransferSystem::balance(std::size_t piston) noexcept {
  const auto row = static_cast<Index>(piston);
  const auto i = static_cast<std::size_t>(pistons_[piston]);
  for (Index h = 0; h < blocks_[i].states(); ++h) {
    if (blocks_[i].law[3 + h] == 0.0) continue;
    const Index force = own_[i] + h;
    state_[force] -= pistonAcceleration(piston, acceleration_, inputs_) / piston_map_(row, force);
    return;
  }
}

}  // namespace hyb
