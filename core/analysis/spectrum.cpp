#include <algorithm>
#include <cmath>

#include "core/analysis/entries.h"
#include "core/analysis/options.h"
#include "core/analysis/segments.h"

namespace hyb {
namespace {

/// Mean of |X|^2 over the segments [lines].
SegmentCount meanPower(const Table& table, std::size_t channel, const SegmentSpec& spec, std::vector<double>& power) {
  power.assign(spec.length / 2 + 1, 0.0);
  const SegmentCount count =
      eachSegment(table, channel, spec, [&](std::size_t, std::span<const std::complex<double>> bins) {
        for (std::size_t k = 0; k < bins.size(); ++k) power[k] += std::norm(bins[k]);
      });
  for (double& value : power) value /= static_cast<double>(count.used);
  return count;
}

void addSpectrumOf(AnalysisResult& result, const std::string& name, const std::string& unit, const SegmentSpec& spec,
                   const SegmentWindow& window, const std::vector<double>& power) {
  std::vector<double> amplitude, density;
  double square = 0.0;
  for (std::size_t k = 0; k < power.size(); ++k) {
    const double sides = k == 0 || 2 * k == spec.length ? 1.0 : 2.0;
    amplitude.push_back(sides * std::sqrt(power[k]) / window.sum());
    density.push_back(sides * power[k] / (spec.rate_hz * window.energy()));
    square += density.back() * spec.rate_hz / static_cast<double>(spec.length);
  }
  for (const std::size_t k : highestPeaks(amplitude)) result.marks.push_back({k, name});
  result.curves.push_back({name + "_amplitude", name, "Amplitude", unit, std::move(amplitude)});
  result.curves.push_back({name + "_psd", name, "Power spectral density", densityUnit(unit, unit), std::move(density)});
  result.numbers.push_back({name + "_rms", "Root mean square of " + name, std::sqrt(square), unit});
}

AnalysisResult spectrumOf(const Table& table, const std::vector<std::string>& channels,
                          const AnalysisSettings& settings) {
  const SegmentSpec spec = segmentsOf(table, settings, segmentFor(table.rows));
  const SegmentWindow window(spec.window, spec.length);
  AnalysisResult result;
  result.x = linesOf(spec);
  std::vector<SegmentCount> counts;
  for (const std::string& name : channels) {
    const std::size_t channel = placeOf(table, name);
    std::vector<double> power;
    counts.push_back(meanPower(table, channel, spec, power));
    refuseNoSegments(counts.back(), spec, name);
    addSpectrumOf(result, name, table.channels[channel].units, spec, window, power);
  }
  const bool alike = std::ranges::all_of(counts, [&](const SegmentCount& one) { return one == counts.front(); });
  for (std::size_t c = 0; c < (alike ? 1 : counts.size()); ++c)
    addSegments(result, spec, window, counts[c], alike ? std::string() : channels[c]);
  result.notes.emplace_back(
      "Amplitude: peak value of a sine at that line. Density: one-sided; its integral over the frequency is the mean "
      "square. The relative standard deviation of the density is 1 / sqrt(independent averages).");
  return result;
}

}  // namespace

/// Amplitude spectrum and power spectral density, one-sided, averaged over segments: A = 2 sqrt(mean |X|^2) / sum w,
/// G = 2 mean |X|^2 / (rate sum w^2), without the 2 at 0 Hz and at half the rate. Source: P. Welch, IEEE Trans. Audio
/// Electroacoust. 15 (1967); random error: J. Bendat, A. Piersol, Random Data, 4th ed. (2010), section 8.5.
constinit const Analysis kSpectrumAnalysis{
    "spectrum",           "Spectrum",         "Amplitude spectrum and power spectral density by Welch's method",
    AnalysisInputs::each, options::kSegments, spectrumOf};

}  // namespace hyb
