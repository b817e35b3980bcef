#include <bit>

#include "core/analysis/entries.h"
#include "core/analysis/segments.h"
#include "core/base/error.h"

namespace hyb {
namespace {

AnalysisResult fourierOf(const Table& table, const std::vector<std::string>& channels, const AnalysisSettings&) {
  constexpr std::uint64_t kMostRows = 1ull << 26;
  if (table.rows < 2 || table.rows > kMostRows)
    throw InputError("", "The record has " + std::to_string(table.rows) +
                             " rows; the Fourier amplitude needs 2 to 67108864. Choose another stretch.");
  AnalysisResult result;
  SegmentSpec padded;
  padded.rate_hz = table.rate_hz;
  padded.length = std::bit_ceil(static_cast<std::size_t>(table.rows));
  result.x = linesOf(padded);
  Dft dft(padded.length);
  for (const std::string& name : channels) {
    const std::size_t channel = placeOf(table, name);
    refuseMissing(table, channel, "The Fourier amplitude is that of the whole record.");
    std::vector<double> rows = table.column(channel);
    rows.resize(padded.length, 0.0);
    std::vector<double> amplitude;
    for (const std::complex<double>& bin : dft(rows))
      amplitude.push_back(2.0 / static_cast<double>(table.rows) * std::abs(bin));
    for (const std::size_t k : highestPeaks(amplitude)) result.marks.push_back({k, name});
    result.curves.push_back(
        {name + "_fourier", name, "Fourier amplitude", table.channels[channel].units, std::move(amplitude)});
  }
  const double rows = static_cast<double>(table.rows);
  result.numbers = {
      {"rows", "Rows", rows, ""},
      {"padded_rows", "Rows with the added zeros", static_cast<double>(padded.length), ""},
      {"line_distance", "Distance of the lines", table.rate_hz / static_cast<double>(padded.length), "Hz"},
      {"resolution", "Resolution", table.rate_hz / rows, "Hz"}};
  result.notes.emplace_back(
      "One transform of the whole record, without window, with zeros added up to a power of two, times 2 over the "
      "rows, "
      "as OpenFresco Express shows it. A mean value appears at 0 Hz with twice its size.");
  return result;
}

}  // namespace

/// Single-sided magnitude 2/n |X| of the record with zeros up to a power of two, n: rows of the record. Source:
/// OpenFresco Express, error monitors (GetFFT.m).
constinit const Analysis kFourierAnalysis{"fourier",
                                          "Fourier amplitude",
                                          "Fourier amplitude of the whole record, as OpenFresco Express shows the gap",
                                          AnalysisInputs::each,
                                          {},
                                          fourierOf};

}  // namespace hyb
