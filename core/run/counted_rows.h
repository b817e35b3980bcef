#pragma once
#include <cstdint>

#include "core/project/project.h"

namespace hyb {

/// The part of a test that its figures are taken from: from analysis.start_s to the start of the soft end.
struct AnalysisWindow {
  double start_s = 0.0;
  double duration_s = 0.0;  // of the whole test, with all of its trials; 0: until stopped
  double soft_end_s = 0.0;  // at its end
  double step_s = 1e-3;
  /// Where the soft end starts, in a test that nobody holds, s; negative: a test without a duration.
  double end_s() const noexcept { return duration_s - soft_end_s; }
};
/// Of a project, also of one that is damaged: what is missing or not a number has its neutral value.
AnalysisWindow analysisWindow(const Json& document, double rate_hz);

/// The rule for the rows that count. Figures of a run, live measures, plots and verdict all ask it, row by row from the
/// first one on. A hold moves the end by its own length; after a stop nothing counts. Allocates nothing.
class CountedRows {
 public:
  enum class Part : std::uint8_t { before, counted, over };
  CountedRows() = default;
  explicit CountedRows(const AnalysisWindow& window) noexcept : window_(window), end_s_(window.end_s()) {}
  const AnalysisWindow& window() const noexcept { return window_; }
  /// Of the newest row.
  Part part() const noexcept { return part_; }
  /// Which part the next row belongs to, by its time and its flags.
  Part next(double time_s, double flags) noexcept;

 private:
  AnalysisWindow window_;
  double end_s_ = 0.0;
  Part part_ = Part::before;
};

}  // namespace hyb
