#pragma once
#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "core/assess/metrics.h"
#include "core/base/numbers.h"
#include "core/fidelity/measure.h"
#include "core/fidelity/record.h"
#include "core/loop/row.h"
#include "core/run/counted_rows.h"
#include "core/run/test_sums.h"

namespace hyb {

/// A measure (title, unit, what it can and cannot tell) and its figure in one test.
struct MeasureReading {
  const Measure* measure;
  int interface;  // from 1; 0: of the whole test
  double value;   // in measure->unit; NaN: this record does not determine it
};

/// What measures need to know of a test beside its rows.
struct MeasureContext {
  AnalysisWindow analysis = {};
  double step_s = 1e-3;
  double indicator_window_s = 0.5;
  GapTolerance gap_tolerance = {};
  double excitation_hz = 0.0;          // of a periodic test, else 0
  Eigen::MatrixXd specimen_stiffness;  // static, at the interface [i, i], N/m; empty: not known
  double susceptibility = kNoValue;    // of a test with one interface degree of freedom
  double phase_margin_deg = kNoValue;  // likewise: LoopAnalysis::phaseMargin()
  double bandwidth_hz = kNoValue;      // likewise, of the actuator before the specimen
};
/// From the models of a project; what they do not give stays unknown.
MeasureContext measureContext(const Project& project);

/// All measures that apply to a run, or with `all` false those that every run yields alone; over the rows that
/// metrics() takes, interface by interface, then of the whole test. Of a run that ended before its analysis began:
/// not-a-numbers for what every run yields. `sums` are those of these rows.
std::vector<MeasureReading> readMeasures(const RunRows& run, const AnalysedRows& rows, const TestSums& sums, bool all);
/// Likewise all of them; empty for a run that ended before its analysis began.
std::vector<MeasureReading> readMeasures(const RunRows& run);

/// The measures of the last seconds of a test that runs, of the rows that count (CountedRows). As long as none of them
/// counts, of those before. One thread at a time.
class MeasureWindow {
 public:
  /// window_s is cut to 2 ticks to 60 s.
  MeasureWindow(const RowLayout& layout, const MeasureContext& context, double window_s)
      : MeasureWindow(layout, context, window_s, CountedRows(context.analysis)) {}
  /// Of a test that runs already: `counted` has seen its rows.
  MeasureWindow(const RowLayout& layout, const MeasureContext& context, double window_s, const CountedRows& counted);
  const CountedRows& counted() const noexcept { return counted_; }
  /// One row or several, as a RowRing gives them. Allocates nothing.
  void push(std::span<const double> rows) noexcept;
  /// As readMeasures() over the rows in the window; empty for fewer than 16. Some milliseconds: ask twice a second.
  std::vector<MeasureReading> read() const;

 private:
  RowLayout layout_;
  MeasureContext context_;
  CountedRows counted_;
  std::size_t capacity_, rows_ = 0, next_ = 0;
  std::vector<std::size_t> columns_;  // of a row: what TestSums takes, then measured, velocities, piston targets
  std::size_t channels_, own_;        // all of them; the first that TestSums does not take
  std::vector<double> values_;        // [capacity, channels]
  std::vector<char> held_;            // [capacity], of each row: the cut is open, so it does not count
};

}  // namespace hyb
