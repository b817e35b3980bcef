#pragma once
#include <complex>
#include <vector>

namespace hyb {

inline constexpr double kMostDelay_s = 10.0;  // upper limit of the search

/// Input between its samples.
enum class Hold : unsigned char {
  step,  // held until the next sample: the command of a rig
  line,  // linear from one sample to the next: a measured value or a target
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
  /// Output over input at rest; not finite for an integrating one.
  double dcGain() const noexcept { return numerator.front() / denominator.front(); }
};

/// Roots of a polynomial in ascending powers, rad/s, ascending in magnitude. Zeros at the upper end do not count.
std::vector<std::complex<double>> rootsOf(std::vector<double> ascending);
std::vector<std::complex<double>> poles(const TransferModel& model);
std::vector<std::complex<double>> zeros(const TransferModel& model);
/// The polynomial with these roots, complex ones in pairs, in ascending powers; its highest coefficient is 1.
std::vector<double> polynomialOf(const std::vector<std::complex<double>>& roots);

/// A pole and its nearby zero, 1/s; of complex pairs the one in the upper half-plane.
struct RootPair {
  std::complex<double> pole, zero;
};
/// Poles with a zero of the same kind, real or complex, within 3 % of their magnitude, ascending in magnitude: together
/// they have almost no effect. Each root is in one pair at most, the nearest first.
std::vector<RootPair> nearlyCancelling(const std::vector<std::complex<double>>& poles,
                                       const std::vector<std::complex<double>>& zeros);

/// All poles in the left half-plane.
bool stable(const TransferModel& model);
/// All zeros in the left half-plane, so that the inverse is stable.
bool minimumPhase(const TransferModel& model);
/// The same magnitude at all frequencies with every zero in the left half-plane: an invertible substitute. It lacks a
/// lag of about 2 / z for each mirrored real zero z.
TransferModel mirrored(const TransferModel& model);

/// A denominator with its unstable roots mirrored; those on the axis are moved off it.
std::vector<double> stabilised(const std::vector<double>& denominator);

/// Effect of the hold of an input on a sine of w rad/s, sampled every step_s.
std::complex<double> holdResponse(Hold hold, double w_rad_per_s, double step_s);

}  // namespace hyb
