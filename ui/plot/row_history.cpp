#include "ui/plot/row_history.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace hyb::ui {
namespace {

constexpr std::array<std::uint64_t, RowHistory::kLevels> kBucket{16, 256, 4096};

}  // namespace

Extremes Extremes::none() noexcept {
  return {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
}

RowHistory::RowHistory(std::size_t columns, std::size_t rows)
    : capacity_((rows + kBlock - 1) / kBlock * kBlock + kBlock), channels_(columns) {
  for (Channel& channel : channels_) {
    // Uninitialised: only written values are read.
    channel.values = std::make_unique_for_overwrite<double[]>(capacity_);
    for (std::size_t level = 0; level < kLevels; ++level)
      channel.levels[level] = std::make_unique_for_overwrite<Extremes[]>(capacity_ / kBucket[level]);
  }
}

void RowHistory::append(std::span<const double> row) noexcept {
  assert(row.size() == channels_.size());
  const auto slot = static_cast<std::size_t>(end_ % capacity_);
  for (std::size_t column = 0; column < channels_.size(); ++column) channels_[column].values[slot] = row[column];
  if (++end_ % kFactor == 0) closeBuckets(slot + 1);
}

void RowHistory::closeBuckets(std::size_t end) noexcept {
  for (Channel& channel : channels_) {
    Extremes& lowest = channel.levels[0][end / kBucket[0] - 1] = Extremes::none();
    for (std::size_t slot = end - kFactor; slot < end; ++slot) lowest.add(channel.values[slot]);
    for (std::size_t level = 1; level < kLevels && end % kBucket[level] == 0; ++level) {
      Extremes& bucket = channel.levels[level][end / kBucket[level] - 1] = Extremes::none();
      const std::size_t below = end / kBucket[level - 1];
      for (std::size_t part = below - kFactor; part < below; ++part) bucket.add(channel.levels[level - 1][part]);
    }
  }
}

std::uint64_t RowHistory::begin() const noexcept {
  if (end_ <= capacity_) return 0;
  // The block being overwritten shares its pyramid buckets with the oldest rows, so the whole block is dropped.
  return (end_ - capacity_ + kBlock - 1) / kBlock * kBlock;
}

std::uint64_t RowHistory::lowerBound(std::size_t column, double value, std::uint64_t first,
                                     std::uint64_t last) const noexcept {
  first = std::max(first, begin());
  last = std::min(last, end());
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    if (at(column, middle) < value)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

Extremes RowHistory::extremes(std::size_t column, std::uint64_t first, std::uint64_t last) const noexcept {
  Extremes result = Extremes::none();
  if (column >= channels_.size()) return result;
  std::uint64_t row = std::max(first, begin());
  last = std::min(last, end());
  while (row < last) {
    std::size_t level = kLevels;
    while (level > 0 && (row % kBucket[level - 1] != 0 || row + kBucket[level - 1] > last)) --level;
    if (level == 0) {
      result.add(at(column, row++));
    } else {
      const std::uint64_t bucket = kBucket[level - 1];
      result.add(channels_[column].levels[level - 1][static_cast<std::size_t>(row % capacity_ / bucket)]);
      row += bucket;
    }
  }
  return result;
}

void RowHistory::copy(std::size_t column, std::uint64_t first, std::uint64_t last, std::vector<double>& out) const {
  first = std::max(first, begin());
  last = std::max(first, std::min(last, end()));
  out.resize(static_cast<std::size_t>(last - first));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = at(column, first + i);
}

}  // namespace hyb::ui
