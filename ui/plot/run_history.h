#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/data/table.h"
#include "core/fidelity/running.h"
#include "core/loop/row.h"
#include "core/run/counted_rows.h"
#include "ui/plot/row_history.h"

namespace hyb::ui {

/// Wake lateness and compute time over a whole run, in eighths of a decade from 100 ns to 1 s.
class TimingFigures {
 public:
  static constexpr std::size_t kPerDecade = 8, kDecades = 7, kBins = kPerDecade * kDecades;
  static constexpr double kFirstNs = 100.0;
  void add(double wake_late_ns, double compute_ns, bool late) noexcept;
  const std::array<std::uint64_t, kBins>& lateness() const noexcept { return lateness_; }
  static double binEdgeNs(std::size_t bin) noexcept;  // lower edge; kBins gives the upper end
  std::uint64_t ticks() const noexcept { return ticks_; }
  std::uint64_t lateTicks() const noexcept { return late_; }
  double lateShare() const noexcept { return ticks_ ? static_cast<double>(late_) / static_cast<double>(ticks_) : 0.0; }
  double maxLatenessNs() const noexcept { return max_lateness_ns_; }
  /// Geometric middle of the bin with the median; 0 without measured compute time.
  double medianComputeNs() const noexcept;
  double maxComputeNs() const noexcept { return max_compute_ns_; }

 private:
  std::array<std::uint64_t, kBins> lateness_{}, compute_{};
  std::uint64_t ticks_ = 0, late_ = 0, computed_ = 0;
  double max_lateness_ns_ = 0.0, max_compute_ns_ = 0.0;
};

/// Rows of one run for the views: the columns of its RowLayout, followed by derived columns.
class RunHistory {
 public:
  /// `counted`: rows that the figures of the test count; by default all up to a stop.
  RunHistory(RowLayout layout, double rate_hz, std::size_t rows, const CountedRows& counted = {});
  const RowLayout& layout() const noexcept { return layout_; }
  const std::vector<Channel>& columns() const noexcept { return columns_; }  // those of the layout, then derived ones
  /// The rows that are kept, as they were recorded. The history outlives it.
  Table table() const;
  double rateHz() const noexcept { return rate_hz_; }
  const RowHistory& rows() const noexcept { return rows_; }
  const TimingFigures& timing() const noexcept { return timing_; }
  /// One row of the layout's width. Rows must come in the order of their ticks.
  void append(std::span<const double> row) noexcept;

  /// Tracking indicator, m^2, of the catalogue (core/fidelity/measure.h): rising = lag. Interface i from 0.
  static std::size_t trackingIndicator(const RowLayout& layout, std::size_t i) noexcept { return layout.width() + i; }
  std::size_t trackingIndicator(std::size_t i) const noexcept { return trackingIndicator(layout_, i); }
  /// Energy error of the catalogue, J: energy added by the transfer system.
  static std::size_t energyError(const RowLayout& layout) noexcept { return layout.width() + layout.interfaces(); }
  std::size_t energyError() const noexcept { return energyError(layout_); }
  /// Power of an interface into its specimen, W: force on it times its own rate in the rows.
  static std::size_t interfacePower(const RowLayout& layout, std::size_t i) noexcept {
    return energyError(layout) + 1 + i;
  }
  std::size_t interfacePower(std::size_t i) const noexcept { return interfacePower(layout_, i); }
  /// The column of `other` with the same quantity as `column` here; kNoValue if it has none.
  std::size_t columnIn(const RunHistory& other, std::size_t column) const;
  static constexpr std::size_t kNoValue = static_cast<std::size_t>(-1);
  /// Largest magnitude over the whole run, including rows that are no longer kept.
  double peak(std::size_t column) const noexcept;
  /// Time of the last row of the excited test, s: before a stop, a hold or the soft end.
  double motionEnd() const noexcept { return moving_until_s_; }
  /// Times of the first and the last counted row, s; first after last: no row counts.
  double countedFrom() const noexcept { return counted_from_s_; }
  double countedTo() const noexcept { return counted_to_s_; }
  double latestTime() const noexcept;  // s; 0 before the first row

 private:
  RowLayout layout_;
  std::vector<Channel> columns_;
  double rate_hz_;
  RowHistory rows_;
  TimingFigures timing_;
  std::vector<double> extended_, previous_, peaks_;
  RunningEnergyError energy_;
  std::vector<RunningTrackingIndicator> indicators_;
  std::vector<double> moved_;  // of the newest row
  CountedRows counted_;
  double moving_until_s_ = 0.0;
  double counted_from_s_ = std::numeric_limits<double>::infinity(), counted_to_s_ = -counted_from_s_;
};

}  // namespace hyb::ui
