#include "core/stability/transfer_terms.h"

#include <algorithm>
#include <cmath>

namespace hyb {

TransferTerms terms(const ActuatorTransfer& actuator, const CommandFeedback& feedback,
                    std::complex<double> s) noexcept {
  TransferTerms all{drive(actuator, s), {0.0, 0.0}, evaluate(actuator.denominator, s), evaluate(actuator.load, s)};
  if (feedback.measured.empty()) return all;
  const std::complex<double> late = std::exp(-s * actuator.tap_s);
  const auto times = [&](const PolynomialValue& p, const std::vector<double>& taps) -> PolynomialValue {
    const PolynomialValue c = evaluate(taps, late);  // in powers of the delay by one tap
    return {p.value * c.value, p.derivative * c.value - p.value * c.derivative * actuator.tap_s * late};
  };
  std::vector<double> own{1.0};  // a
  own.insert(own.end(), feedback.command.begin(), feedback.command.end());
  all.returned = times(evaluate(actuator.numerator, s), feedback.measured);
  all.held = times(all.held, own);
  all.yielding = times(all.yielding, own);
  return all;
}

std::complex<double> commandOverTarget(const std::vector<double>& taps, const CommandFeedback& feedback, double tap_s,
                                       std::complex<double> plant, std::complex<double> s) noexcept {
  ActuatorTransfer alone;
  alone.taps = taps;
  alone.tap_s = tap_s;
  const TransferTerms all = terms(alone, feedback, s);
  return all.driven.value / (all.held.value + all.returned.value * plant);
}

double tapReach(const ActuatorTransfer& actuator, const CommandFeedback& feedback) noexcept {
  const std::size_t longest =
      std::max({actuator.taps.size(), feedback.measured.size(), feedback.command.size() + 1, std::size_t{1}});
  return static_cast<double>(longest - 1) * actuator.tap_s;
}

}  // namespace hyb
