#pragma once
#include <cstdint>

#include "core/project/project.h"

namespace hyb {

/// The part of a test that counts for its figures: from analysis.start_s to the start of the soft end.
struct AnalysisWindow {
  double start_s = 0.0;
  double duration_s = 0.0;  // of the whole test with all its trials; 0: until stopped
  double soft_end_s = 0.0;  // at the end of the test
  double step_s = 1e-3;
  /// Start of the soft end in a test without holds, s; negative for a test without a duration.
  double end_s() const noexcept { return duration_s - soft_end_s; }
};
/// Read from a project, which may be damaged: values that are missing or not numbers become neutral.
AnalysisWindow analysisWindow(const Json& document, double rate_hz);

/// The rule for the rows that count, used by figures of a run, live measures, plots and verdict. It must see every row
/// from the first. A hold moves the end by its own length. After a stop no row counts. Does not allocate.
class CountedRows {
 public:
  enum class Part : std::uint8_t { before, counted, over };
  CountedRows() = default;
  explicit CountedRows(const AnalysisWindow& window) noexcept : window_(window), end_s_(window.end_s()) {}
  const AnalysisWindow& window() const noexcept { return window_; }
  /// For the newest row.
  Part part() const noexcept { return part_; }
  /// The part that the next row belongs to, from its time and flags.
  Part next(double time_s, double flags) noexcept;

 private:
  AnalysisWindow window_;
  double end_s_ = 0.0;
  Part part_ = Part::before;
};

}  // namespace hyb
