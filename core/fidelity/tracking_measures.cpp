#include "core/fidelity/tracking_measures.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <complex>
#include <vector>

#include "core/base/numbers.h"
#include "core/fidelity/harmonic_fit.h"
#include "core/fidelity/running.h"
#include "core/linalg/fft.h"

namespace hyb {

namespace {

constexpr double kTop = 0.995;  // share of the largest correlation that belongs to its peak

/// Position of the vertex of the least-squares parabola through equally spaced values, counted from the first.
double vertex(std::span<const double> values) {
  const double centre = 0.5 * static_cast<double>(values.size() - 1);
  double s0 = 0.0, s2 = 0.0, s4 = 0.0, y0 = 0.0, y1 = 0.0, y2 = 0.0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double x = static_cast<double>(k) - centre;
    s0 += 1.0;
    s2 += x * x;
    s4 += x * x * x * x;
    y0 += values[k];
    y1 += x * values[k];
    y2 += x * x * values[k];
  }
  const double bend = (s0 * y2 - s2 * y0) / (s0 * s4 - s2 * s2);
  return bend < 0.0 ? centre + std::clamp(-0.5 * y1 / s2 / bend, -centre, centre) : centre;
}

}  // namespace

double nrmsePercent(std::span<const double> a, std::span<const double> b) noexcept {
  return 100.0 * compared(a, b).nrmse();
}

double peakPercent(std::span<const double> a, std::span<const double> b) noexcept {
  return 100.0 * compared(a, b).peakShare();
}

double delayByCorrelation(std::span<const double> a, std::span<const double> b, double step_s, double max_lag_s) {
  assert(a.size() == b.size() && step_s > 0.0);
  const auto reach = static_cast<std::size_t>(std::ceil(max_lag_s / step_s)) + 1;  // one more for interpolation
  const std::size_t n = a.size();
  if (n < 4 * reach) return kNoValue;
  // a is fixed in the middle, b is shifted under it: every lag uses equally many samples.
  const std::size_t used = n - 2 * reach, lags = 2 * reach + 1;
  std::vector<double> middle(a.begin() + static_cast<std::ptrdiff_t>(reach),
                             a.begin() + static_cast<std::ptrdiff_t>(reach + used));
  std::vector<double> shifted(b.begin(), b.end());
  double a_mean = 0.0;
  for (const double value : middle) a_mean += (value - a[0]) / static_cast<double>(used);
  for (double& value : middle) value -= a[0] + a_mean;
  for (double& value : shifted) value -= b[0];
  // Products of all lags at once: correlation is a product of spectra. Wrapped parts are beyond the last lag.
  const std::size_t length = 4 * linalg::fastLength((n + 3) / 4);
  middle.resize(length, 0.0);
  std::vector<double> slid = shifted;
  slid.resize(length, 0.0);
  std::vector<std::complex<double>> bins = linalg::halfTransform(slid);
  const std::vector<std::complex<double>> still = linalg::halfTransform(middle);
  for (std::size_t k = 0; k < bins.size(); ++k) bins[k] *= std::conj(still[k]);
  const std::vector<double> products = linalg::inverseHalfTransform(bins, length);
  double sum = 0.0, squares = 0.0;  // of the window of b under a
  for (std::size_t k = 0; k < used; ++k) sum += shifted[k], squares += shifted[k] * shifted[k];
  std::vector<double> score(lags);
  for (std::size_t shift = 0; shift < lags; ++shift) {
    const double norm = squares - sum * sum / static_cast<double>(used);
    // For a record at rest, the remainder of the sliding squares is rounding.
    score[shift] = norm > 1e-14 * squares ? products[shift] / std::sqrt(norm) : 0.0;
    if (shift + 1 == lags) break;
    const double gone = shifted[shift], come = shifted[shift + used];
    sum += come - gone;
    squares += come * come - gone * gone;
  }
  const auto best = std::max_element(score.begin() + 1, score.end() - 1);
  if (!(*best > 0.0)) return kNoValue;
  // Noise makes neighbouring lags differ at random: the peak is that of a parabola fitted to all lags around the
  // largest one that reach 99.5 % of it.
  auto from = best, to = best;
  while (from > score.begin() && *(from - 1) > kTop * *best) --from;
  while (to + 1 < score.end() && *(to + 1) > kTop * *best) ++to;
  from = std::min(from, best - 1);
  to = std::max(to, best + 1);
  return (static_cast<double>(from - score.begin()) + vertex(std::span<const double>(from, to + 1)) -
          static_cast<double>(reach)) *
         step_s;
}

HarmonicReading harmonicReading(std::span<const double> a, std::span<const double> b, double step_s,
                                double frequency_hz) {
  assert(a.size() == b.size() && step_s > 0.0);
  const double w = kTwoPi * frequency_hz;
  const std::complex<double> from = fitHarmonic(a, step_s, w).amplitude, to = fitHarmonic(b, step_s, w).amplitude;
  if (!(std::abs(from) > 0.0)) return {kNoValue, kNoValue};
  const std::complex<double> ratio = to / from;
  return {std::abs(ratio), std::arg(ratio) * 180.0 / kPi};
}

}  // namespace hyb
