#pragma once
#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/assess/metrics.h"
#include "core/base/numbers.h"
#include "core/fidelity/measure.h"
#include "core/fidelity/record.h"
#include "core/loop/row.h"
#include "core/run/counted_rows.h"
#include "core/run/test_sums.h"

namespace hyb {

/// A measure (title, unit, what it tells) and its figure in one test.
struct MeasureReading {
  const Measure* measure;
  int interface;  // from 1; 0 for the whole test
  double value;   // in measure->unit; NaN if this record does not determine it
};

/// Columns of the recorded DOF (coupling/recorded_dofs.h) that belong to one interface, in the order of
/// InterfaceSignals::Recorded: computed, measured, reference, then computed and reference of both levels; "": none.
using RecordedColumns = std::array<std::string, 7>;

/// What measures need to know of a test besides its rows.
struct MeasureContext {
  AnalysisWindow analysis = {};
  double step_s = 1e-3;
  double indicator_window_s = 0.5;
  GapTolerance gap_tolerance = {};
  double excitation_hz = 0.0;                       // of a periodic test, else 0
  Eigen::MatrixXd specimen_stiffness;               // static, at the interface [i, i], N/m; empty if unknown
  double susceptibility = kNoValue;                 // for a test with one interface DOF
  double phase_margin_deg = kNoValue;               // likewise: LoopAnalysis::phaseMargin()
  double bandwidth_hz = kNoValue;                   // likewise, of the actuator with the specimen behind it
  std::vector<RecordedColumns> recorded;            // [i]; empty if the test does not record all DOF of the cut
  std::vector<double> command_limits, load_limits;  // [i]: lowest limits on commands and forces; NaN: none
};
/// From the models of a project. Values that they do not give stay unknown. Susceptibility, margin and bandwidth take
/// some milliseconds; without `models` they stay unknown, too.
MeasureContext measureContext(const Project& project, bool models = true);

/// Which measures are read.
using MeasureChoice = std::function<bool(const Measure&)>;
bool everyMeasure(const Measure& measure);

/// The wanted measures that apply to a run, over the rows that metrics() uses, interface by interface, then for the
/// whole test. Computes what these need and no more; a figure does not depend on the others. For a run that ended
/// before its analysis started: NaN for the measures of every run.
std::vector<MeasureReading> readMeasures(const RunRecord& run, const AnalysedRows& rows, const MeasureChoice& wanted);
/// `sums`: known already, over these rows.
std::vector<MeasureReading> readMeasures(const RunRecord& run, const AnalysedRows& rows, const TestSums& sums,
                                         const MeasureChoice& wanted);
/// All of them likewise; empty for a run that ended before its analysis started.
std::vector<MeasureReading> readMeasures(const RunRecord& run);

/// Measures of the last seconds of a running test, over the rows that count (CountedRows). Until a row counts, over the
/// rows so far. One thread at a time.
class MeasureWindow {
 public:
  /// window_s is limited to between 2 ticks and 60 s.
  MeasureWindow(const RowLayout& layout, const MeasureContext& context, double window_s)
      : MeasureWindow(layout, context, window_s, CountedRows(context.analysis)) {}
  /// For a running test: `counted` has seen its rows.
  MeasureWindow(const RowLayout& layout, const MeasureContext& context, double window_s, const CountedRows& counted);
  const CountedRows& counted() const noexcept { return counted_; }
  /// One or several rows, as a RowRing gives them. Does not allocate.
  void push(std::span<const double> rows) noexcept;
  /// As readMeasures() over the rows in the window; empty for fewer than 16. Takes some milliseconds: call twice a
  /// second.
  std::vector<MeasureReading> read() const;

 private:
  RowLayout layout_;
  MeasureContext context_;
  CountedRows counted_;
  std::size_t capacity_, rows_ = 0, next_ = 0;
  std::vector<std::size_t> columns_;  // of a row: those of TestSums, measured, velocities, commands, recorded DOF,
                                      // piston targets
  std::size_t channels_, own_;        // all columns; the first one that TestSums does not use
  std::size_t pistons_ = 0;           // the first piston target
  std::vector<std::array<std::size_t, 7>> recorded_;  // [i]: places of the recorded DOF; 0: none
  std::vector<double> values_;                        // [capacity, channels]
  std::vector<char> held_;                            // per row: the cut is open, so the row does not count
};

}  // namespace hyb
