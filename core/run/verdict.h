#pragma once
#include "core/record/verdict.h"
#include "core/run/test_sums.h"

namespace hyb {

/// Bounds of the grades. Their sources are on the help page "Verdict" (resources/help/verdict.md).
struct VerdictBounds {
  /// J2 and J4: RMS error divided by RMS of the wanted motion. The energy of the error is the square: 1 % and 9 % of
  /// that of the motion.
  double good_share = 0.10, fair_share = 0.30;
  /// A gap beyond the tolerance is fair while it is short and less than twice the tolerance. Beyond that it is poor.
  double fair_time = 0.05, fair_excess = 2.0;
  /// Ratio of amplitudes to those of the uncut structure, or to their own earlier values, above which the loop is
  /// unstable.
  double runaway = 2.0;
  double at_rest = 0.1;        // of the rms of the whole test: a smaller motion at the end is rest and noise
  double whole_share = 0.95;   // of the planned length; a shorter test is cut short
  double missed_share = 0.01;  // of the periods; above it the interpolated periods matter
};

/// Grades a test by the worst of these: gap against the project's tolerance, tracking error, error against the uncut
/// structure where known, growth, limits, and the share of the test that was recorded.
Verdict judge(const RunRecord& run, const AnalysedRows& rows, const TestSums& sums, const VerdictBounds& bounds = {});
/// Judges a closed run file and stores the verdict in it. Throws DeviceError.
Verdict judgeFile(const std::filesystem::path& file, const std::filesystem::path& folder);
/// Reads the rows once, slice by slice: some ms for 100 000 rows. Throws DeviceError.
Verdict judge(const RunRecord& run);

/// Reason for a run without figures: it ended before the analysis started.
std::string tooShort(const AnalysedRows& rows);

/// Reads the JSON that verdictJson() wrote.
Verdict verdictOf(const Json& json);
/// {"ended", "data", "missing" (missing parts of the data; empty if complete), "test", "reasons"}, as in `metrics
/// --json`.
Json verdictJson(const Verdict& verdict);

}  // namespace hyb
