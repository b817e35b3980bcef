#include "core/fidelity/subspace.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/base/numbers.h"
#include "core/fidelity/harmonic_fit.h"
#include "core/fidelity/record.h"
#include "core/fidelity/spectrum.h"

namespace hyb {

namespace {

constexpr double kDegrees = 180.0 / kPi;

}  // namespace

std::array<double, 2> SubspaceEllipse::point(double angle_rad) const {
  return {centre_command + command * std::cos(angle_rad),
          centre_achieved + achieved * std::cos(angle_rad + phase_deg / kDegrees)};
}

std::optional<SubspaceEllipse> fitSubspaceEllipse(std::span<const double> command, std::span<const double> achieved,
                                                  double step_s, double frequency_hz) {
  if (!comparable(command, achieved, 8) || !(step_s > 0.0) || !(frequency_hz >= 0.0)) return std::nullopt;
  if (frequency_hz == 0.0) frequency_hz = dominantFrequency_hz(command, step_s).value_or(0.0);
  if (!(static_cast<double>(command.size()) * step_s * frequency_hz >= 0.5)) return std::nullopt;
  const double w = 2.0 * kPi * frequency_hz;
  const HarmonicFit z = fitHarmonic(command, step_s, w), x = fitHarmonic(achieved, step_s, w);
  const double zz = std::norm(z.amplitude), xx = std::norm(x.amplitude);
  if (!(zz > 0.0) || !(xx > 0.0)) return std::nullopt;

  const std::complex<double> ratio = x.amplitude / z.amplitude;
  const double zx = zz * ratio.real();  // (z, x) S^-1 (z, x)' = 1 with S = [zz zx; zx xx]
  SubspaceEllipse ellipse;
  ellipse.frequency_hz = frequency_hz;
  ellipse.centre_command = z.mean;
  ellipse.centre_achieved = x.mean;
  ellipse.command = std::sqrt(zz);
  ellipse.achieved = std::sqrt(xx);
  ellipse.amplitude_ratio = std::abs(ratio);
  ellipse.phase_deg = std::arg(ratio) * kDegrees;
  ellipse.delay_s = -std::arg(ratio) / w;
  ellipse.semi_major = std::sqrt(0.5 * (zz + xx + std::hypot(zz - xx, 2.0 * zx)));
  ellipse.semi_minor = std::abs(zz * ratio.imag()) / ellipse.semi_major;
  const double axis = 0.5 * std::atan2(2.0 * zx, zz - xx);
  ellipse.axis_deg = axis * kDegrees;
  ellipse.slope = std::tan(axis);
  ellipse.area = -kPi * zz * ratio.imag();
  ellipse.explained = std::min(1.0, 0.5 * xx / x.variance);
  return ellipse;
}

double amplitudeIndicator(std::span<const double> command, std::span<const double> achieved) {
  if (!comparable(command, achieved, 3)) return kNoValue;
  const auto count = static_cast<double>(command.size());
  double z_mean = 0.0, x_mean = 0.0, zz = 0.0, zx = 0.0, xx = 0.0;
  for (std::size_t k = 0; k < command.size(); ++k) {
    z_mean += (command[k] - command[0]) / count;  // exactly 0 for a constant
    x_mean += (achieved[k] - achieved[0]) / count;
  }
  for (std::size_t k = 0; k < command.size(); ++k) {
    const double z = command[k] - command[0] - z_mean, x = achieved[k] - achieved[0] - x_mean;
    zz += z * z;
    zx += z * x;
    xx += x * x;
  }
  return zz + xx > 0.0 ? std::tan(0.5 * std::atan2(2.0 * zx, zz - xx)) : kNoValue;
}

}  // namespace hyb
