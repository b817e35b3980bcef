#pragma once
#include <complex>
#include <vector>

namespace hyb {

inline constexpr double kMostDelay_s = 10.0;  // that is looked for

/// How an input goes on between its samples.
enum class Hold : unsigned char {
  step,  // held until the next one: the command that a rig gets
  line,  // straight from one to the next: what was measured or asked for
};

/// A rational transfer function behind a delay, N(s) / D(s) e^(-s delay_s), in continuous time. Ascending powers of s
/// in 1/s; the highest coefficient of D is 1.
struct TransferModel {
  std::vector<double> numerator{1.0};
  std::vector<double> denominator{1.0};
  double delay_s = 0.0;

  std::complex<double> at(std::complex<double> s) const noexcept;
  std::complex<double> response(double frequency_hz) const noexcept;
  int poleCount() const noexcept { return static_cast<int>(denominator.size()) - 1; }
  int zeroCount() const noexcept { return static_cast<int>(numerator.size()) - 1; }
  /// Output over input at rest; not finite for one that integrates.
  double dcGain() const noexcept { return numerator.front() / denominator.front(); }
};

/// Roots of a polynomial in ascending powers, rad/s, ascending in magnitude. Zeros at the upper end do not count.
std::vector<std::complex<double>> rootsOf(std::vector<double> ascending);
std::vector<std::complex<double>> poles(const TransferModel& model);
std::vector<std::complex<double>> zeros(const TransferModel& model);
/// The polynomial with these roots, complex ones in pairs, in ascending powers; its highest coefficient is 1.
std::vector<double> polynomialOf(const std::vector<std::complex<double>>& roots);

/// A pole and the zero beside it, 1/s; of complex pairs the one in the upper half-plane.
struct RootPair {
  std::complex<double> pole, zero;
};
/// Poles with a zero of their own kind, real or complex, within 3 % of their magnitude, ascending in magnitude: both
/// together change hardly anything. Each root is in one pair at most, the nearest first.
std::vector<RootPair> nearlyCancelling(const std::vector<std::complex<double>>& poles,
                                       const std::vector<std::complex<double>>& zeros);

/// All poles in the left half-plane.
bool stable(const TransferModel& model);
/// All zeros in the left half-plane, so that the inverse is stable.
bool minimumPhase(const TransferModel& model);
/// The same magnitude at all frequencies with every zero in the left half-plane: what can be inverted in its place.
/// What is lost is a lag of about 2 / z for each real zero z that was mirrored.
TransferModel mirrored(const TransferModel& model);

/// A denominator with its unstable roots mirrored; those on the axis are moved off it.
std::vector<double> stabilised(const std::vector<double>& denominator);

/// What the hold of an input makes of a sine of w rad/s, sampled every step_s.
std::complex<double> holdResponse(Hold hold, double w_rad_per_s, double step_s);

}  // namespace hyb
