#include "core/stability/characteristic.h"

#include <cmath>

#include "core/checks.h"
#include "core/linalg/dense.h"
#include "core/linalg/svd.h"

namespace hyb {

using Complex = std::complex<double>;

namespace {

void checkRange(double delay_s, double cutoff_hz, double base_delay_s, Checks& checks) {
  if (!(std::isfinite(cutoff_hz) && cutoff_hz > 0.0))
    checks.fault("--cutoff", "must be a finite frequency greater than 0 Hz");
  if (!(std::isfinite(delay_s) && delay_s >= 0.0)) checks.fault("--delay", "must be a finite time of at least 0 s");
  // Each period of the cut-off that the delay spans brings a root or a crossing to find.
  if ((delay_s + base_delay_s) * cutoff_hz > 1000.0)
    checks.fault("--delay", "spans more than 1000 periods of the cut-off; choose a shorter delay or a lower cut-off");
}

}  // namespace

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
  require(count > 0, "/partition", "has no interface; choose what stands on the rig");
  require(system.actuators.empty() || system.actuators.size() == count, "/rig/actuators",
          "must hold one actuator per interface degree of freedom");
  require(system.base_delay_s.size() == 0 || system.base_delay_s.size() == static_cast<Eigen::Index>(count),
          "/rig/actuators", "must give one delay per interface degree of freedom");
  require(system.base_delay_s.allFinite() && (system.base_delay_s.array() >= 0.0).all(), "/rig/actuators",
          "must have finite delays of at least 0 s");
  checkRange(delay_s, cutoff_hz, system.base_delay_s.size() > 0 ? system.base_delay_s.maxCoeff() : 0.0, checks);
  for (const ActuatorTransfer& actuator : system.actuators) {
    bool good = !actuator.numerator.empty() && !actuator.denominator.empty() && actuator.denominator.back() != 0.0;
    for (const std::vector<double>* list : {&actuator.numerator, &actuator.denominator})
      for (const double coefficient : *list) good = good && std::isfinite(coefficient);
    require(good, "/rig/actuators", "must have finite transfer functions whose denominator's highest term is not 0");
  }
  checks.throwIfAny();
}

namespace {

struct Polynomial {
  Complex value, derivative;
};

Polynomial evaluate(const std::vector<double>& coefficients, Complex s) {
  Polynomial p{0.0, 0.0};
  for (auto it = coefficients.rbegin(); it != coefficients.rend(); ++it) {
    p.derivative = p.derivative * s + p.value;
    p.value = p.value * s + *it;
  }
  return p;
}

}  // namespace

Characteristic::Characteristic(const DelaySystem& system, double delay_s)
    : numerical_(system.partition.numerical, system.partition.interface_in_numerical),
      physical_(system.partition.physical, system.partition.interface_in_physical),
      actuators_(system.actuators) {
  const auto count = static_cast<Eigen::Index>(system.partition.interface.size());
  delay_s_ = Eigen::VectorXd::Constant(count, delay_s);
  if (system.base_delay_s.size() == count) delay_s_ += system.base_delay_s;
}

Characteristic::Sides Characteristic::sides(Complex s) const {
  CondensedSide::Value ns = numerical_.withDerivative(s), ps = physical_.withDerivative(s);
  for (Eigen::Index i = 0; i < delay_s_.size(); ++i) {
    Polynomial n{1.0, 0.0}, d{1.0, 0.0};
    if (!actuators_.empty()) {
      n = evaluate(actuators_[static_cast<std::size_t>(i)].numerator, s);
      d = evaluate(actuators_[static_cast<std::size_t>(i)].denominator, s);
    }
    const Complex lag = std::exp(-s * delay_s_[i]);
    const Complex e = n.value * lag, e_derivative = (n.derivative - delay_s_[i] * n.value) * lag;
    ns.derivative.col(i) = ns.derivative.col(i) * d.value + ns.stiffness.col(i) * d.derivative;
    ns.stiffness.col(i) *= d.value;
    ps.derivative.col(i) = ps.derivative.col(i) * e + ps.stiffness.col(i) * e_derivative;
    ps.stiffness.col(i) *= e;
  }
  return {std::move(ns), std::move(ps)};
}

Characteristic::Value Characteristic::at(Complex s) const {
  const auto [ns, ps] = sides(s);
  const linalg::ComplexLu lu(ns.stiffness + ps.stiffness);
  Complex direction = ns.inner_direction * ps.inner_direction * lu.sign();
  for (const Complex pivot : lu.pivots()) {
    const double size = std::abs(pivot);
    if (size == 0.0) return {0.0, HUGE_VAL};
    direction *= pivot / size;
  }
  return {direction, ns.inner_slope + ps.inner_slope + lu.solve(ns.derivative + ps.derivative).trace()};
}

// u^H S v = 0 for the null vectors of S: what the delay and s change in it must cancel.
Complex Characteristic::speedOfRoot(Complex root) const {
  const auto [ns, ps] = sides(root);
  const auto [left, right] = linalg::nullVectors(ns.stiffness + ps.stiffness);
  const Complex by_delay = -root * left.dot(ps.stiffness * right);
  const Complex by_root = left.dot((ns.derivative + ps.derivative) * right);
  return by_root == 0.0 ? Complex{} : -by_delay / by_root;
}

}  // namespace hyb
