#include "core/coupling/target_path.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace hyb {

TargetPath::TargetPath(std::size_t axes, TargetPathSpec spec) : spec_(std::move(spec)) {
  assert(spec_.step_ticks >= 1 && spec_.predict_ticks >= 0 && spec_.predict_ticks < spec_.step_ticks);
  const auto n = static_cast<Eigen::Index>(axes);
  if (spec_.most.size() == 0) spec_.most.setConstant(n, std::numeric_limits<double>::infinity());
  bend_.setZero(n);
  for (Eigen::VectorXd* vector : {&position_, &rate_, &from_, &from_rate_, &to_, &to_rate_, &last_, &second_, &third_})
    vector->setZero(n);
}

void TargetPath::standAt(const Eigen::VectorXd& position) noexcept {
  position_ = to_ = last_ = second_ = third_ = position;
  rate_.setZero();
  phase_ = Phase::stand;
  rests_ = true;
  tick_ = 0;
}

/// Ticks to a target that comes now. A step takes longer after the path has braked, which it need not make up for.
std::int64_t TargetPath::duration() const noexcept {
  const std::int64_t step = spec_.step_ticks, least = step - spec_.predict_ticks;
  switch (phase_) {
    case Phase::correct:
      return std::max(total_ - tick_, least);
    case Phase::predict:
    case Phase::hold:
      return tick_ <= spec_.predict_ticks ? step - tick_ : std::min(step, least + tick_ - spec_.predict_ticks);
    case Phase::stand:
      break;
  }
  return step;
}

/// Rate at a target, of the polynomial through it and the targets before it.
double TargetPath::slope(Eigen::Index i, double target) const noexcept {
  if (spec_.order <= 0 || returning()) return 0.0;
  if (spec_.order == 1) return (target - last_[i]) / spec_.step_ticks;
  return (3.0 * target - 4.0 * last_[i] + second_[i]) / (2.0 * spec_.step_ticks);
}

void TargetPath::lead(const Eigen::VectorXd& target, bool rests, std::int64_t ticks) noexcept {
  rests_ = rests || returning();
  total_ = std::max(duration(), ticks);
  from_ = position_;
  from_rate_ = rate_;
  to_ = target;
  for (Eigen::Index i = 0; i < to_.size(); ++i) to_rate_[i] = rests_ ? 0.0 : slope(i, to_[i]);
  phase_ = Phase::correct;
  tick_ = 0;
}

double TargetPath::peakRate(Eigen::Index i, double target) const noexcept {
  const auto total = static_cast<double>(duration());
  const double begin = rate_[i], end = slope(i, target), mean = (target - position_[i]) / total;
  double peak = std::max(std::abs(begin), std::abs(end));
  // The rate of the cubic is begin + 2 share b + 3 share^2 a.
  const double a = begin + end - 2.0 * mean, b = 3.0 * mean - 2.0 * begin - end,
               share = a == 0.0 ? 0.0 : -b / (3.0 * a);
  if (share > 0.0 && share < 1.0) peak = std::max(peak, std::abs(begin + share * b));
  return peak;
}

void TargetPath::advance() noexcept {
  if (phase_ == Phase::stand) return;
  ++tick_;
  if (phase_ == Phase::correct) return correct();
  if (phase_ == Phase::predict) return predict();
}

void TargetPath::correct() noexcept {
  if (tick_ >= total_) return arrive();
  const auto total = static_cast<double>(total_);
  const double share = static_cast<double>(tick_) / total;
  for (Eigen::Index i = 0; i < to_.size(); ++i) {
    const double way = to_[i] - from_[i], begin = from_rate_[i] * total, end = to_rate_[i] * total;
    const double a = begin + end - 2.0 * way, b = 3.0 * way - 2.0 * begin - end;
    position_[i] = from_[i] + share * (begin + share * (b + share * a));
    rate_[i] = (begin + share * (2.0 * b + share * 3.0 * a)) / total;
  }
}

void TargetPath::arrive() noexcept {
  position_ = to_;
  rate_ = to_rate_;
  if (rests_) return standAt(to_);
  const double step = spec_.step_ticks;
  for (Eigen::Index i = 0; i < to_.size(); ++i) {
    third_[i] = second_[i];
    second_[i] = last_[i];
    last_[i] = to_[i];
    bend_[i] = spec_.order < 2 ? 0.0 : (last_[i] - 2.0 * second_[i] + third_[i]) / (step * step);
  }
  const bool still = rate_.isZero(0.0) && bend_.isZero(0.0);
  phase_ = still ? Phase::stand : Phase::predict;
  tick_ = 0;
}

void TargetPath::predict() noexcept {
  const auto now = static_cast<double>(tick_), free = static_cast<double>(spec_.predict_ticks),
             brake = static_cast<double>(spec_.step_ticks - spec_.predict_ticks);
  const double ahead = std::min(now, free), braking = std::max(0.0, now - free);
  for (Eigen::Index i = 0; i < to_.size(); ++i) {
    const double rate = to_rate_[i] + bend_[i] * ahead;
    position_[i] =
        last_[i] + ahead * (to_rate_[i] + 0.5 * bend_[i] * ahead) + rate * braking * (1.0 - 0.5 * braking / brake);
    rate_[i] = rate * (1.0 - braking / brake);
    if (std::abs(position_[i]) <= spec_.most[i]) continue;
    position_[i] = std::copysign(spec_.most[i], position_[i]);
    rate_[i] = 0.0;
  }
  if (tick_ < spec_.step_ticks) return;
  rate_.setZero();
  phase_ = Phase::hold;
}

}  // namespace hyb
