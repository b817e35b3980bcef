#include "ui/plot/auto_range.h"

#include <algorithm>
#include <cmath>

namespace hyb::ui {

double niceStep(double span, int parts) {
  const double raw = span / parts;
  if (!(raw > 0.0) || !std::isfinite(raw)) return 1.0;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double ratio = raw / power;
  return power * (ratio < 1.5 ? 1.0 : ratio < 3.0 ? 2.0 : ratio < 7.0 ? 5.0 : 10.0);
}

QwtInterval AutoRange::update(const Extremes& data, double now_s, bool symmetric) {
  constexpr double kShrinkAfter_s = 5.0, kHeadroom = 0.08, kSmallShare = 0.5;
  double low = data.min, high = data.max;
  if (data.empty()) low = high = 0.0;
  if (symmetric) {
    high = std::max(std::abs(low), std::abs(high));
    low = -high;
  }
  const bool nothing = data.empty() || (low == 0.0 && high == 0.0);
  const double middle = 0.5 * (low + high), half = std::max(nothing ? empty_ : smallest_, 0.5 * (high - low));
  low = std::min(low, middle - half);
  high = std::max(high, middle + half);

  const bool outside = low < range_.minValue() || high > range_.maxValue();
  const bool small = high - low < kSmallShare * range_.width();
  if (!small) small_since_s_ = -1.0;
  if (small && small_since_s_ < 0.0) small_since_s_ = now_s;
  if (!valid_ || outside || (small && now_s - small_since_s_ > kShrinkAfter_s)) {
    const double margin = kHeadroom * (high - low), step = niceStep(high - low, 5);
    if (outside && valid_ && !symmetric) {  // the other end stays, so that a growing trace does not jump
      low = std::min(low, small ? low : range_.minValue() + margin);
      high = std::max(high, small ? high : range_.maxValue() - margin);
    }
    range_ = QwtInterval(std::floor((low - margin) / step) * step, std::ceil((high + margin) / step) * step);
    valid_ = !data.empty();
    small_since_s_ = -1.0;
  }
  return range_;
}

}  // namespace hyb::ui
