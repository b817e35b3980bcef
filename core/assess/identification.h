#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/identification/identify.h"
#include "core/run/run_record.h"

namespace hyb {

/// Largest number of rows for a model. More rows take long and do not improve it; the first ones are used.
inline constexpr std::size_t kMostIdentifiedRows = 500000;
/// The same for a stepped sine, whose rows are only averaged.
inline constexpr std::size_t kMostSteppedRows = 20000000;

/// Settings of an identification.
struct IdentifyRun {
  std::string input, output;  // channels; empty: command and measured motion of interface 1
  std::optional<Hold> hold;   // none: zero-order hold if the input is a command, else straight lines
  IdentifySpec spec;          // rate and hold come from the run
  // Part of the analysed rows; none: all of them. Either times or a trial.
  std::optional<double> from_s{}, to_s{};  // from_s <= time < to_s
  std::optional<int> trial{};
};
struct RunIdentification {
  std::string input, output;
  Hold hold = Hold::step;
  double rate_hz = 0.0, from_s = 0.0, to_s = 0.0;  // of the rows that were used
  std::optional<int> trial;                        // that was asked for
  Identification found;
  IdentifySpec spec;  // settings that were used
  std::vector<double> input_samples, output_samples;
};

/// Uses the rows that count for the figures, or the part of them that was asked for; if the test was held, the longest
/// stretch without a hold; of a stepped sine the rows before the first hold. A periodic excitation is cut to whole
/// periods. Throws InputError as identify() does, for
/// unknown channels and for parts without rows ("from", "to", "trial"); DeviceError (not a run file, damaged).
RunIdentification identifyRun(const RunRecord& run, const IdentifyRun& asked);

/// One response from runs at one frequency, or some, each, of the same channels; without a model. Throws InputError
/// ("runs") if one of them is no response of stepped sines.
RunIdentification joined(const std::vector<RunIdentification>& runs);

/// Channels of a run that an identification can use.
std::vector<std::string> signalsOf(const RunRecord& run);

/// Shortest common period of all signals of a project in whole ticks, up to `longest_s`; none if a signal does not
/// repeat, or only later.
std::optional<double> excitationPeriod_s(const Json& project, double rate_hz, double longest_s);

/// Frequencies at which the excitation of a project stands, in the time of the run, if all signals have the same: those
/// of stepped sines, or that of sines, from first_s to last_s without settling. Empty for others, and with trials.
std::vector<SineStep> excitationSteps(const Json& project, double first_s, double last_s);

/// Coefficients in the form of a project.
std::vector<double> highestFirst(const std::vector<double>& ascending);
/// [{"re", "im"}]
Json rootsJson(const std::vector<std::complex<double>>& roots);

/// The model as text: name and value of each figure, from the order on; empty if there is no model.
std::vector<std::pair<std::string, std::string>> modelFigures(const Identification& found);

/// The whole result as one JSON object. Numerator and denominator start with the highest power of s, as in a project.
Json identificationJson(const RunIdentification& identified);

}  // namespace hyb
