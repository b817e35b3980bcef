#include "ui/plot/series.h"

#include <algorithm>
#include <cmath>

namespace hyb::ui {

void EnvelopeSeries::clear() {
  points_.clear();
  extremes_ = Extremes::none();
}

void EnvelopeSeries::update(const RowHistory& rows, std::size_t column, std::uint64_t first, std::uint64_t last,
                            std::size_t buckets, std::uint64_t reach) {
  clear();
  first = std::max(first, rows.begin());
  last = std::min(last, rows.end());
  if (first >= last || buckets == 0) return;
  std::uint64_t bucket = 1;
  while ((last - first) / bucket > buckets) bucket *= 2;

  bucketed_ = bucket > 1;
  if (part_ != Part::trace) return updateEdge(rows, column, first, last, bucket, std::max(reach, bucket));
  if (!bucketed_) {
    for (std::uint64_t row = first; row < last; ++row) {
      const double value = rows.at(column, row);
      if (!std::isfinite(value)) continue;
      extremes_.add(value);
      points_.emplace_back(rows.at(RowLayout::kTime, row), value);
    }
    return;
  }
  for (std::uint64_t b = first / bucket; b * bucket < last; ++b) {
    const std::uint64_t from = std::max(b * bucket, rows.begin()), to = std::min((b + 1) * bucket, rows.end());
    const Extremes values = rows.extremes(column, from, to);
    if (values.empty() || !std::isfinite(values.min) || !std::isfinite(values.max)) continue;
    extremes_.add(values);
    const double time = rows.at(RowLayout::kTime, from + (to - 1 - from) / 2);
    // The extreme nearer to the last point comes first, so that the trace does not zigzag.
    const bool up =
        points_.empty() || std::abs(points_.back().y() - values.min) <= std::abs(points_.back().y() - values.max);
    points_.emplace_back(time, up ? values.min : values.max);
    points_.emplace_back(time, up ? values.max : values.min);
  }
}

void EnvelopeSeries::updateEdge(const RowHistory& rows, std::size_t column, std::uint64_t first, std::uint64_t last,
                                std::uint64_t bucket, std::uint64_t reach) {
  for (std::uint64_t b = first / bucket; b * bucket < last; ++b) {
    const std::uint64_t from = std::max(b * bucket, rows.begin()), to = std::min((b + 1) * bucket, rows.end());
    const Extremes values = rows.extremes(column, from > reach ? from - reach : 0, to + reach);
    if (values.empty() || !std::isfinite(values.min) || !std::isfinite(values.max)) continue;
    const double edge = part_ == Part::upper ? values.max : values.min;
    extremes_.add(edge);
    // Extends to the first and the last row.
    if (points_.empty()) points_.emplace_back(rows.at(RowLayout::kTime, from), edge);
    points_.emplace_back(rows.at(RowLayout::kTime, from + (to - 1 - from) / 2), edge);
    if ((b + 1) * bucket >= last) points_.emplace_back(rows.at(RowLayout::kTime, to - 1), edge);
  }
}

void XySeries::update(const RowHistory* rows, std::size_t x, std::size_t y, std::uint64_t first, std::uint64_t last,
                      std::size_t points, double y_sign) {
  count_ = 0;
  if (rows == nullptr || points == 0) return;
  first = std::max(first, rows->begin());
  last = std::min(last, rows->end());
  if (first >= last) return;
  rows_ = rows;
  x_ = x;
  y_ = y;
  y_sign_ = y_sign;
  last_ = last;
  stride_ = (last - first + points - 1) / points;
  count_ = static_cast<std::size_t>((last - 1 - first) / stride_) + 1;
}

}  // namespace hyb::ui
