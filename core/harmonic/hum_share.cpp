#include "core/harmonic/hum_share.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "core/base/numbers.h"

namespace hyb {

namespace {

using HumComplex = std::complex<double>;

/// Weighted mean of e^{i 2 a k} over the window, ticks k: of magnitude |p sin s + q cos s|, s = a times the number of
/// ticks.
class WindowMean {
 public:
  /// ticks: of the window, which ends at the nearest tick.
  WindowMean(double ticks, bool hann) : rows_(std::round(ticks)), b_(kPi / ticks), hann_(hann), weight_(rows_) {
    if (hann_) weight_ -= std::sin(rows_ * b_) * std::cos((rows_ - 1.0) * b_) / std::sin(b_);
  }
  /// The largest magnitude for any s, at most 1.
  double bound(double a) const {
    const auto [p, q] = parts(a);
    const double most = std::sqrt(std::norm(p) + std::norm(q)) / weight_;
    return most < 1.0 ? most : 1.0;  // also where it is not a number
  }
  double at(double a) const {
    const auto [p, q] = parts(a);
    const double s = a * rows_;
    return std::abs(p * std::sin(s) + q * std::cos(s)) / weight_;
  }

 private:
  std::pair<HumComplex, HumComplex> parts(double a) const {
    if (!hann_) return {1.0 / std::sin(a), 0.0};
    const double rest = kPi - rows_ * b_;  // 0 for whole ticks
    const HumComplex above = std::polar(0.5, -rest - b_) / std::sin(a + b_),
                     below = std::polar(0.5, rest + b_) / std::sin(a - b_);
    return {1.0 / std::sin(a) - std::cos(rest) * (above + below), std::sin(rest) * (above - below)};
  }
  double rows_, b_;
  bool hann_;
  double weight_;  // sum of the window
};

}  // namespace

double humShare(double hum_hz, double frequency_hz, int harmonic, int periods, bool hann, double rate_hz) {
  const WindowMean mean(periods * rate_hz / frequency_hz, hann);
  const auto angle = [&](double hz) { return kPi * hz / rate_hz; };
  const double of_harmonic = harmonic * frequency_hz;
  return mean.bound(angle(hum_hz - of_harmonic)) + mean.bound(angle(hum_hz + of_harmonic)) +
         2.0 * mean.bound(angle(hum_hz)) * mean.at(angle(of_harmonic));  // of the mean, which is removed
}

HumShare largestHumShare(const PeriodAverages& averages, double rate_hz) {
  // Inside a range the hum may meet a harmonic, so the range is searched finely enough to see its main lobe.
  constexpr int kPlaces = 1000;
  HumShare largest;
  const auto look = [&](double hz) {
    for (const int harmonic : averages.harmonics)
      if (const double share = humShare(averages.hum_hz, hz, harmonic, averages.periods, averages.hann, rate_hz);
          share > largest.share)
        largest = {share, hz, harmonic};
  };
  for (const double hz : averages.range_hz) look(hz);
  if (!averages.range || averages.range_hz.size() != 2) return largest;
  const auto [low, high] = std::minmax(averages.range_hz[0], averages.range_hz[1]);
  for (int k = 1; k < kPlaces; ++k) look(low + (high - low) * k / kPlaces);
  for (const int harmonic : averages.harmonics)
    if (const double hz = averages.hum_hz / harmonic; hz > low && hz < high) look(hz);
  return largest;
}

}  // namespace hyb
