#include "core/fidelity/spectrum.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "core/base/minimum.h"
#include "core/base/numbers.h"
#include "core/fidelity/harmonic_fit.h"
#include "core/fidelity/record.h"

namespace hyb {

namespace {

using Complex = std::complex<double>;

/// Mean square of the residual of the best constant and sine.
double residual(std::span<const double> samples, double angle_per_sample) {
  const HarmonicSums sums = harmonicSums(samples, angle_per_sample);
  return sums.squares - sums.right.dot(sums.normal.ldlt().solve(sums.right));
}

}  // namespace

AmplitudeSpectrum amplitudeSpectrum(std::span<const Complex> bins, std::size_t samples, double step_s) {
  const auto count = static_cast<double>(samples);
  AmplitudeSpectrum spectrum;
  spectrum.bin_hz = 1.0 / (count * step_s);
  spectrum.amplitude.reserve(bins.size());
  for (const Complex& bin : bins)
    spectrum.amplitude.push_back(2.0 / count * std::sqrt(bin.real() * bin.real() + bin.imag() * bin.imag()));
  return spectrum;
}

AmplitudeSpectrum amplitudeSpectrum(std::span<const double> samples, double step_s) {
  if (!readable(samples) || !(step_s > 0.0)) return {};
  return amplitudeSpectrum(dft(samples), samples.size(), step_s);
}

std::size_t AmplitudeSpectrum::lobeEnd() const {
  std::size_t k = 0;
  while (k + 1 < amplitude.size() && amplitude[k + 1] <= amplitude[k]) ++k;
  return std::max<std::size_t>(k, 1);
}

std::vector<SpectralPeak> peaks(const AmplitudeSpectrum& spectrum, double least_share) {
  const std::vector<double>& a = spectrum.amplitude;
  if (a.size() < 3) return {};
  const double noise = 1e-13 * *std::max_element(a.begin(), a.end());  // rounding of a constant is not a motion
  std::vector<SpectralPeak> found;
  double highest = 0.0;
  for (std::size_t k = spectrum.lobeEnd(); k + 1 < a.size(); ++k) {
    const bool top = a[k] > a[k - 1] && a[k] >= a[k + 1];
    if (!top || !(a[k] > noise)) continue;
    found.push_back({k, spectrum.frequency_hz(k), a[k]});
    highest = std::max(highest, a[k]);
  }
  std::erase_if(found, [&](const SpectralPeak& peak) { return peak.amplitude < least_share * highest; });
  return found;
}

std::optional<SpectralPeak> dominantPeak(const AmplitudeSpectrum& spectrum) {
  const std::vector<SpectralPeak> highest = peaks(spectrum, 1.0);
  if (highest.empty()) return std::nullopt;
  return highest.front();
}

std::optional<double> dominantFrequency_hz(std::span<const double> samples, double step_s) {
  const std::optional<SpectralPeak> peak = dominantPeak(amplitudeSpectrum(samples, step_s));
  if (!peak) return std::nullopt;
  return dominantFrequency_hz(samples, step_s, *peak);
}

double dominantFrequency_hz(std::span<const double> samples, double step_s, const SpectralPeak& peak) {
  // Over the main lobe: one bin on either side, and never down to the constant.
  const double bin = 2.0 * kPi / static_cast<double>(samples.size()), centre = bin * static_cast<double>(peak.bin);
  const double low = std::max(centre - bin, 0.5 * bin), high = std::min(centre + bin, kPi);
  return minimumOf([&](double angle) { return residual(samples, angle); }, low, high).first / (2.0 * kPi * step_s);
}

}  // namespace hyb
