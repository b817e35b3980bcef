#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/table.h"

namespace hyb {

/// Values over an axis: what they are and in which unit. "1" is the unit of a ratio.
struct ResultAxis {
  std::string quantity, unit;  // "Frequency", "Hz"
  std::vector<double> values;  // ascending
};

/// One column over the first axis of a result.
struct ResultCurve {
  std::string name;            // of its column in a table: "gap_1_amplitude"
  std::string channel;         // that it belongs to: "gap_1"; of two channels the output
  std::string quantity, unit;  // "Amplitude", "m"
  std::vector<double> values;  // [x]; NaN: unknown
};

/// Values over two axes, for example a density over time and frequency.
struct ResultMap {
  std::string name, quantity, unit;
  ResultAxis y;
  std::vector<double> values;  // [x][y]: all of y for the first x, then for the second; NaN: unknown
};

struct ResultNumber {
  std::string name, title;  // "resolution", "Resolution"
  double value = 0.0;
  std::string unit;  // "" for a count
};

/// A point that stands out, such as a peak: place on the first axis, and the channel in whose curves it does.
struct ResultMark {
  std::size_t at = 0;
  std::string channel;
};

/// What an analysis leaves: plain data for a table, a figure or a report.
struct AnalysisResult {
  std::string analysis, title;  // name in analyses(); title of the whole: "Spectrum of gap_1"
  ResultAxis x;
  double rate_hz = 0.0;  // > 0: x is an even time base
  std::vector<ResultCurve> curves;
  std::optional<ResultMap> map;
  std::vector<ResultNumber> numbers;
  std::vector<ResultMark> marks;   // the most prominent first, for each channel
  std::vector<std::string> notes;  // whole sentences
};

/// The curves as channels over the first axis, which is the first channel unless it is an even time base. A map is one
/// row for each of its values: both axes and the value.
Table tableOf(AnalysisResult result);

/// One setting of an analysis: a number within its bounds, or one of its words.
struct AnalysisOption {
  std::string_view name, title, unit, description;
  std::string_view usual = {};                   // text of the default; "": chosen by the analysis
  std::span<const std::string_view> words = {};  // empty: a number
  double least = 0.0, most = 0.0;                // bounds of a number
  bool above = false;                            // `least` itself is refused
  bool whole = false;                            // a whole number
  bool required = false;
};

/// Settings of one analysis, checked against its options.
class AnalysisSettings {
 public:
  /// `given`: text of each option by its name; an empty text is the default. Throws InputError with the name of the
  /// option as the place: unknown, missing, not a number, out of its bounds.
  AnalysisSettings(std::string_view analysis, std::span<const AnalysisOption* const> options,
                   const std::map<std::string, std::string>& given);
  /// Nothing: to be chosen by the analysis.
  std::optional<double> number(const AnalysisOption& option) const;
  /// Index of the chosen word among those of the option.
  std::size_t word(const AnalysisOption& option) const;

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

/// Channels that an analysis takes.
enum class AnalysisInputs : unsigned char {
  one,   // one channel
  each,  // one or more, each on its own
  pair,  // an input and one or more outputs
};

struct Analysis {
  std::string_view name, title;  // "frf", "Frequency response"
  std::string_view description;  // what it gives
  AnalysisInputs inputs;
  std::span<const AnalysisOption* const> options;
  AnalysisResult (*compute)(const Table& table, const std::vector<std::string>& channels,
                            const AnalysisSettings& settings);
  bool timed = true;  // needs a table with a rate
};

/// All analyses, in the order in which they are offered.
std::span<const Analysis* const> analyses() noexcept;
/// Throws InputError with the known ones.
const Analysis& analysis(const std::string& name);

/// Analyses channels of a table. Throws InputError: an unknown channel or setting, too few or too many channels, a
/// table without rate or rows, fewer rows than it needs, missing rows that it cannot leave out.
AnalysisResult analyse(const Table& table, const Analysis& analysis, const std::vector<std::string>& channels,
                       const std::map<std::string, std::string>& settings = {});

}  // namespace hyb
