#pragma once
#include <QObject>
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "ui/plot/run_history.h"

namespace hyb::ui {

/// The time range of linked plots, and their two cursors.
class TimeView : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  struct Range {
    double from_s, to_s;
  };

  /// Follow the newest row with a window of this length (live), 0: show everything.
  void follow(double window_s) {
    window_s_ = window_s;
    fixed_.reset();
    Q_EMIT changed();
  }
  void show(double from_s, double to_s) {
    if (!(to_s - from_s >= 1e-6)) return;
    fixed_ = Range{from_s, to_s};
    Q_EMIT changed();
  }
  void fit() { follow(window_s_); }
  bool following() const { return !fixed_.has_value(); }
  double windowLength() const { return window_s_; }

  /// Freeze: the views end at this row and ignore later rows. None: the newest.
  void freezeAt(std::optional<std::uint64_t> end_row) {
    frozen_end_ = end_row;
    Q_EMIT changed();
  }
  std::uint64_t endRow(const RowHistory& rows) const {
    return frozen_end_ ? std::min(*frozen_end_, rows.end()) : rows.end();
  }
  Range range(const RowHistory& rows) const {
    if (fixed_) return *fixed_;
    const std::uint64_t end = endRow(rows);
    if (end <= rows.begin()) return {0.0, window_s_ > 0.0 ? window_s_ : 1.0};
    const double to = rows.at(RowLayout::kTime, end - 1);
    if (window_s_ <= 0.0) return {rows.at(RowLayout::kTime, rows.begin()), std::max(to, 1e-3)};
    return {std::max(0.0, to - window_s_), std::max(to, window_s_)};
  }

  const std::optional<std::array<double, 2>>& cursors() const { return cursors_; }
  void setCursors(std::optional<std::array<double, 2>> times_s) {
    cursors_ = times_s;
    Q_EMIT changed();
  }

  /// The instant of a moving picture, s; none: no such picture.
  const std::optional<double>& instant() const { return instant_; }
  void setInstant(std::optional<double> time_s) {
    if (instant_ == time_s) return;
    instant_ = time_s;
    Q_EMIT instantChanged();
  }

 Q_SIGNALS:
  void changed();
  void instantChanged();

 private:
  double window_s_ = 10.0;
  std::optional<Range> fixed_;
  std::optional<std::uint64_t> frozen_end_;
  std::optional<std::array<double, 2>> cursors_;
  std::optional<double> instant_;
};

}  // namespace hyb::ui
