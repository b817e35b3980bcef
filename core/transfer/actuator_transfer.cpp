#include "core/transfer/actuator_transfer.h"

#include <cmath>
#include <numbers>

#include "core/transfer/actuator.h"
#include "core/transfer/leg.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;
using Polynomial = std::vector<double>;  // ascending

Polynomial product(const Polynomial& a, const Polynomial& b) {
  Polynomial result(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) result[i + j] += a[i] * b[j];
  return result;
}

Polynomial scaled(Polynomial a, double factor) {
  for (double& coefficient : a) coefficient *= factor;
  return a;
}

// n/d = acts (Kp + s) / (s^2 (s + p) + acts (s + Kp)), acts = A (kv s + ki), the s above only with velocity
// feed-forward.
ActuatorTransfer legTransfer(const LegParams& leg) {
  const double a = leg.plant_gain_m_per_a_s2, kp = leg.position_gain_per_s;
  const Polynomial acts{a * leg.integral_gain_a_per_m, a * leg.velocity_gain_a_s_per_m};
  ActuatorTransfer transfer{product(acts, {kp, leg.velocity_feedforward ? 1.0 : 0.0}), product(acts, {kp, 1.0})};
  transfer.denominator[2] += leg.plant_pole_per_s;
  transfer.denominator.push_back(1.0);
  if (leg.integral_gain_a_per_m == 0.0) {  // both are 0 at s = 0
    transfer.numerator.erase(transfer.numerator.begin());
    transfer.denominator.erase(transfer.denominator.begin());
  }
  return transfer;
}

// V ((s + a3) (m s^2 x + f) + a2 s x) + a1b0 x = a1b0 gain u, V = s^2 + b1 s + b2; divided by a1b0.
ActuatorTransfer hydraulicTransfer(const HydraulicParams& h) {
  const Polynomial valve = scaled({h.b2, h.b1, 1.0}, 1.0 / h.a1b0);
  ActuatorTransfer transfer;
  transfer.load = product(valve, {h.a3, 1.0});
  transfer.denominator = product(valve, {0.0, h.a2, h.a3 * h.piston_mass_kg, h.piston_mass_kg});
  transfer.denominator[0] += 1.0;
  while (transfer.denominator.back() == 0.0) transfer.denominator.pop_back();
  return transfer;
}

}  // namespace

PolynomialValue evaluate(const std::vector<double>& ascending, Complex s) noexcept {
  PolynomialValue p{0.0, 0.0};
  for (auto it = ascending.rbegin(); it != ascending.rend(); ++it) {
    p.derivative = p.derivative * s + p.value;
    p.value = p.value * s + *it;
  }
  return p;
}

PolynomialValue drive(const ActuatorTransfer& actuator, Complex s) noexcept {
  const PolynomialValue n = evaluate(actuator.numerator, s);
  if (actuator.taps.empty()) return n;
  const Complex late = std::exp(-s * actuator.tap_s);
  const PolynomialValue c = evaluate(actuator.taps, late);  // in powers of the delay by one tap
  return {n.value * c.value, n.derivative * c.value - n.value * c.derivative * actuator.tap_s * late};
}

Complex response(const ActuatorTransfer& actuator, Complex s) noexcept {
  return drive(actuator, s).value / evaluate(actuator.denominator, s).value;
}

ActuatorTransfer transferOf(const ActuatorParams& actuator) {
  ActuatorTransfer transfer;
  switch (actuator.model) {
    case ActuatorModel::servo: {
      const double w = angularFrequency(actuator);
      transfer.denominator = {1.0, 2.0 * actuator.damping_ratio / w, 1.0 / (w * w)};
      break;
    }
    case ActuatorModel::first_order:
      transfer.denominator = {1.0, actuator.lag_s};
      break;
    case ActuatorModel::leg:
      transfer = legTransfer(actuator.leg);
      break;
    case ActuatorModel::servo_hydraulic:
      transfer = hydraulicTransfer(actuator.hydraulic);
      break;
    case ActuatorModel::pure_delay:
    case ActuatorModel::ideal:
      break;
  }
  transfer.numerator = scaled(std::move(transfer.numerator), actuator.gain);
  return transfer;
}

std::vector<DelayPart> deadTimes(const ActuatorParams& actuator, double tick_s, double frequency_hz) {
  if (actuator.model == ActuatorModel::ideal) return {{"command reached within the tick", tick_s}};
  std::vector<DelayPart> parts;
  if (actuator.delay_s > 0.0) parts.push_back({"pure delay", actuator.delay_s});
  if (actuator.model == ActuatorModel::leg) {
    const double w = 2.0 * std::numbers::pi * frequency_hz;
    const Complex continuous = legResponse(actuator.leg, {0.0, w});
    parts.push_back(
        {std::string(lagName(actuator.model)), std::arg(continuous / sampledLegResponse(actuator.leg, tick_s, w)) / w});
  } else if (actuator.model != ActuatorModel::pure_delay) {
    parts.push_back({"command held over the tick", 0.5 * tick_s});
  }
  return parts;
}

std::string_view lagName(ActuatorModel model) noexcept {
  switch (model) {
    case ActuatorModel::servo:
      return "servo";
    case ActuatorModel::servo_hydraulic:
      return "servo-hydraulic actuator";
    case ActuatorModel::leg:
      return "leg and its controller";
    case ActuatorModel::first_order:
      return "first-order lag";
    case ActuatorModel::pure_delay:
    case ActuatorModel::ideal:
      break;
  }
  return "actuator";
}

}  // namespace hyb
