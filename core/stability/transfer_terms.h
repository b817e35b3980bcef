#pragma once
#include <complex>

#include "core/compensation/feedback.h"
#include "core/transfer/actuator_transfer.h"

namespace hyb {

/// An actuator d x = n u - l f (ActuatorTransfer) with a compensator a u = c z - b x, combined by eliminating the
/// command, without its pure delay tau:
///   (held + returned e^{-s tau}) x = driven e^{-s tau} z - yielding f.
/// b and c are sums over feedback.measured and the actuator's taps times e^{-s j tap_s}, a is 1 and the sum over
/// feedback.command_j e^{-s (j + 1) tap_s}.
struct TransferTerms {
  PolynomialValue driven, returned, held, yielding;  // n c, n b, d a, l a
};
TransferTerms terms(const ActuatorTransfer& actuator, const CommandFeedback& feedback, std::complex<double> s) noexcept;
/// u over z for a plant with the motion `plant` per unit command.
std::complex<double> commandOverTarget(const std::vector<double>& taps, const CommandFeedback& feedback, double tap_s,
                                       std::complex<double> plant, std::complex<double> s) noexcept;
/// Longest term of the compensator, s.
double tapReach(const ActuatorTransfer& actuator, const CommandFeedback& feedback) noexcept;

}  // namespace hyb
