#include <algorithm>
#include <cmath>

#include "core/analysis/entries.h"
#include "core/analysis/options.h"
#include "core/analysis/segments.h"
#include "core/base/error.h"
#include "core/base/numbers.h"

namespace hyb {
namespace {

double degreesOf(const std::complex<double>& value) { return 180.0 / kPi * std::arg(value); }

/// Averages over the segments in which neither channel misses a row. Throws InputError: no such segment, a channel
/// without any change.
SegmentCount addRows(const Table& table, std::size_t input, std::size_t output, CrossSpectra& spectra) {
  std::array<double, 2> low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  const std::array places{input, output};
  eachBlockOf(table, places, [&](const std::vector<std::vector<double>>& block) {
    spectra.add(block[0], block[1]);
    for (std::size_t c = 0; c < 2; ++c)
      for (const double value : block[c]) {
        if (value < low[c]) low[c] = value;  // false for a missing value
        if (value > high[c]) high[c] = value;
      }
  });
  const SegmentCount count{spectra.segments(), spectra.leftOut()};
  refuseNoSegments(count, spectra.spec(), table.channels[input].name + ", " + table.channels[output].name);
  if (!(low[0] < high[0]))
    throw InputError(table.channels[input].name,
                     "is constant, so nothing responds to it; choose another input or another stretch.");
  return count;
}

/// Numbers and notes on the segments of each pair of the input and an output.
void addPairFacts(AnalysisResult& result, const SegmentSpec& spec, const std::vector<SegmentCount>& counts,
                  const std::vector<std::string>& channels) {
  const SegmentWindow window(spec.window, spec.length);
  const bool alike = std::ranges::all_of(counts, [&](const SegmentCount& one) { return one == counts.front(); });
  for (std::size_t c = 0; c < (alike ? 1 : counts.size()); ++c)
    addSegments(result, spec, window, counts[c], alike ? std::string() : channels[c + 1]);
  if (std::ranges::any_of(counts, [&](const SegmentCount& one) {
        return window.equivalentAverages(one.used, spec.hop) < 1.5;  // below it the errors have no degree of freedom
      }))
    result.notes.emplace_back(
        "There are fewer than 1.5 independent averages, so the coherence is near 1 by definition and the errors are "
        "unknown; choose shorter segments or a longer stretch.");
}

/// Values of the lines by their place in [bins]; NaN for lines without input.
template <typename Value>
std::vector<double> overBins(const MeasuredResponse& response, std::size_t bins, Value&& value) {
  std::vector<double> values(bins, kNoValue);
  for (const ResponseLine& line : response.lines) {
    const double found = value(line);
    if (std::isfinite(found))
      values[static_cast<std::size_t>(std::llround(line.frequency_hz / response.bin_hz))] = found;
  }
  return values;
}

/// Spectra of the input with each output. take(result, spectra, input, output) adds what it makes of them.
template <typename Take>
AnalysisResult overOutputs(const Table& table, const std::vector<std::string>& channels,
                           const AnalysisSettings& settings, Take&& take) {
  const SegmentSpec spec = segmentsOf(table, settings, segmentFor(table.rows));
  AnalysisResult result;
  result.x = linesOf(spec);
  const std::size_t input = placeOf(table, channels[0]);
  std::vector<SegmentCount> counts;
  for (std::size_t c = 1; c < channels.size(); ++c) {
    const std::size_t output = placeOf(table, channels[c]);
    CrossSpectra spectra(spec);
    counts.push_back(addRows(table, input, output, spectra));
    take(result, spectra, table.channels[input], table.channels[output]);
  }
  addPairFacts(result, spec, counts, channels);
  return result;
}

void addCrossSpectrum(AnalysisResult& result, const CrossSpectra& spectra, const Channel& input,
                      const Channel& output) {
  const std::string& name = output.name;
  std::vector<double> magnitude, phase;
  for (const std::complex<double>& value : spectra.crossDensity()) {
    magnitude.push_back(std::abs(value));
    phase.push_back(degreesOf(value));
  }
  for (const std::size_t k : highestPeaks(magnitude)) result.marks.push_back({k, name});
  result.curves.push_back({name + "_csd", name, "Cross-spectral density, magnitude",
                           densityUnit(input.units, output.units), std::move(magnitude)});
  result.curves.push_back({name + "_phase", name, "Phase", "deg", std::move(phase)});
  result.curves.push_back(
      {name + "_coherence", name, "Coherence", "1",
       overBins(spectra.response(), result.x.values.size(), [](const ResponseLine& line) { return line.coherence; })});
}

AnalysisResult crossSpectrumOf(const Table& table, const std::vector<std::string>& channels,
                               const AnalysisSettings& settings) {
  AnalysisResult result = overOutputs(table, channels, settings, addCrossSpectrum);
  result.notes.push_back("One-sided. A positive phase means that the output is ahead of " + channels[0] + ".");
  return result;
}

/// Lines at 1, 2, 5 of each decade of the numbering, and the highest peak.
std::vector<std::size_t> markedLines(const std::vector<double>& magnitude) {
  std::vector<std::size_t> lines = highestPeaks(magnitude, 1);
  for (std::size_t decade = 1; decade < magnitude.size(); decade *= 10)
    for (const std::size_t k : {decade, 2 * decade, 5 * decade})
      if (k < magnitude.size() && std::ranges::find(lines, k) == lines.end()) lines.push_back(k);
  std::ranges::sort(lines);
  std::erase_if(lines, [&](std::size_t k) { return !std::isfinite(magnitude[k]); });
  return lines;
}

void addResponse(AnalysisResult& result, const CrossSpectra& spectra, const Channel& input, const Channel& output) {
  const std::string &name = output.name, unit = ratioUnit(output.units, input.units);
  const MeasuredResponse response = spectra.response();
  const auto add = [&](const char* suffix, const char* quantity, const std::string& of_unit, auto&& value) {
    result.curves.push_back(
        {name + suffix, name, quantity, of_unit, overBins(response, result.x.values.size(), value)});
  };
  add("_magnitude", "Magnitude by H1", unit, [](const ResponseLine& line) { return std::abs(line.h1); });
  for (const std::size_t k : markedLines(result.curves.back().values)) result.marks.push_back({k, name});
  add("_magnitude_error", "Half of 95 % interval", unit, [](const ResponseLine& line) { return line.magnitude_error; });
  add("_magnitude_h2", "Magnitude by H2", unit, [](const ResponseLine& line) { return std::abs(line.h2); });
  add("_phase", "Phase", "deg", [](const ResponseLine& line) { return degreesOf(line.h1); });
  add("_coherence", "Coherence", "1", [](const ResponseLine& line) { return line.coherence; });
  add("_random_error", "Random error", "1", [](const ResponseLine& line) { return line.random_error; });
}

AnalysisResult frequencyResponseOf(const Table& table, const std::vector<std::string>& channels,
                                   const AnalysisSettings& settings) {
  AnalysisResult result = overOutputs(table, channels, settings, addResponse);
  result.notes.push_back(
      "Output over " + channels[0] +
      ". H1 is right for noise in the output alone, H2 for noise in the input alone; the phase of both is the same, "
      "positive where the output is ahead. Random error and 95 % interval of the magnitude by H1: Bendat and Piersol, "
      "Random Data (2010), sections 6.1 and 9.2. They do not contain leakage; choose a finer resolution where the "
      "coherence has a dip at a peak.");
  return result;
}

}  // namespace

/// Cross-spectral density of conj(input) output, one-sided: magnitude, phase, coherence.
constinit const Analysis kCrossSpectrumAnalysis{
    "cross-spectrum",     "Cross spectrum",   "Cross-spectral density of an input and its outputs, with coherence",
    AnalysisInputs::pair, options::kSegments, crossSpectrumOf};

/// Frequency response by H1 = S_xy / S_xx and H2 = S_yy / S_yx with coherence and random error. Source: J. Bendat, A.
/// Piersol, Random Data, 4th ed. (2010), sections 6.1 and 9.2.
constinit const Analysis kFrequencyResponseAnalysis{"frf",
                                                    "Frequency response",
                                                    "Frequency response by H1 and H2 with coherence and 95 % interval",
                                                    AnalysisInputs::pair,
                                                    options::kSegments,
                                                    frequencyResponseOf};

}  // namespace hyb
