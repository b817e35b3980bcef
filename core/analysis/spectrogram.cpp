#include <algorithm>
#include <cmath>

#include "core/analysis/entries.h"
#include "core/analysis/options.h"
#include "core/analysis/segments.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/linalg/fft.h"

namespace hyb {
namespace {

constexpr std::size_t kMostValues = 20'000'000;

/// About a hundred half-overlapping segments, with a fast transform.
std::size_t usualSlice(std::uint64_t rows) {
  constexpr std::uint64_t kSlices = 50, kShortest = 16, kLongest = 65536;
  const std::size_t wanted = std::clamp(rows / kSlices, kShortest, kLongest);
  return std::min<std::size_t>(2 * linalg::fastLength(wanted / 2), std::max(rows, kShortest));
}

AnalysisResult spectrogramOf(const Table& table, const std::vector<std::string>& channels,
                             const AnalysisSettings& settings) {
  const std::string& name = channels[0];
  const std::size_t channel = placeOf(table, name);
  const SegmentSpec spec = segmentsOf(table, settings, usualSlice(table.rows));
  const SegmentWindow window(spec.window, spec.length);
  AnalysisResult result;
  result.x = {"Time", "s", {}};
  const std::string& unit = table.channels[channel].units;
  result.map = ResultMap{name + "_psd", "Power spectral density", densityUnit(unit, unit), linesOf(spec), {}};
  const std::size_t lines = result.map->y.values.size(), slices = (table.rows - spec.length) / spec.hop + 1;
  if (lines * slices > kMostValues)
    throw InputError("overlap", "makes " + std::to_string(slices) + " spectra of " + std::to_string(lines) +
                                    " lines; choose less overlap or a shorter stretch.");
  result.rate_hz = spec.rate_hz / static_cast<double>(spec.hop);
  std::vector<double> strongest_hz;
  const SegmentCount count =
      eachSegment(table, channel, spec, [&](std::size_t number, std::span<const std::complex<double>> bins) {
        const double middle = static_cast<double>(number * spec.hop) + 0.5 * static_cast<double>(spec.length);
        result.x.values.push_back(table.start_s + middle / spec.rate_hz);
        std::size_t top = 0;
        for (std::size_t k = 0; k < lines; ++k) {
          const double sides = k == 0 || 2 * k == spec.length ? 1.0 : 2.0;
          result.map->values.push_back(bins.empty() ? kNoValue
                                                    : sides * std::norm(bins[k]) / (spec.rate_hz * window.energy()));
          if (!bins.empty() && k > 0 && (top == 0 || std::norm(bins[k]) > std::norm(bins[top]))) top = k;
        }
        strongest_hz.push_back(top == 0 ? kNoValue : result.map->y.values[top]);
      });
  refuseNoSegments(count, spec, name);
  result.curves.push_back({name + "_strongest", name, "Strongest frequency", "Hz", std::move(strongest_hz)});
  constexpr std::size_t kMarks = 10;
  for (std::size_t m = 0; m < std::min(kMarks, slices); ++m)
    result.marks.push_back({m * slices / std::min(kMarks, slices), name});
  addSegments(result, spec, window, count);
  std::erase_if(result.numbers, [](const ResultNumber& number) { return number.name == "averages"; });
  result.notes.emplace_back("Each segment is one spectrum, at the time of its middle; nothing is averaged.");
  return result;
}

}  // namespace

/// Power spectral density over time and frequency: one spectrum for each segment, not averaged. A segment with missing
/// rows is a spectrum of NaN.
constinit const Analysis kSpectrogramAnalysis{
    "spectrogram",       "Spectrogram",      "Power spectral density over time and frequency",
    AnalysisInputs::one, options::kSegments, spectrogramOf};

}  // namespace hyb
