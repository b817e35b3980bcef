#pragma once
#include <complex>
#include <functional>

#include "core/analysis/analysis.h"
#include "core/signal/cross_spectra.h"

/// What the analyses over segments share.
namespace hyb {

/// The split that the settings ask for; without a length `usual` rows. Throws InputError: both length and resolution,
/// a segment below 16 rows or longer than the table.
SegmentSpec segmentsOf(const Table& table, const AnalysisSettings& settings, std::size_t usual);

/// Calls take(values of each channel) for one block of rows after the other.
void eachBlockOf(const Table& table, std::span<const std::size_t> channels,
                 const std::function<void(const std::vector<std::vector<double>>& block)>& take);

struct SegmentCount {
  std::size_t used = 0, left_out = 0;  // left out, because a row is missing
  bool operator==(const SegmentCount&) const = default;
};
/// Calls take(number of the segment, its bins) for one segment of the channel after the other; no bins for a segment
/// with a missing row.
SegmentCount eachSegment(const Table& table, std::size_t channel, const SegmentSpec& spec,
                         const std::function<void(std::size_t, std::span<const std::complex<double>>)>& take);

/// Throws InputError unless a segment is left.
void refuseNoSegments(const SegmentCount& count, const SegmentSpec& spec, const std::string& channels);

/// Numbers and notes on the segments: their number, length, averages, resolution, noise bandwidth. `of`: "" for all
/// channels, else the channel.
void addSegments(AnalysisResult& result, const SegmentSpec& spec, const SegmentWindow& window,
                 const SegmentCount& count, const std::string& of = {});

/// Frequencies of the lines of a segment, from 0 Hz to half the rate.
ResultAxis linesOf(const SegmentSpec& spec);

/// Local maxima of the values from the second on, the highest first, at most `most`, none below a thousandth of the
/// highest.
std::vector<std::size_t> highestPeaks(std::span<const double> values, std::size_t most = 5);

/// Refuses missing rows: `why` says what needs all of them. Throws InputError with the time of the first.
void refuseMissing(const Table& table, std::size_t channel, const std::string& why);

/// Units of results: "m" -> "m2/Hz", "m", "N" -> "m N/Hz", "N/m", "m/s", "m s". An empty unit counts as 1.
std::string densityUnit(const std::string& a, const std::string& b);
std::string ratioUnit(const std::string& above, const std::string& below);
std::string rateUnit(const std::string& unit);
std::string integralUnit(const std::string& unit);

}  // namespace hyb
