#pragma once
#include <cmath>
#include <numbers>
#include <vector>

namespace hyb::test {

/// The stand-in for an earthquake of Araya 2023 (note, section 9.3), unscaled, m/s^2, every 0.005 s over 40 s.
inline constexpr double kStandInStep_s = 0.005;
inline std::vector<double> standIn() {
  std::vector<double> samples;
  double largest = 0.0;
  for (int n = 0; n <= 8000; ++n) {
    const double t = n * kStandInStep_s;
    double s = 0.0;
    for (int k = 1; k <= 40; ++k) {
      const double f = 0.37 * k, turn = 0.6180339887498949 * k;
      s += std::sin(2.0 * std::numbers::pi * (f * t + turn - std::floor(turn))) / (1.0 + f * f / 25.0);
    }
    const double e = t < 5.0    ? 0.0
                     : t < 8.0  ? (t - 5.0) * (t - 5.0) / 9.0
                     : t < 15.0 ? 1.0
                                : std::exp(-0.15 * (t - 15.0));
    samples.push_back(e * s);
    largest = std::max(largest, std::abs(e * s));
  }
  for (double& sample : samples) sample *= 0.3197 * 9.80665 / largest;
  return samples;
}

}  // namespace hyb::test
