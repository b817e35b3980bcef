#pragma once
#include <complex>
#include <span>

namespace hyb {

/// Least squares of mean + Re(amplitude e^(i w t)), t = 0 at the middle of the samples.
struct HarmonicFit {
  std::complex<double> amplitude;  // 0 when the samples do not determine it
  double variance = 0.0;           // of the samples about their mean
  double mean = 0.0;               // the constant part, 0 likewise
};
HarmonicFit fitHarmonic(std::span<const double> samples, double step_s, double w_rad_per_s) noexcept;

}  // namespace hyb
