#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/numbers.h"

namespace hyb::ui {

struct Extremes {
  double min, max;  // min > max: only NaN
  bool empty() const noexcept { return min > max; }
  void add(double value) noexcept {  // a NaN changes nothing
    if (value < min) min = value;
    if (value > max) max = value;
  }
  void add(const Extremes& other) noexcept {
    if (other.min < min) min = other.min;
    if (other.max > max) max = other.max;
  }
  static Extremes none() noexcept;
};

/// The last rows of a run by column, with a minimum/maximum pyramid (factor 16) over each column, so that any part can
/// be drawn with two points per pixel. Rows are numbered from 0 without end; buckets start at multiples of their size,
/// so that a scrolling trace does not flicker. Allocates only in the constructor.
class RowHistory {
 public:
  static constexpr std::size_t kFactor = 16, kLevels = 3;  // buckets of 16, 256 and 4096 rows
  static constexpr std::size_t kBlock = 4096;

  /// Keeps at least `rows` rows (one more block is held, and dropped as a whole when the ring wraps).
  RowHistory(std::size_t columns, std::size_t rows);
  std::size_t columns() const noexcept { return channels_.size(); }
  std::size_t capacity() const noexcept { return capacity_; }
  void clear() noexcept { end_ = 0; }
  /// `row` has one value per column.
  void append(std::span<const double> row) noexcept;

  /// Rows begin() .. end() - 1 can be read.
  std::uint64_t begin() const noexcept;
  std::uint64_t end() const noexcept { return end_; }
  bool empty() const noexcept { return end_ == 0; }
  // A column that does not exist returns NaN and no extremes. Curves and rows of two tests may briefly differ.
  /// begin() <= row < end().
  double at(std::size_t column, std::uint64_t row) const noexcept {
    if (column >= channels_.size()) return kNoValue;
    return channels_[column].values[static_cast<std::size_t>(row % capacity_)];
  }
  /// First row in [first, last) whose value is not below `value`; the column must not decrease (time, tick).
  std::uint64_t lowerBound(std::size_t column, double value, std::uint64_t first, std::uint64_t last) const noexcept;
  /// Smallest and largest value of rows [first, last), clipped to the kept rows.
  Extremes extremes(std::size_t column, std::uint64_t first, std::uint64_t last) const noexcept;
  /// Rows [first, last), clipped to the kept rows, into `out` (resized).
  void copy(std::size_t column, std::uint64_t first, std::uint64_t last, std::vector<double>& out) const;

 private:
  /// Completes the buckets that end before slot `end`, a multiple of kFactor; others are not read.
  void closeBuckets(std::size_t end) noexcept;
  struct Channel {
    std::unique_ptr<double[]> values;
    std::array<std::unique_ptr<Extremes[]>, kLevels> levels;
  };
  std::size_t capacity_;
  std::uint64_t end_ = 0;
  std::vector<Channel> channels_;
};

}  // namespace hyb::ui
