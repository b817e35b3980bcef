#include "core/fidelity/frequency_index.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/fidelity/record.h"
#include "core/fidelity/spectrum.h"
#include "core/numbers.h"

namespace hyb {

namespace {

constexpr std::size_t kFewestSamples = 8;

template <typename Keeps>  // bool(std::size_t bin)
std::optional<FrequencyIndex> weighted(std::span<const double> command, std::span<const double> achieved, double step_s,
                                       const Keeps& keeps) {
  const std::vector<std::complex<double>> z = dft(command), x = dft(achieved);
  const double bin_hz = 1.0 / (static_cast<double>(command.size()) * step_s);
  std::complex<double> cross;
  double weight = 0.0, moment = 0.0;
  for (std::size_t j = 0; j < command.size() / 2; ++j) {
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
  index.delay_s = index.frequency_hz > 0.0 ? -phase / (2.0 * kPi * index.frequency_hz) : kNoFigure;
  return index;
}

}  // namespace

std::optional<FrequencyIndex> frequencyIndex(std::span<const double> command, std::span<const double> achieved,
                                             double step_s, double highest_hz) {
  if (!comparable(command, achieved, kFewestSamples) || !(step_s > 0.0)) return std::nullopt;
  const double highest_bin = highest_hz * step_s * static_cast<double>(command.size());
  return weighted(command, achieved, step_s, [&](std::size_t bin) { return static_cast<double>(bin) <= highest_bin; });
}

std::optional<FrequencyIndex> adaptedFrequencyIndex(std::span<const double> command, std::span<const double> achieved,
                                                    double step_s, const FrequencyBands& bands) {
  if (!comparable(command, achieved, kFewestSamples) || !(step_s > 0.0)) return std::nullopt;
  const AmplitudeSpectrum spectrum = amplitudeSpectrum(command, step_s);
  const std::vector<SpectralPeak> around = peaks(spectrum, bands.least_share);
  const std::size_t lobe_end = spectrum.lobeEnd();
  return weighted(command, achieved, step_s, [&](std::size_t bin) {
    return bin >= lobe_end && std::any_of(around.begin(), around.end(), [&](const SpectralPeak& peak) {
             return bin == peak.bin || std::abs(spectrum.frequency_hz(bin) - peak.frequency_hz) <= bands.half_width_hz;
           });
  });
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
