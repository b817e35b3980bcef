#pragma once
#include <Eigen/Core>
#include <complex>
#include <span>

namespace hyb {

/// Normal equations of a constant, a cosine and a sine of angle * (k - (n - 1) / 2) for samples k, minus the first
/// sample, so that a constant has exactly no residual. Two multiplications per sample; allocation-free.
struct HarmonicSums {
  Eigen::Matrix3d normal;
  Eigen::Vector3d right;
  double squares = 0.0;
};
HarmonicSums harmonicSums(std::span<const double> samples, double angle_per_sample) noexcept;

/// Least squares of mean + Re(amplitude e^(i w t)), t = 0 at the middle of the samples.
struct HarmonicFit {
  std::complex<double> amplitude;  // 0 if the samples do not determine it
  double variance = 0.0;           // of the samples about their mean
  double mean = 0.0;               // the constant part, likewise 0
};
HarmonicFit fitHarmonic(std::span<const double> samples, double step_s, double w_rad_per_s) noexcept;

}  // namespace hyb
