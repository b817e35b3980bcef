#include "core/stability/characteristic.h"

#include <algorithm>
#include <cmath>

#include "core/base/checks.h"
#include "core/linalg/dense.h"
#include "core/linalg/svd.h"

namespace hyb {

using Complex = std::complex<double>;

namespace {

constexpr double kMostPeriods = 1000.0;  // of the cut-off, largest delay

/// Longest term of an actuator besides its delay, s.
double reachOf(const DelaySystem& system, std::size_t i) noexcept {
  return system.actuators.empty() ? 0.0 : tapReach(system.actuators[i], system.feedbackAt(i));
}

double longestReach(const DelaySystem& system) noexcept {
  double reach_s = 0.0;
  for (std::size_t i = 0; i < system.partition.interface.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    reach_s = std::max(reach_s, reachOf(system, i) + (k < system.base_delay_s.size() ? system.base_delay_s[k] : 0.0));
  }
  return reach_s;
}

void checkRange(double delay_s, double cutoff_hz, double reach_s, Checks& checks) {
  if (!(std::isfinite(cutoff_hz) && cutoff_hz > 0.0))
    checks.fault("--cutoff", "must be a finite frequency greater than 0 Hz");
  if (!(std::isfinite(delay_s) && delay_s >= 0.0)) checks.fault("--delay", "must be a finite time of at least 0 s");
  constexpr double rounding = 1e-12;  // of a delay computed from the limit
  if (delay_s + reach_s > longestDelay(cutoff_hz) * (1.0 + rounding))
    checks.fault("--delay", "spans more than 1000 periods of the cut-off; choose a shorter delay or a lower cut-off");
}

}  // namespace

double longestDelay(double cutoff_hz) noexcept { return kMostPeriods / cutoff_hz; }

double longestExtraDelay(const DelaySystem& system, double cutoff_hz) noexcept {
  return std::max(0.0, longestDelay(cutoff_hz) - longestReach(system));
}

void requireSoundRange(double delay_s, double cutoff_hz) {
  Checks checks;
  checkRange(delay_s, cutoff_hz, 0.0, checks);
  checks.throwIfAny();
}

void requireSound(const DelaySystem& system, double delay_s, double cutoff_hz) {
  Checks checks;
  const auto require = [&](bool good, const char* where, const char* message) {
    if (!good) checks.fault(where, message);
  };
  const std::size_t count = system.partition.interface.size();
  require(count > 0, "/partition", "has no interface; select the part on the rig");
  require(system.actuators.empty() || system.actuators.size() == count, "/rig/actuators",
          "must have one actuator per interface degree of freedom");
  require(system.base_delay_s.size() == 0 || system.base_delay_s.size() == static_cast<Eigen::Index>(count),
          "/rig/actuators", "must have one delay per interface degree of freedom");
  require(system.base_delay_s.allFinite() && (system.base_delay_s.array() >= 0.0).all(), "/rig/actuators",
          "must have finite delays of at least 0 s");
  if (system.springs)
    for (const Eigen::VectorXd* springs : {&system.springs->nominal, &system.springs->actual})
      require(
          springs->size() == static_cast<Eigen::Index>(count) && springs->allFinite() && (springs->array() > 0.0).all(),
          "/rig/actuators", "must have a spring above 0 N/m for each interface degree of freedom");
  if (checks.ok()) checkRange(delay_s, cutoff_hz, longestReach(system), checks);
  for (const ActuatorTransfer& actuator : system.actuators) {
    bool good = !actuator.numerator.empty() && !actuator.denominator.empty() && actuator.denominator.back() != 0.0;
    for (const std::vector<double>* list : {&actuator.numerator, &actuator.denominator, &actuator.load, &actuator.taps})
      for (const double coefficient : *list) good = good && std::isfinite(coefficient);
    for (const ActuatorTransfer::Cross& cross : actuator.cross) {
      good = good && cross.axis < count;
      for (const double coefficient : cross.numerator) good = good && std::isfinite(coefficient);
    }
    require(good, "/rig/actuators", "must have finite transfer functions whose denominator's highest term is not 0");
  }
  const bool crossed =
      std::ranges::any_of(system.actuators, [](const ActuatorTransfer& a) { return !a.cross.empty(); });
  const bool yields = std::ranges::any_of(system.actuators, [](const ActuatorTransfer& a) { return !a.load.empty(); });
  const bool returns =
      std::ranges::any_of(system.feedback, [](const CommandFeedback& f) { return !f.measured.empty(); });
  require(!crossed || !returns, "/compensation",
          "uses the measured motion directly in the command, which the analysis does not support for cross-coupled "
          "actuators; a test is still possible");
  require(!crossed || (!yields && !system.springs), "/rig/actuators",
          "are cross-coupled and also react to the specimen or a spring, which the analysis does not support");
  if (system.commands) {
    const CommandSystem& of = *system.commands;
    require(of.d.rows() == static_cast<Eigen::Index>(count) && !system.actuators.empty() && of.a.allFinite() &&
                of.b.allFinite() && of.c.allFinite() && of.d.allFinite(),
            "/compensation", "must have finite gains for all interface degrees of freedom");
    require(!system.springs && !returns, "/compensation",
            "depends on several targets at once, which the analysis does not support behind springs; a test is still "
            "possible");
  }
  for (const CommandFeedback& feedback : system.feedback)
    for (const std::vector<double>* list : {&feedback.measured, &feedback.command})
      require(std::all_of(list->begin(), list->end(), [](double value) { return std::isfinite(value); }),
              "/compensation", "must have finite gains");
  checks.throwIfAny();
}

Characteristic::Characteristic(const DelaySystem& system, double delay_s)
    : sides_(sidesOf(system)),
      actuators_(system.actuators),
      feedback_(system.feedback),
      springs_(system.springs),
      commands_(system.commands) {
  const std::size_t count = system.partition.interface.size();
  if (actuators_.empty()) actuators_.resize(count);
  feedback_.resize(count);
  delay_s_ = late_ = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(count));
  if (system.late)
    late_[*system.late] = 1.0;
  else
    late_.setOnes();
  delay_s_ = delay_s * late_;
  if (system.base_delay_s.size() > 0) delay_s_ += system.base_delay_s;
  reach_s_ = delay_s_;
  for (std::size_t i = 0; i < count; ++i) {
    reach_s_[static_cast<Eigen::Index>(i)] += reachOf(system, i);
    coupled_ = coupled_ || (!springs_ && !actuators_[i].load.empty());
  }
}

Characteristic::LateTerms Characteristic::lateTerms(Eigen::Index i, Complex s) const {
  const TransferTerms all = terms(actuators_[static_cast<std::size_t>(i)], feedback_[static_cast<std::size_t>(i)], s);
  const Complex lag = std::exp(-s * delay_s_[i]);
  const auto late = [&](const PolynomialValue& p) -> PolynomialValue {
    return {p.value * lag, (p.derivative - delay_s_[i] * p.value) * lag};
  };
  const PolynomialValue returned = late(all.returned);
  return {late(all.driven),
          {all.held.value + returned.value, all.held.derivative + returned.derivative},
          all.yielding,
          returned.value};
}

Characteristic::Loop Characteristic::loop(Complex s) const {
  const CondensedSide::Value ns = sides_->numerical.withDerivative(s), ps = sides_->physical.withDerivative(s);
  const Eigen::Index count = delay_s_.size(), size = commands_  ? 2 * count + commands_->a.rows()
                                                     : coupled_ ? 2 * count
                                                                : count;
  Loop loop{Eigen::MatrixXcd::Zero(size, size), Eigen::MatrixXcd::Zero(size, size), Eigen::MatrixXcd::Zero(size, size),
            ns.inner_direction * ps.inner_direction, ns.inner_slope + ps.inner_slope};
  if (springs_) {
    behindSprings(ns, ps, s, loop);
    return loop;
  }
  if (commands_) {
    behindCommands(ns, ps, s, loop);
    return loop;
  }
  if (coupled_) {
    loop.value.topLeftCorner(count, count) = ns.stiffness;
    loop.value.topRightCorner(count, count) = ps.stiffness;
    loop.derivative.topLeftCorner(count, count) = ns.derivative;
    loop.derivative.topRightCorner(count, count) = ps.derivative;
  }
  for (Eigen::Index i = 0; i < count; ++i) {
    const LateTerms term = lateTerms(i, s);
    const PolynomialValue& d = term.kept;
    const PolynomialValue& l = term.yielding;
    const Complex e = term.driven.value, e_slope = term.driven.derivative;
    if (coupled_) {
      loop.value(count + i, i) = e;
      loop.derivative(count + i, i) = e_slope;
      loop.by_delay(count + i, i) = -late_[i] * s * e;
      loop.value.row(count + i).tail(count) = -l.value * ps.stiffness.row(i);
      loop.derivative.row(count + i).tail(count) = -l.value * ps.derivative.row(i) - l.derivative * ps.stiffness.row(i);
      loop.value(count + i, count + i) -= d.value;
      loop.derivative(count + i, count + i) -= d.derivative;
      loop.by_delay(count + i, count + i) = late_[i] * s * term.returned;
    } else {
      loop.value.col(i) = ns.stiffness.col(i) * d.value + ps.stiffness.col(i) * e;
      loop.derivative.col(i) = ns.derivative.col(i) * d.value + ns.stiffness.col(i) * d.derivative +
                               ps.derivative.col(i) * e + ps.stiffness.col(i) * e_slope;
      loop.by_delay.col(i) = -late_[i] * s * (e * ps.stiffness.col(i) + term.returned * ns.stiffness.col(i));
      addCross(i, i, ps, s, loop);
    }
  }
  if (coupled_) loop.scaleRows();  // forces and motions are mixed only if an actuator yields to the specimen
  return loop;
}

void Characteristic::Loop::scaleRows() {
  for (Eigen::Index row = 0; row < value.rows(); ++row) {
    const double largest = value.row(row).cwiseAbs().maxCoeff();
    if (!(largest > 0.0 && std::isfinite(largest))) continue;
    for (Eigen::MatrixXcd* matrix : {&value, &derivative, &by_delay}) matrix->row(row) /= largest;
  }
}

/// Unknowns: targets z, w of the actuators or their motions, states q of the compensator.
void Characteristic::behindCommands(const CondensedSide::Value& ns, const CondensedSide::Value& ps, Complex s,
                                    Loop& loop) const {
  const Eigen::Index count = delay_s_.size(), states = commands_->a.rows();
  const auto z = Eigen::seqN(0, count), w = Eigen::seqN(count, count), q = Eigen::seqN(2 * count, states);
  loop.value(z, z) = ns.stiffness;
  loop.derivative(z, z) = ns.derivative;
  if (coupled_) {
    loop.value(z, w) = ps.stiffness;
    loop.derivative(z, w) = ps.derivative;
  }
  for (Eigen::Index i = 0; i < count; ++i) {
    const LateTerms term = lateTerms(i, s);
    const PolynomialValue &e = term.driven, &d = term.kept, &l = term.yielding;
    const Eigen::Index own = count + i;
    loop.value(own, own) = -d.value;
    loop.derivative(own, own) = -d.derivative;
    // The command of this actuator, in its own row, is driven by e there if it yields; else in the forces.
    const Complex by = coupled_ ? e.value : 1.0, by_slope = coupled_ ? e.derivative : 0.0;
    const auto put = [&](const auto& columns, const auto& gains) {
      loop.value(own, columns) += by * gains;
      loop.derivative(own, columns) += by_slope * gains;
      if (coupled_) loop.by_delay(own, columns) += -late_[i] * s * by * gains;
    };
    put(z, commands_->d.row(i).cast<Complex>());
    put(q, commands_->c.row(i).cast<Complex>());
    if (coupled_) {
      loop.value(own, w) -= l.value * ps.stiffness.row(i);
      loop.derivative(own, w) -= l.value * ps.derivative.row(i) + l.derivative * ps.stiffness.row(i);
      continue;
    }
    loop.value(z, own) = ps.stiffness.col(i) * e.value;
    loop.derivative(z, own) = ps.derivative.col(i) * e.value + ps.stiffness.col(i) * e.derivative;
    loop.by_delay(z, own) = -late_[i] * s * e.value * ps.stiffness.col(i);
    addCross(i, own, ps, s, loop);
  }
  const double tick_s = actuators_.front().tap_s;
  const Complex tick = std::exp(-s * tick_s);
  loop.value(q, z) = tick * commands_->b;
  loop.derivative(q, z) = -tick_s * tick * commands_->b;
  loop.value(q, q) = tick * commands_->a;
  loop.derivative(q, q) = -tick_s * tick * commands_->a;
  loop.value(q, q).diagonal().array() -= 1.0;
  loop.scaleRows();
}

/// The command of actuator i, in this column, also moves other axes.
void Characteristic::addCross(Eigen::Index i, Eigen::Index column, const CondensedSide::Value& ps, Complex s,
                              Loop& loop) const {
  const auto forces = Eigen::seqN(0, delay_s_.size());
  const ActuatorTransfer& actuator = actuators_[static_cast<std::size_t>(i)];
  const Complex lag = std::exp(-s * delay_s_[i]);
  for (const ActuatorTransfer::Cross& cross : actuator.cross) {
    const PolynomialValue driven = drive(actuator, cross, s);
    const Complex e = driven.value * lag, e_slope = (driven.derivative - delay_s_[i] * driven.value) * lag;
    const auto axis = static_cast<Eigen::Index>(cross.axis);
    loop.value(forces, column) += ps.stiffness.col(axis) * e;
    loop.derivative(forces, column) += ps.derivative.col(axis) * e + ps.stiffness.col(axis) * e_slope;
    loop.by_delay(forces, column) -= late_[i] * s * e * ps.stiffness.col(axis);
  }
}

void Characteristic::behindSprings(const CondensedSide::Value& ns, const CondensedSide::Value& ps, Complex s,
                                   Loop& loop) const {
  for (Eigen::Index i = 0; i < delay_s_.size(); ++i) {
    const LateTerms term = lateTerms(i, s);
    const PolynomialValue& d = term.kept;
    const PolynomialValue& l = term.yielding;
    const Complex e = term.driven.value, e_slope = term.driven.derivative;
    const double nominal = springs_->nominal[i], actual = springs_->actual[i];
    const Complex yields = d.value / actual + l.value, yields_slope = d.derivative / actual + l.derivative;
    loop.value.row(i) = (e / nominal) * ns.stiffness.row(i) + yields * ps.stiffness.row(i);
    loop.value(i, i) += d.value - e;
    loop.derivative.row(i) = (e_slope / nominal) * ns.stiffness.row(i) + (e / nominal) * ns.derivative.row(i) +
                             yields_slope * ps.stiffness.row(i) + yields * ps.derivative.row(i);
    loop.derivative(i, i) += d.derivative - e_slope;
    const Complex by_delay = -late_[i] * s * e, returned = -late_[i] * s * term.returned;
    loop.by_delay.row(i) = (by_delay / nominal) * ns.stiffness.row(i) + (returned / actual) * ps.stiffness.row(i);
    loop.by_delay(i, i) += returned - by_delay;
  }
}

Characteristic::Value Characteristic::at(Complex s) const {
  const Loop here = loop(s);
  const linalg::ComplexLu lu(here.value);
  Complex direction = here.inner_direction * lu.sign();
  for (const Complex pivot : lu.pivots()) {
    const double size = std::abs(pivot);
    if (size == 0.0) return {0.0, HUGE_VAL};
    direction *= pivot / size;
  }
  return {direction, here.inner_slope + lu.solve(here.derivative).trace()};
}

// u^H S v = 0 for the null vectors of S: the changes by the delay and by s must cancel.
Complex Characteristic::speedOfRoot(Complex root) const {
  const Loop here = loop(root);
  const auto [left, right] = linalg::nullVectors(here.value);
  const Complex by_root = left.dot(here.derivative * right);
  return by_root == 0.0 ? Complex{} : -left.dot(here.by_delay * right) / by_root;
}

}  // namespace hyb
