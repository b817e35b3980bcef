#include "core/fidelity/harmonic_fit.h"

#include <Eigen/Cholesky>
#include <cmath>

namespace hyb {

HarmonicFit fitHarmonic(std::span<const double> samples, double step_s, double w_rad_per_s) noexcept {
  const std::size_t n = samples.size();
  if (n < 4) return {};
  const double middle = 0.5 * static_cast<double>(n - 1);
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  double squares = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const double angle = w_rad_per_s * step_s * (static_cast<double>(k) - middle);
    const Eigen::Vector3d base(1.0, std::cos(angle), std::sin(angle));
    normal.noalias() += base * base.transpose();
    const double value = samples[k] - samples[0];  // a constant leaves exactly nothing
    right += value * base;
    squares += value * value;
  }
  HarmonicFit fit;
  const double count = static_cast<double>(n), mean = right[0] / count;
  fit.variance = std::max(0.0, squares / count - mean * mean);
  if (!(fit.variance > 0.0)) return fit;
  const Eigen::LDLT<Eigen::Matrix3d> solver(normal);
  if (!(solver.rcond() > 1e-9)) return fit;
  const Eigen::Vector3d solution = solver.solve(right);
  fit.mean = samples[0] + solution[0];
  fit.amplitude = {solution[1], -solution[2]};  // c cos + s sin = Re((c - i s) e^(i w t))
  return fit;
}

}  // namespace hyb
