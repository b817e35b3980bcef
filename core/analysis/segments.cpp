#include "core/analysis/segments.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/options.h"
#include "core/base/error.h"
#include "core/base/figure_text.h"

namespace hyb {
namespace {

constexpr std::uint64_t kRowsAtOnce = 1u << 16;
constexpr double kShortestSegment = 16.0;  // rows

}  // namespace

SegmentSpec segmentsOf(const Table& table, const AnalysisSettings& settings, std::size_t usual) {
  const std::optional<double> length_s = settings.number(options::kSegment),
                              resolution_hz = settings.number(options::kResolution);
  if (length_s && resolution_hz)
    throw InputError("resolution", "follows from the segment length, which is given as well; give one of both.");
  SegmentSpec spec;
  spec.rate_hz = table.rate_hz;
  spec.window = static_cast<SpectralWindow>(settings.word(options::kWindow));
  spec.detrend = static_cast<Detrend>(settings.word(options::kDetrend));
  double rows = static_cast<double>(usual);
  if (length_s) rows = std::round(*length_s * table.rate_hz);
  if (resolution_hz) rows = std::round(table.rate_hz / *resolution_hz);
  if (table.rows < static_cast<std::uint64_t>(kShortestSegment))
    throw InputError("", "The record has " + std::to_string(table.rows) +
                             " rows, and a segment needs at least 16; choose a longer stretch.");
  if (!(rows >= kShortestSegment && rows <= static_cast<double>(table.rows)))
    throw InputError(resolution_hz ? "resolution" : "segment",
                     "makes segments of " + figureText(rows, 6) + " rows (" + figureText(rows / table.rate_hz, 4) +
                         " s). A segment needs at least 16 rows, and the record has " + std::to_string(table.rows) +
                         " (" + figureText(static_cast<double>(table.rows) / table.rate_hz, 4) + " s); choose a " +
                         (rows < kShortestSegment ? "longer segment." : "shorter segment or a longer stretch."));
  spec.length = static_cast<std::size_t>(rows);
  const double overlap = 0.01 * settings.number(options::kOverlap).value_or(0.0);
  spec.hop = std::max<std::size_t>(1, spec.length - static_cast<std::size_t>(std::floor(overlap * rows + 1e-9)));
  return spec;
}

void eachBlockOf(const Table& table, std::span<const std::size_t> channels,
                 const std::function<void(const std::vector<std::vector<double>>&)>& take) {
  for (std::uint64_t first = 0; first < table.rows; first += kRowsAtOnce) {
    std::vector<std::vector<double>> block;
    for (const std::size_t channel : channels)
      block.push_back(table.read(channel, first, std::min(kRowsAtOnce, table.rows - first)));
    take(block);
  }
}

SegmentCount eachSegment(const Table& table, std::size_t channel, const SegmentSpec& spec,
                         const std::function<void(std::size_t, std::span<const std::complex<double>>)>& take) {
  const SegmentWindow window(spec.window, spec.length);
  Dft dft(spec.length);
  std::vector<double> rows(spec.length), weighted(spec.length);
  std::size_t filled = 0;
  SegmentCount count;
  eachBlockOf(table, std::span(&channel, 1), [&](const std::vector<std::vector<double>>& block) {
    for (auto from = block[0].begin(); from != block[0].end();) {
      const auto part = std::min(static_cast<std::ptrdiff_t>(spec.length - filled), block[0].end() - from);
      std::copy(from, from + part, rows.begin() + static_cast<std::ptrdiff_t>(filled));
      from += part;
      filled += static_cast<std::size_t>(part);
      if (filled < spec.length) continue;
      const std::size_t number = count.used + count.left_out;
      if (window.apply(rows, spec.detrend, weighted)) {
        take(number, dft(weighted));
        ++count.used;
      } else {
        take(number, {});
        ++count.left_out;
      }
      std::copy(rows.begin() + static_cast<std::ptrdiff_t>(spec.hop), rows.end(), rows.begin());
      filled = spec.length - spec.hop;
    }
  });
  return count;
}

void refuseNoSegments(const SegmentCount& count, const SegmentSpec& spec, const std::string& channels) {
  if (count.used > 0) return;
  throw InputError(channels, "has missing rows in each of its " + std::to_string(count.left_out) + " segments of " +
                                 figureText(static_cast<double>(spec.length) / spec.rate_hz, 4) +
                                 " s; choose shorter segments, or a stretch without missing rows.");
}

void addSegments(AnalysisResult& result, const SegmentSpec& spec, const SegmentWindow& window,
                 const SegmentCount& count, const std::string& of) {
  const double resolution_hz = spec.rate_hz / static_cast<double>(spec.length);
  const std::string behind = of.empty() ? "" : " of " + of, before = of.empty() ? "" : of + "_";
  const auto add = [&](const char* name, const char* title, double value, const char* unit) {
    result.numbers.push_back({before + name, title + behind, value, unit});
  };
  const double averages = window.equivalentAverages(count.used, spec.hop);
  add("segments", "Segments", static_cast<double>(count.used), "");
  add("segments_left_out", "Segments left out", static_cast<double>(count.left_out), "");
  add("averages", "Independent averages", averages, "");
  if (count.left_out > 0)
    result.notes.push_back((of.empty() ? "" : of + ": ") + std::to_string(count.left_out) + " of " +
                           std::to_string(count.used + count.left_out) +
                           " segments have missing rows and are left out.");
  if (std::ranges::find(result.numbers, std::string("resolution"), &ResultNumber::name) != result.numbers.end()) return;
  result.numbers.push_back({"segment_length", "Segment length", 1.0 / resolution_hz, "s"});
  result.numbers.push_back({"resolution", "Resolution", resolution_hz, "Hz"});
  result.numbers.push_back(
      {"noise_bandwidth", "Effective noise bandwidth", window.noiseBandwidth_lines() * resolution_hz, "Hz"});
}

ResultAxis linesOf(const SegmentSpec& spec) {
  ResultAxis axis{"Frequency", "Hz", {}};
  for (std::size_t k = 0; k <= spec.length / 2; ++k)
    axis.values.push_back(spec.rate_hz * static_cast<double>(k) / static_cast<double>(spec.length));
  return axis;
}

std::vector<std::size_t> highestPeaks(std::span<const double> values, std::size_t most) {
  constexpr double kLeastShare = 1e-3;
  std::vector<std::size_t> found;
  for (std::size_t k = 1; k + 1 < values.size(); ++k)
    if (values[k] > values[k - 1] && values[k] >= values[k + 1]) found.push_back(k);
  std::ranges::stable_sort(found, [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  if (found.size() > most) found.resize(most);
  if (!found.empty())
    std::erase_if(found, [&, least = kLeastShare * values[found.front()]](std::size_t k) { return values[k] < least; });
  return found;
}

void refuseMissing(const Table& table, std::size_t channel, const std::string& why) {
  std::uint64_t row = 0, missing = 0, first = 0;
  eachBlockOf(table, std::span(&channel, 1), [&](const std::vector<std::vector<double>>& block) {
    for (const double value : block[0]) {
      if (!std::isfinite(value) && missing++ == 0) first = row;
      ++row;
    }
  });
  if (missing == 0) return;
  throw InputError(table.channels[channel].name, "misses " + std::to_string(missing) + " of " + std::to_string(row) +
                                                     " rows, the first at " + figureText(table.time_s(first), 6) +
                                                     " s. " + why + " Choose a stretch without missing rows.");
}

}  // namespace hyb
