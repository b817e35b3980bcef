#pragma once
#include <complex>
#include <string>
#include <vector>

namespace hyb {

/// Transfer from one target to the motion of one interface DOF, without its pure delay:
///   d(s) x = n(s) c(s) z - l(s) f,   c(s) = sum of taps_j e^{-s j tap_s}
/// z target, x motion, f force of the motion on the specimen, N. Polynomials in ascending powers of s, n and d without
/// common roots. A cross-coupled actuator also moves other axes, d(s) x_k = cross_k(s) c(s) z; it has no load.
struct ActuatorTransfer {
  std::vector<double> numerator{1.0};    // n
  std::vector<double> denominator{1.0};  // d
  std::vector<double> load{};            // l, m/N: compliance to the specimen; empty: none
  std::vector<double> taps{};            // of the compensator, newest first; empty: 1
  double tap_s = 0.0;
  struct Cross {
    std::size_t axis;  // from 0
    std::vector<double> numerator;
  };
  std::vector<Cross> cross{};
};

/// Product of two polynomials in ascending powers.
std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b);

struct PolynomialValue {
  std::complex<double> value, derivative;
};
PolynomialValue evaluate(const std::vector<double>& ascending, std::complex<double> s) noexcept;
/// n(s) c(s) and its derivative.
PolynomialValue drive(const ActuatorTransfer& actuator, std::complex<double> s) noexcept;
/// cross_k(s) c(s) and its derivative.
PolynomialValue drive(const ActuatorTransfer& actuator, const ActuatorTransfer::Cross& cross,
                      std::complex<double> s) noexcept;
/// n(s) c(s) / d(s): motion over target without reaction to the specimen.
std::complex<double> response(const ActuatorTransfer& actuator, std::complex<double> s) noexcept;

/// A part of the delay of a loop. Negative: a lead.
struct DelayPart {
  std::string name;
  double seconds;
};

}  // namespace hyb
