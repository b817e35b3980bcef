#include "core/fidelity/synchronisation.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/numbers.h"
#include "core/fidelity/subspace.h"

namespace hyb {

namespace {

constexpr double kLeastShare = 0.5;  // share of x's variance explained by z

Synchronisation fromEllipse(std::span<const double> target, std::span<const double> measured, double step_s,
                            double frequency_hz) {
  const std::optional<SubspaceEllipse> ellipse = fitSubspaceEllipse(target, measured, step_s, frequency_hz);
  if (!ellipse || ellipse->explained < kLeastShare) return {};
  const double slope = ellipse->amplitude_ratio * std::cos(ellipse->phase_deg * kPi / 180.0);
  return {ellipse->amplitude_ratio, ellipse->delay_s, ellipse->area, ellipse->axis_deg, slope, true};
}

Synchronisation fromRegression(std::span<const double> target, std::span<const double> measured, double step_s) {
  Synchronisation result;
  const std::size_t n = target.size();
  if (n < 8) return result;
  double z_mean = 0.0, x_mean = 0.0;
  for (std::size_t k = 1; k + 1 < n; ++k) {
    z_mean += target[k] - target[0];  // exactly 0 for a constant
    x_mean += measured[k] - measured[0];
  }
  z_mean /= static_cast<double>(n - 2);
  x_mean /= static_cast<double>(n - 2);
  const double v_mean =
      (target[n - 1] + target[n - 2] - target[1] - target[0]) / (2.0 * step_s * static_cast<double>(n - 2));
  double zz = 0.0, zv = 0.0, vv = 0.0, zx = 0.0, vx = 0.0, xx = 0.0;
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const double z = target[k] - target[0] - z_mean, x = measured[k] - measured[0] - x_mean;
    const double v = (target[k + 1] - target[k - 1]) / (2.0 * step_s) - v_mean;
    zz += z * z;
    zv += z * v;
    vv += v * v;
    zx += z * x;
    vx += v * x;
    xx += x * x;
  }
  const double determinant = zz * vv - zv * zv;
  if (!(zz > 0.0) || !(xx > 0.0) || !(determinant > 1e-9 * zz * vv)) return result;
  const double a = (zx * vv - vx * zv) / determinant, b = (vx * zz - zx * zv) / determinant;  // x ~ a z + b z'
  if (!(a * zx + b * vx >= kLeastShare * xx)) return result;
  const double seen = std::sqrt(vv / zz);  // sin(w h) / h: w by central differences
  const double w = std::asin(std::min(1.0, seen * step_s)) / step_s;
  result.amplitude_ratio = std::hypot(a, b * seen);
  result.delay_s = std::atan2(-b * seen, a) / w;
  result.area = -2.0 * kPi * (zz / static_cast<double>(n - 2)) * b * seen;
  result.slope = zx / zz;
  result.axis_deg = 0.5 * std::atan2(2.0 * zx, zz - xx) * 180.0 / kPi;
  result.valid = true;
  return result;
}

}  // namespace

Synchronisation synchronisation(std::span<const double> target, std::span<const double> measured, double step_s,
                                double frequency_hz) {
  assert(target.size() == measured.size() && step_s > 0.0);
  return frequency_hz > 0.0 ? fromEllipse(target, measured, step_s, frequency_hz)
                            : fromRegression(target, measured, step_s);
}

}  // namespace hyb
