#include "core/fidelity/harmonic_fit.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>

namespace hyb {

namespace {

constexpr std::size_t kBlock = 64;  // samples with angles from one table
constexpr std::size_t kLanes = 4;   // independent sums

/// Sum of cos(angle (k - (n - 1) / 2)) over k = 0 .. n - 1; the sum of the sines is 0.
double sumOfCosines(double angle, double n) {
  const double below = std::sin(0.5 * angle);
  if (std::abs(below) < 1e-9) return n * std::cos(0.5 * angle * n) / std::cos(0.5 * angle);  // a full turn per sample
  return std::sin(0.5 * angle * n) / below;
}

}  // namespace

HarmonicSums harmonicSums(std::span<const double> samples, double angle) noexcept {
  HarmonicSums sums;
  const std::size_t n = samples.size();
  const auto count = static_cast<double>(n);
  std::array<double, kBlock> cosines, sines;
  for (std::size_t j = 0; j < kBlock; ++j) {
    cosines[j] = std::cos(angle * static_cast<double>(j));
    sines[j] = std::sin(angle * static_cast<double>(j));
  }
  std::array<double, kLanes> constant{}, squares{};
  double with_cosine = 0.0, with_sine = 0.0;
  for (std::size_t first = 0; first < n; first += kBlock) {
    const std::size_t length = std::min(kBlock, n - first);
    std::array<double, kLanes> p{}, q{};
    for (std::size_t j = 0; j < length; j += kLanes)
      for (std::size_t l = 0; l < std::min(kLanes, length - j); ++l) {
        const double value = samples[first + j + l] - samples[0];
        p[l] += value * cosines[j + l];
        q[l] += value * sines[j + l];
        constant[l] += value;
        squares[l] += value * value;
      }
    // cos(a + b j) = cos a cos b j - sin a sin b j
    const double start = angle * (static_cast<double>(first) - 0.5 * (count - 1.0));
    const double c = std::cos(start), s = std::sin(start);
    const double pp = (p[0] + p[1]) + (p[2] + p[3]), qq = (q[0] + q[1]) + (q[2] + q[3]);
    with_cosine += c * pp - s * qq;
    with_sine += s * pp + c * qq;
  }
  const double one = sumOfCosines(angle, count), two = sumOfCosines(2.0 * angle, count);
  sums.normal << count, one, 0.0, one, 0.5 * (count + two), 0.0, 0.0, 0.0, 0.5 * (count - two);
  sums.right = {(constant[0] + constant[1]) + (constant[2] + constant[3]), with_cosine, with_sine};
  sums.squares = (squares[0] + squares[1]) + (squares[2] + squares[3]);
  return sums;
}

HarmonicFit fitHarmonic(std::span<const double> samples, double step_s, double w_rad_per_s) noexcept {
  const std::size_t n = samples.size();
  if (n < 4) return {};
  const auto [normal, right, squares] = harmonicSums(samples, w_rad_per_s * step_s);
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
