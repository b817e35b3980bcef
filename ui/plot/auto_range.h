#pragma once
#include <qwt_interval.h>

#include <algorithm>

#include "ui/plot/row_history.h"

namespace hyb::ui {

/// Scale of a live axis: grows at once, shrinks only after five seconds of small data.
class AutoRange {
 public:
  /// Never narrower than -half_span .. half_span around the middle of the data.
  explicit AutoRange(double smallest_half_span = 1e-6, double empty_half_span = 1e-3)
      : smallest_(smallest_half_span), empty_(empty_half_span) {}
  /// empty_half_span: used without data or with data of only 0.
  void setSmallest(double half_span, double empty_half_span) {
    smallest_ = half_span;
    empty_ = std::max(half_span, empty_half_span);
  }
  /// `now_s`: any running clock. Returns the range, rounded to whole steps.
  QwtInterval update(const Extremes& data, double now_s, bool symmetric = false);
  /// Fits the next data without waiting.
  void reset() { valid_ = false; }

 private:
  double smallest_, empty_;
  QwtInterval range_{-1e-6, 1e-6};
  bool valid_ = false;
  double small_since_s_ = -1.0;
};

/// 1, 2 or 5 times a power of ten, near span / parts.
double niceStep(double span, int parts);

}  // namespace hyb::ui
