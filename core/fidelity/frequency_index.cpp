#include "core/fidelity/frequency_index.h"

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "core/fidelity/record.h"
#include "core/fidelity/spectrum.h"

namespace hyb {

namespace {

constexpr std::size_t kFewestSamples = 8;

using Bins = std::span<const std::complex<double>>;

template <typename Keeps>  // bool(std::size_t bin)
std::optional<FrequencyIndex> weighted(Bins z, Bins x, std::size_t samples, double step_s, const Keeps& keeps) {
  const double bin_hz = 1.0 / (static_cast<double>(samples) * step_s);
  std::complex<double> cross;
  double weight = 0.0, moment = 0.0;
  for (std::size_t j = 0; j < samples / 2; ++j) {
    if (!keeps(j)) continue;
    cross += x[j] * std::conj(z[j]);  // (Z'/Z) |Z|^2 without dividing by empty bins
    weight += std::norm(z[j]);
    moment += std::norm(z[j]) * bin_hz * static_cast<double>(j);
  }
  if (!(weight > 0.0)) return std::nullopt;
  FrequencyIndex index;
  index.value = cross / weight;
  index.amplitude = std::abs(index.value);
  const double phase = std::arg(index.value);
  index.phase_deg = phase * 180.0 / kPi;
  index.frequency_hz = moment / weight;
  index.delay_s = index.frequency_hz > 0.0 ? -phase / (2.0 * kPi * index.frequency_hz) : kNoValue;
  return index;
}

}  // namespace

std::optional<FrequencyIndex> frequencyIndex(Bins command, Bins achieved, std::size_t samples, double step_s,
                                             double highest_hz) {
  const double highest_bin = highest_hz * step_s * static_cast<double>(samples);
  return weighted(command, achieved, samples, step_s,
                  [&](std::size_t bin) { return static_cast<double>(bin) <= highest_bin; });
}

std::optional<FrequencyIndex> frequencyIndex(std::span<const double> command, std::span<const double> achieved,
                                             double step_s, double highest_hz) {
  if (!comparable(command, achieved, kFewestSamples) || !(step_s > 0.0)) return std::nullopt;
  Dft dft(command.size());
  const auto z = dft(command), x = dft(achieved);
  return frequencyIndex(z, x, command.size(), step_s, highest_hz);
}

std::optional<FrequencyIndex> adaptedFrequencyIndex(Bins command, Bins achieved, std::size_t samples, double step_s,
                                                    const AmplitudeSpectrum& amplitudes, const FrequencyBands& bands) {
  std::vector<bool> kept(amplitudes.amplitude.size(), false);
  const std::size_t lobe_end = amplitudes.lobeEnd();
  for (const SpectralPeak& peak : peaks(amplitudes, bands.least_share)) {
    // Bins within the band, searched outward from the peak.
    const auto within = [&](std::size_t bin) {
      return bin == peak.bin || std::abs(amplitudes.frequency_hz(bin) - peak.frequency_hz) <= bands.half_width_hz;
    };
    for (std::size_t bin = peak.bin; bin < kept.size() && within(bin); ++bin) kept[bin] = true;
    for (std::size_t bin = peak.bin; bin > lobe_end && within(bin - 1); --bin) kept[bin - 1] = true;
  }
  return weighted(command, achieved, samples, step_s, [&](std::size_t bin) { return bin >= lobe_end && kept[bin]; });
}

std::optional<FrequencyIndex> adaptedFrequencyIndex(std::span<const double> command, std::span<const double> achieved,
                                                    double step_s, const FrequencyBands& bands) {
  if (!comparable(command, achieved, kFewestSamples) || !(step_s > 0.0)) return std::nullopt;
  Dft dft(command.size());
  const auto z = dft(command), x = dft(achieved);
  return adaptedFrequencyIndex(z, x, command.size(), step_s, amplitudeSpectrum(z, command.size(), step_s), bands);
}

std::vector<TimedFrequencyIndex> windowedFrequencyIndex(std::span<const double> command,
                                                        std::span<const double> achieved, double step_s,
                                                        std::size_t window, std::size_t hop,
                                                        const FrequencyBands& bands) {
  std::vector<TimedFrequencyIndex> course;
  if (command.size() != achieved.size() || window == 0 || hop == 0) return course;
  for (std::size_t first = 0; window <= command.size() && first <= command.size() - window; first += hop)
    course.push_back(
        {step_s * (static_cast<double>(first) + 0.5 * static_cast<double>(window - 1)),
         adaptedFrequencyIndex(command.subspan(first, window), achieved.subspan(first, window), step_s, bands)});
  return course;
}

}  // namespace hyb
