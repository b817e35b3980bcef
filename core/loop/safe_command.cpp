#include "core/loop/safe_command.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/numbers.h"
#include "core/excitation/excitation.h"

namespace hyb {
namespace {

constexpr double kLongestRamp_s = 60.0;  // a stop ends within this time, however tight a bound is
constexpr double kBelowBound = 1.001;    // keeps the steepest step of a ramp below the bound

}  // namespace

void CommandBounds::clear(Eigen::Index axes) {
  for (Eigen::VectorXd* bound : {&rate, &acceleration, &most})
    bound->setConstant(axes, std::numeric_limits<double>::infinity());
}

SafeCommand::SafeCommand(Eigen::Index axes, double step_s, double ramp_s)
    : step_s_(step_s), shortest_ramp_s_(ramp_s), ramp_s_(ramp_s) {
  for (Eigen::VectorXd* vector : {&stands_, &rate_, &slower_, &most_}) vector->setZero(axes);
}

void SafeCommand::standAt(const Eigen::VectorXd& position) noexcept {
  stands_ = position;
  rate_.setZero();
  brakes_ = lets_down_ = false;
}

// A velocity that one tick can brake vanishes at once, so that a slow command stays at its last written position.
void SafeCommand::takeOver(const Eigen::VectorXd& position, const Eigen::VectorXd& rate,
                           const CommandBounds& bounds) noexcept {
  standAt(position);
  const double longest_s = std::max(shortest_ramp_s_, step_s_);
  for (Eigen::Index i = 0; i < rate.size(); ++i) {
    if (!std::isfinite(rate[i]) || !std::isfinite(bounds.acceleration[i])) continue;
    slower_[i] = std::max(bounds.acceleration[i], std::abs(rate[i]) / longest_s) * step_s_;
    most_[i] = std::max(bounds.most[i], std::abs(position[i]));
    if (std::abs(rate[i]) <= slower_[i]) continue;
    rate_[i] = rate[i];
    brakes_ = true;
  }
}

void SafeCommand::letDown(const CommandBounds& bounds) noexcept {
  ramp_s_ = shortest_ramp_s_;
  for (Eigen::Index i = 0; i < rate_.size(); ++i) {  // the braking distance is also travelled back
    const double braking = rate_[i] != 0.0 ? 0.5 * step_s_ * rate_[i] * rate_[i] / slower_[i] : 0.0;
    ramp_s_ = std::max(ramp_s_, rampFrom_s(std::abs(stands_[i]) + braking, i, bounds));
  }
  ticks_ = 0;
  lets_down_ = true;
}

double SafeCommand::rampFrom_s(const Eigen::VectorXd& position, const CommandBounds& bounds) const noexcept {
  double ramp_s = shortest_ramp_s_;
  for (Eigen::Index i = 0; i < position.size(); ++i)
    ramp_s = std::max(ramp_s, rampFrom_s(std::abs(position[i]), i, bounds));
  return ramp_s;
}

/// From the largest slope and the largest curvature of a cosine.
double SafeCommand::rampFrom_s(double way, Eigen::Index i, const CommandBounds& bounds) noexcept {
  if (!(way > 0.0)) return 0.0;
  way *= kBelowBound;
  const double by_rate_s = 0.5 * kPi * way / bounds.rate[i],
               by_acceleration_s = kPi * std::sqrt(0.5 * way / bounds.acceleration[i]);
  return std::min(std::max(by_rate_s, by_acceleration_s), kLongestRamp_s);
}

void SafeCommand::brake() noexcept {
  brakes_ = false;
  for (Eigen::Index i = 0; i < rate_.size(); ++i) {
    if (rate_[i] == 0.0) continue;
    rate_[i] -= std::clamp(rate_[i], -slower_[i], slower_[i]);
    const double next = stands_[i] + step_s_ * rate_[i];
    stands_[i] = std::clamp(next, -most_[i], most_[i]);
    if (stands_[i] != next) rate_[i] = 0.0;
    brakes_ = brakes_ || rate_[i] != 0.0;
  }
}

void SafeCommand::advance(std::int64_t periods, bool brakes_only) noexcept {
  for (; brakes_ && periods > 0; --periods) brake();
  if (lets_down_ && !brakes_only) ticks_ += periods;
}

void SafeCommand::put(Command& command) const noexcept {
  SignalValue share;
  if (lets_down_) share = cosineFade(seconds(ticks_), ramp_s_);
  command.position = (1.0 - share.value) * stands_;
  command.rate = (1.0 - share.value) * rate_ - share.rate * stands_;
  command.fundamental = 0.0;
}

}  // namespace hyb
