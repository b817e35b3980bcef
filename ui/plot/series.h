#pragma once
#include <qwt_series_data.h>

#include <QPointF>
#include <cstdint>
#include <vector>

#include "ui/plot/run_history.h"

namespace hyb::ui {

/// One column over time, at most two points per pixel: minimum and maximum of buckets of 2^k rows whose edges stay
/// fixed while the view scrolls. x in s, y in SI.
class EnvelopeSeries : public QwtSeriesData<QPointF> {
 public:
  enum class Part { trace, upper, lower };  // both extremes, or one edge of an envelope
  explicit EnvelopeSeries(Part part = Part::trace) : part_(part) {}
  /// Rows [first, last) in at most `buckets` buckets. An edge of the envelope takes the extreme of each bucket and of
  /// `reach` rows on both sides, at least of the next buckets, so that the line through them encloses every row.
  void update(const RowHistory& rows, std::size_t column, std::uint64_t first, std::uint64_t last, std::size_t buckets,
              std::uint64_t reach = 0);
  void clear();
  const Extremes& extremes() const noexcept { return extremes_; }
  /// True if points are extremes of buckets, not rows.
  bool bucketed() const noexcept { return bucketed_; }

  std::size_t size() const override { return points_.size(); }
  QPointF sample(std::size_t i) const override { return points_[i]; }
  QRectF boundingRect() const override { return {0, 0, -1, -1}; }  // the views set the scales

 private:
  void updateEdge(const RowHistory& rows, std::size_t column, std::uint64_t first, std::uint64_t last,
                  std::uint64_t bucket, std::uint64_t reach);
  Part part_;
  std::vector<QPointF> points_;
  bool bucketed_ = false;
  Extremes extremes_ = Extremes::none();
};

/// One column over another, directly from the rings, every `stride`-th row.
class XySeries : public QwtSeriesData<QPointF> {
 public:
  /// y_sign multiplies y. At most `points` points, including the newest row.
  void update(const RowHistory* rows, std::size_t x, std::size_t y, std::uint64_t first, std::uint64_t last,
              std::size_t points, double y_sign = 1.0);
  void clear() { count_ = 0; }
  std::size_t size() const override { return count_; }
  QPointF sample(std::size_t i) const override {
    const std::uint64_t row = last_ - 1 - static_cast<std::uint64_t>(count_ - 1 - i) * stride_;
    return {rows_->at(x_, row), y_sign_ * rows_->at(y_, row)};
  }
  QRectF boundingRect() const override { return {0, 0, -1, -1}; }

 private:
  const RowHistory* rows_ = nullptr;
  std::size_t x_ = 0, y_ = 0, count_ = 0;
  std::uint64_t last_ = 0, stride_ = 1;
  double y_sign_ = 1.0;
};

}  // namespace hyb::ui
