#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/identification/identify.h"
#include "core/run/run_rows.h"

namespace hyb {

/// More rows than these would not make a model better, but take long; the first of them are looked at.
inline constexpr std::size_t kMostIdentifiedRows = 500000;

/// What is asked of a run.
struct IdentifyRun {
  std::string input, output;  // channels; empty: the command, and the measured motion, of interface 1
  std::optional<Hold> hold;   // none: held over the tick where the input is a command, else straight lines
  IdentifySpec spec;          // rate and hold are those of the run
};
struct RunIdentification {
  std::string input, output;
  Hold hold = Hold::step;
  double rate_hz = 0.0, from_s = 0.0, to_s = 0.0;  // of the rows that were looked at
  Identification found;
  IdentifySpec spec;  // as it was looked at
  std::vector<double> input_samples, output_samples;
};

/// From the rows that the figures of a run are taken from; where the test was held meanwhile, from the longest stretch
/// without. An excitation that repeats is looked at in whole periods. Throws InputError as identify() does, and for
/// channels that there are not; DeviceError (not a run file, damaged).
RunIdentification identifyRun(const RunRows& run, const IdentifyRun& asked);

/// Channels of a run between which something can be identified.
std::vector<std::string> signalsOf(const RunRows& run);

/// The period after which all signals of a project repeat together; none where one does not.
std::optional<double> excitationPeriod_s(const Json& project);

/// Coefficients as a project has them.
std::vector<double> highestFirst(const std::vector<double>& ascending);
/// [{"re", "im"}]
Json rootsJson(const std::vector<std::complex<double>>& roots);

/// The model as people read it: name and value of each figure, from its order on; empty: there is none.
std::vector<std::pair<std::string, std::string>> modelFigures(const Identification& found);

/// All of it as one JSON object. Numerator and denominator from the highest power of s down, as a project has them.
Json identificationJson(const RunIdentification& identified);

}  // namespace hyb
