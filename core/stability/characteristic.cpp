#include "core/stability/characteristic.h"

#include <Eigen/LU>
#include <cmath>

#include "core/error.h"

namespace hyb {

using Complex = std::complex<double>;

void requireSound(const DelaySystem& system, double delay_s, double cutoff_hz) {
  std::vector<Issue> issues;
  const auto require = [&](bool good, const char* where, const char* message) {
    if (!good) issues.push_back({where, message});
  };
  const std::size_t count = system.partition.interface.size();
  require(count > 0, "/partition", "has no interface; choose what stands on the rig");
  require(std::isfinite(cutoff_hz) && cutoff_hz > 0.0, "--cutoff", "must be a finite frequency greater than 0 Hz");
  require(std::isfinite(delay_s) && delay_s >= 0.0, "--delay", "must be a finite time of at least 0 s");
  require(system.actuators.empty() || system.actuators.size() == count, "/rig/actuators",
          "must hold one actuator per interface degree of freedom");
  require(system.base_delay_s.size() == 0 || system.base_delay_s.size() == static_cast<Eigen::Index>(count),
          "/rig/actuators", "must give one delay per interface degree of freedom");
  require(system.base_delay_s.allFinite() && (system.base_delay_s.array() >= 0.0).all(), "/rig/actuators",
          "must have finite delays of at least 0 s");
  // Each period of the cut-off that the delay spans brings a root or a crossing to find.
  const double longest_s = delay_s + (system.base_delay_s.size() > 0 ? system.base_delay_s.maxCoeff() : 0.0);
  require(!(longest_s * cutoff_hz > 1000.0), "--delay",
          "spans more than 1000 periods of the cut-off; choose a shorter delay or a lower cut-off");
  for (const ActuatorTransfer& actuator : system.actuators) {
    bool good = !actuator.numerator.empty() && !actuator.denominator.empty() && actuator.denominator.back() != 0.0;
    for (const std::vector<double>* list : {&actuator.numerator, &actuator.denominator})
      for (const double coefficient : *list) good = good && std::isfinite(coefficient);
    require(good, "/rig/actuators", "must have finite transfer functions whose denominator's highest term is not 0");
  }
  if (!issues.empty()) throw InputError(std::move(issues));
}

Characteristic::Characteristic(const DelaySystem& system, double delay_s) : system_(system) {
  const Partition& cut = system.partition;
  const auto count = static_cast<Eigen::Index>(cut.interface.size());
  delay_s_ = Eigen::VectorXd::Constant(count, delay_s);
  if (system.base_delay_s.size() == count) delay_s_ += system.base_delay_s;

  size_ = cut.numerical.m.rows();
  row_.assign(static_cast<std::size_t>(cut.physical.m.rows()), -1);
  for (std::size_t i = 0; i < cut.interface.size(); ++i)
    row_[static_cast<std::size_t>(cut.interface_in_physical[i])] = cut.interface_in_numerical[i];
  for (Eigen::Index& row : row_)
    if (row < 0) row = size_++;
}

Characteristic::Polynomial Characteristic::evaluate(const std::vector<double>& coefficients, Complex s) {
  Polynomial p{0.0, 0.0};
  for (auto it = coefficients.rbegin(); it != coefficients.rend(); ++it) {
    p.derivative = p.derivative * s + p.value;
    p.value = p.value * s + *it;
  }
  return p;
}

Characteristic::Value Characteristic::at(Complex s) const {
  const Partition& cut = system_.partition;
  const Eigen::Index ns = cut.numerical.m.rows();
  Eigen::MatrixXcd a = Eigen::MatrixXcd::Zero(size_, size_), derivative = a;
  a.topLeftCorner(ns, ns) = dynamicStiffness(cut.numerical, s);
  derivative.topLeftCorner(ns, ns) = 2.0 * s * cut.numerical.m + cut.numerical.c.cast<Complex>();
  Eigen::MatrixXcd ps = dynamicStiffness(cut.physical, s);
  Eigen::MatrixXcd ps_derivative = 2.0 * s * cut.physical.m + cut.physical.c.cast<Complex>();

  for (std::size_t i = 0; i < cut.interface.size(); ++i) {
    static const ActuatorTransfer ideal;
    const ActuatorTransfer& actuator = system_.actuators.empty() ? ideal : system_.actuators[i];
    const Polynomial n = evaluate(actuator.numerator, s), d = evaluate(actuator.denominator, s);
    const double tau = delay_s_[static_cast<Eigen::Index>(i)];
    const Complex lag = std::exp(-s * tau);
    const Complex e = n.value * lag, e_derivative = (n.derivative - tau * n.value) * lag;

    const Eigen::Index column = cut.interface_in_numerical[i], ps_column = cut.interface_in_physical[i];
    derivative.col(column) = derivative.col(column) * d.value + a.col(column) * d.derivative;
    a.col(column) *= d.value;
    ps_derivative.col(ps_column) = ps_derivative.col(ps_column) * e + ps.col(ps_column) * e_derivative;
    ps.col(ps_column) *= e;
  }
  a(row_, row_) += ps;
  derivative(row_, row_) += ps_derivative;

  const Eigen::PartialPivLU<Eigen::MatrixXcd> lu(a);
  Complex direction = static_cast<double>(lu.permutationP().determinant());
  for (const Complex pivot : lu.matrixLU().diagonal()) {
    const double size = std::abs(pivot);
    if (size == 0.0) return {0.0, HUGE_VAL};
    direction *= pivot / size;
  }
  return {direction, lu.solve(derivative).trace()};
}

}  // namespace hyb
