#include "core/fidelity/learning_curve.h"

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"

namespace hyb {

void LearningCurve::add(double time_s, double gap, double coupled) {
  const auto number = static_cast<std::int64_t>(std::floor(time_s / period_s_));
  if (number != number_) {
    close();
    number_ = number;
  }
  gap_squares_ += gap * gap;
  coupled_squares_ += coupled * coupled;
  ++rows_;
}

void LearningCurve::close() {
  if (rows_ > 0 && std::isfinite(gap_squares_)) {
    const auto rows = static_cast<double>(rows_);
    numbers_.push_back(number_);
    gap_.push_back(gap_squares_ / rows);
    if (coupled_squares_ / rows > most_) most_ = coupled_squares_ / rows;
  }
  gap_squares_ = coupled_squares_ = 0.0;
  rows_ = 0;
}

double LearningCurve::nmse(std::size_t k) const noexcept { return most_ > 0.0 ? gap_[k] / most_ : kNoValue; }

}  // namespace hyb
