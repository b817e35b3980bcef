#pragma once
#include <complex>
#include <string>
#include <vector>

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

/// Of two polynomials in ascending powers.
std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b);

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

}  // namespace hyb
