#pragma once
#include "core/record/verdict.h"
#include "core/run/test_sums.h"

namespace hyb {

/// Bounds of the grades. What they rest on: help page "Verdict" (resources/help/verdict.md).
struct VerdictBounds {
  /// J2 and J4: error by the motion wanted, both rms. The energy of the error is the square: 1 % and 9 % of the
  /// motion's.
  double good_share = 0.10, fair_share = 0.30;
  /// A gap beyond the tolerance is fair while it is short and less than twice as large, poor beyond that.
  double fair_time = 0.05, fair_excess = 2.0;
  /// Amplitudes by those of the uncut structure, or by their own before, that say that the loop runs away.
  double runaway = 2.0;
  double whole_share = 0.95;   // of the planned length; less is cut short
  double missed_share = 0.01;  // of the periods, beyond which what was filled in matters
};

/// Was it a good test? Gap against the project's tolerance, tracking error, distance from the uncut structure where it
/// is known, growth, limits and how much of the test there is: the worst of them decides.
Verdict judge(const RunRows& run, const AnalysedRows& rows, const TestSums& sums, const VerdictBounds& bounds = {});
/// One pass over its rows, slice by slice: some ms for 100 000 of them. Throws DeviceError.
Verdict judge(const RunRows& run);

/// Why a run has no figures: it ended before what is analysed began.
std::string tooShort(const AnalysedRows& rows);

/// {"ended", "data", "test", "reasons"}, as in `metrics --json`.
Json verdictJson(const Verdict& verdict);

}  // namespace hyb
