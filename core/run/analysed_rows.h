#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/run/counted_rows.h"
#include "core/run/run_record.h"

namespace hyb {

inline constexpr std::size_t kFewestRows = 16;  // fewer rows give no meaningful figures

/// The rows of a run that count for its figures (CountedRows), read slice by slice.
class AnalysedRows {
 public:
  explicit AnalysedRows(const RunRecord& run);
  /// Too few rows remain for figures.
  bool empty() const noexcept { return rows_ == 0; }
  std::uint64_t first() const noexcept { return first_; }  // row of the run
  std::uint64_t count() const noexcept { return rows_; }
  double from_s() const noexcept { return from_s_; }  // times of the first and the last counted row
  double to_s() const noexcept { return to_s_; }
  double startAsked_s() const noexcept { return window_.start_s; }
  double ended_s() const noexcept { return ended_s_; }  // time of the last row before a stop
  double last_s() const noexcept { return last_s_; }    // time of the last row of the run
  /// Share of the planned length that these rows cover, 0..1; 1 for a test without a duration.
  double share() const noexcept { return share_; }
  /// Counted rows with an exceeded limit, and missed periods among the counted ones.
  std::uint64_t limitRows() const noexcept { return limit_rows_; }
  std::uint64_t emulatedRows() const noexcept { return emulated_rows_; }  // counted rows with emulated forces
  std::uint64_t missedPeriods() const noexcept { return missed_; }
  /// For the whole run.
  std::uint64_t missedInAll() const noexcept { return missed_in_all_; }
  const Table& table() const noexcept { return run_.table; }
  /// Number of interfaces of the run.
  std::size_t interfaces() const;
  /// One value per period. Rows skipped by a late tick are interpolated linearly.
  std::vector<double> channel(std::size_t place) const;
  /// The same; empty if there is no such channel or no row.
  std::vector<double> channel(std::optional<std::size_t> place) const;
  std::vector<double> channel(ColumnRole role, std::size_t i) const;  // of interface i, from 0
  /// Calls each() once per period with the values of these channels in this order, interpolated likewise, and whether
  /// the test was held.
  void visit(const std::vector<std::size_t>& channels,
             const std::function<void(std::span<const double> values, bool held)>& each) const;

 private:
  const RunRecord& run_;
  AnalysisWindow window_;
  std::uint64_t first_ = 0, rows_ = 0, limit_rows_ = 0, emulated_rows_ = 0, missed_ = 0, missed_in_all_ = 0;
  double from_s_ = 0.0, to_s_ = 0.0, ended_s_ = 0.0, last_s_ = 0.0, share_ = 1.0;
};

}  // namespace hyb
