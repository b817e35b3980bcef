#include "core/transfer/actuator_transfer.h"

#include <cmath>

namespace hyb {

namespace {
using Complex = std::complex<double>;

/// n(s) c(s) of a numerator at s.
PolynomialValue compensated(const PolynomialValue& n, const ActuatorTransfer& actuator, Complex s) noexcept {
  if (actuator.taps.empty()) return n;
  const Complex late = std::exp(-s * actuator.tap_s);
  const PolynomialValue c = evaluate(actuator.taps, late);  // in powers of the delay by one tap
  return {n.value * c.value, n.derivative * c.value - n.value * c.derivative * actuator.tap_s * late};
}
}  // namespace

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) result[i + j] += a[i] * b[j];
  return result;
}

PolynomialValue evaluate(const std::vector<double>& ascending, Complex s) noexcept {
  PolynomialValue p{0.0, 0.0};
  for (auto it = ascending.rbegin(); it != ascending.rend(); ++it) {
    p.derivative = p.derivative * s + p.value;
    p.value = p.value * s + *it;
  }
  return p;
}

PolynomialValue drive(const ActuatorTransfer& actuator, Complex s) noexcept {
  return compensated(evaluate(actuator.numerator, s), actuator, s);
}

PolynomialValue drive(const ActuatorTransfer& actuator, const ActuatorTransfer::Cross& cross, Complex s) noexcept {
  return compensated(evaluate(cross.numerator, s), actuator, s);
}

Complex response(const ActuatorTransfer& actuator, Complex s) noexcept {
  return drive(actuator, s).value / evaluate(actuator.denominator, s).value;
}

}  // namespace hyb
