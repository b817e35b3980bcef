#include "core/fidelity/tracking_measures.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/fidelity/harmonic_fit.h"

namespace hyb {

namespace {
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
}

double nrmsePercent(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  double error = 0.0, norm = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    error += (b[k] - a[k]) * (b[k] - a[k]);
    norm += a[k] * a[k];
  }
  return norm > 0.0 ? 100.0 * std::sqrt(error / norm) : kNone;
}

double peakPercent(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  double error = 0.0, norm = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    error = std::max(error, std::abs(b[k] - a[k]));
    norm = std::max(norm, std::abs(a[k]));
  }
  return norm > 0.0 ? 100.0 * error / norm : kNone;
}

double delayByCorrelation(std::span<const double> a, std::span<const double> b, double step_s, double max_lag_s) {
  assert(a.size() == b.size() && step_s > 0.0);
  const auto reach = static_cast<std::size_t>(std::ceil(max_lag_s / step_s)) + 1;  // one more to interpolate
  const std::size_t n = a.size();
  if (n < 4 * reach) return kNone;
  // a stays in the middle, b is shifted beneath it: every lag uses equally many samples.
  const std::span<const double> middle = a.subspan(reach, n - 2 * reach);
  const auto used = static_cast<double>(middle.size());
  double a_mean = 0.0;
  for (const double value : middle) a_mean += (value - a[0]) / used;
  std::vector<double> score(2 * reach + 1);
  for (std::size_t shift = 0; shift < score.size(); ++shift) {
    double product = 0.0, sum = 0.0, squares = 0.0;
    for (std::size_t k = 0; k < middle.size(); ++k) {
      const double value = b[k + shift] - b[0];
      product += (middle[k] - a[0] - a_mean) * value;
      sum += value;
      squares += value * value;
    }
    const double norm = squares - sum * sum / used;
    score[shift] = norm > 0.0 ? product / std::sqrt(norm) : 0.0;
  }
  const auto best = std::max_element(score.begin() + 1, score.end() - 1);
  if (!(*best > 0.0)) return kNone;
  const double before = *(best - 1), after = *(best + 1);
  const double bend = before - 2.0 * *best + after;
  const double fraction = bend < 0.0 ? std::clamp(0.5 * (before - after) / bend, -0.5, 0.5) : 0.0;
  return (static_cast<double>(best - score.begin()) + fraction - static_cast<double>(reach)) * step_s;
}

HarmonicReading harmonicReading(std::span<const double> a, std::span<const double> b, double step_s,
                                double frequency_hz) {
  assert(a.size() == b.size() && step_s > 0.0);
  const double w = 2.0 * std::numbers::pi * frequency_hz;
  const std::complex<double> from = fitHarmonic(a, step_s, w).amplitude, to = fitHarmonic(b, step_s, w).amplitude;
  if (!(std::abs(from) > 0.0)) return {kNone, kNone};
  const std::complex<double> ratio = to / from;
  return {std::abs(ratio), std::arg(ratio) * 180.0 / std::numbers::pi};
}

}  // namespace hyb
