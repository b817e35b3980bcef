#pragma once
#include <complex>
#include <string>
#include <vector>

#include "core/transfer/params.h"

namespace hyb {

/// What stands between one target and the motion of one interface DOF, without its pure delay:
///   d(s) x = n(s) c(s) z - l(s) f,   c(s) = sum of taps_j e^{-s j tap_s}
/// z target, x motion, f force with which the motion drives the specimen, N. Polynomials in ascending powers of s, n
/// and d without common roots.
struct ActuatorTransfer {
  std::vector<double> numerator{1.0};    // n
  std::vector<double> denominator{1.0};  // d
  std::vector<double> load{};            // l, m/N: how far it yields to the specimen; empty = not at all
  std::vector<double> taps{};            // of the compensator, newest first; empty = 1
  double tap_s = 0.0;
};

struct PolynomialValue {
  std::complex<double> value, derivative;
};
PolynomialValue evaluate(const std::vector<double>& ascending, std::complex<double> s) noexcept;
/// n(s) c(s) and its derivative.
PolynomialValue drive(const ActuatorTransfer& actuator, std::complex<double> s) noexcept;
/// n(s) c(s) / d(s): motion over target of one that does not feel the specimen.
std::complex<double> response(const ActuatorTransfer& actuator, std::complex<double> s) noexcept;

/// A part of the delay of a loop. Negative: a lead.
struct DelayPart {
  std::string name;
  double seconds;
};

/// The actuator as a linear system with a command in continuous time; limits left aside.
ActuatorTransfer transferOf(const ActuatorParams& actuator);
/// What it has beside that, of the same delay at all frequencies: its pure delay, and what sampling adds: half a tick
/// where a command is held; for a leg what its sampled controller lags behind one in continuous time at `frequency_hz`.
std::vector<DelayPart> deadTimes(const ActuatorParams& actuator, double tick_s, double frequency_hz);
/// Under which its own lag is listed: "servo".
std::string_view lagName(ActuatorModel model) noexcept;

}  // namespace hyb
