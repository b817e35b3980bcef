#include "core/fidelity/resample.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/base/student.h"

namespace hyb {

FaceInterval bootstrap(std::size_t n, int rounds, std::uint64_t seed, const Figure& figure) {
  constexpr double kLeftOut = 0.025;  // at either end
  std::mt19937_64 engine(seed);
  std::vector<std::size_t> draw(n);
  std::vector<double> figures;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t& index : draw) index = static_cast<std::size_t>(engine() % n);
    if (const double value = figure(draw); std::isfinite(value)) figures.push_back(value);
  }
  if (figures.empty() || 2 * figures.size() < static_cast<std::size_t>(rounds)) return {};
  std::sort(figures.begin(), figures.end());
  const auto cut = static_cast<std::size_t>(kLeftOut * static_cast<double>(figures.size()));
  return {figures[cut], figures[figures.size() - 1 - cut]};
}

namespace {

/// The figures with each of the tests left out in turn.
std::vector<double> withoutOne(std::size_t n, const Figure& figure) {
  std::vector<double> figures;
  for (std::size_t out = 0; out < n; ++out) {
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < n; ++i)
      if (i != out) rest.push_back(i);
    figures.push_back(figure(rest));
  }
  return figures;
}

}  // namespace

FaceInterval leaveOneOut(std::size_t n, const Figure& figure) {
  FaceInterval interval;
  for (const double value : withoutOne(n, figure))
    if (std::isfinite(value)) interval = together(interval, {value, value});
  return interval;
}

FaceInterval jackknife(std::size_t n, double value, const Figure& figure) {
  if (n < 3) return {};
  const std::vector<double> figures = withoutOne(n, figure);
  const auto count = static_cast<double>(n);
  double mean = 0.0, squares = 0.0;
  for (const double each : figures) mean += each / count;
  for (const double each : figures) squares += (each - mean) * (each - mean);
  const double half = studentQuantile(count - 2.0, 0.5 + 0.5 * kFaceLevel) * std::sqrt(squares * (count - 1.0) / count);
  if (!std::isfinite(half)) return {};
  return {value - half, value + half};
}

FaceInterval together(const FaceInterval& a, const FaceInterval& b) {
  if (!a.known()) return b;
  if (!b.known()) return a;
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

}  // namespace hyb
