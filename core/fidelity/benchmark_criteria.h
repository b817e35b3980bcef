#pragma once
#include <array>
#include <span>

namespace hyb {

/// Displacements of one run of the RTHS benchmark 2020, m, equally long.
struct BenchmarkRecord {
  std::span<const double> target, measured;          // floor 1: what was computed, what the actuator did
  std::span<const double> floor2, floor3;            // computed
  std::array<std::span<const double>, 3> reference;  // floors 1, 2, 3 of the reference structure
};

/// Criteria of Silva et al. 2020, section "Procedure" of the note. J1: delay by cross-correlation, ms, here with parts
/// of a sample (the benchmark rounds to whole samples and looks for lags only). The others in %: NRMSE over
/// the rms of what is wanted, and largest difference by largest magnitude. Each is NaN where its own channels do not
/// determine it.
struct BenchmarkCriteria {
  double j1_ms;   // measured against target
  double j2, j3;  // NRMSE and peak of measured against target
  double j4, j5;  // NRMSE and peak of measured against the reference, floor 1
  double j6, j7;  // NRMSE of floors 2 and 3 against the reference
  double j8, j9;  // peaks of floors 2 and 3
};
BenchmarkCriteria benchmarkCriteria(const BenchmarkRecord& record, double step_s, double max_lag_s = 0.1);

}  // namespace hyb
