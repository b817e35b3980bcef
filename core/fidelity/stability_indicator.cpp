#include "core/fidelity/stability_indicator.h"

#include <algorithm>
#include <cmath>

#include "core/base/checks.h"

namespace hyb {

namespace {

StabilityIndicatorParams checked(const StabilityIndicatorParams& params) {
  Checks checks;
  checks.positive("/step_s", params.step_s, "s");
  checks.positive("/low_pass_s", params.low_pass_s, "s");
  checks.positive("/floor_j", params.floor_j, "J");
  checks.notNegative("/least_growth_per_s", params.least_growth_per_s, "1/s");
  if (!(params.window_s >= 2.0 * params.step_s && params.window_s <= 1e6 * params.step_s))
    checks.fault("/window_s", params.window_s, "s", "must be between 2 and a million steps of the loop");
  checks.throwIfAny();
  return params;
}

std::size_t windowSteps(const StabilityIndicatorParams& params) {
  return static_cast<std::size_t>(std::llround(params.window_s / params.step_s));
}

}  // namespace

StabilityIndicator::StabilityIndicator(const StabilityIndicatorParams& params)
    : params_(checked(params)),
      error_(windowSteps(params_)),
      exchange_(windowSteps(params_)),
      keep_(std::exp(-params_.step_s / params_.low_pass_s)) {}

void StabilityIndicator::update(const InterfacePower& power) noexcept {
  InterfacePower seen = power;
  if (!std::isfinite(power.numerical_w) || !std::isfinite(power.experimental_w)) {
    seen = {0.0, 0.0};
    ++faults_;
  }
  power_w_ = keep_ * power_w_ + (1.0 - keep_) * seen.error_w();
  error_.push(seen.error_w() * params_.step_s);
  exchange_.push((std::abs(seen.numerical_w) + std::abs(seen.experimental_w)) * params_.step_s);
}

void StabilityIndicator::reset() noexcept {
  error_.reset();
  exchange_.reset();
  power_w_ = 0.0;
  faults_ = 0;
}

bool StabilityIndicator::moving() const noexcept {
  return exchange_.full() && exchange_.sum(0) > params_.floor_j && exchange_.sum(1) > params_.floor_j;
}

double StabilityIndicator::addedShare() const noexcept {
  return exchange_.sum(0) > params_.floor_j ? error_.sum(0) / exchange_.sum(0) : 0.0;
}

double StabilityIndicator::growth_per_s() const noexcept {
  if (!moving()) return 0.0;
  return 0.5 * std::log(exchange_.sum(0) / exchange_.sum(1)) /
         (static_cast<double>(windowSteps(params_)) * params_.step_s);
}

EnergyTrend StabilityIndicator::trend() const noexcept {
  if (!moving()) return EnergyTrend::at_rest;
  if (!(error_.sum(0) > 0.0)) return EnergyTrend::dissipated;
  return growth_per_s() > params_.least_growth_per_s ? EnergyTrend::growing : EnergyTrend::added;
}

void StabilityIndicator::Windows::push(double value) noexcept {
  const std::size_t n = values_.size() / 2;
  const double middle = values_[(next_ + n) % values_.size()];  // moves from the last window to the previous one
  sums_[0] += value - middle;
  sums_[1] += middle - values_[next_];
  values_[next_] = value;
  fresh_[next_ < n ? 1 : 0] += value;
  seen_ = std::min(seen_ + 1, values_.size());
  if (++next_ < values_.size()) return;
  next_ = 0;
  for (const int window : {0, 1}) {
    sums_[window] = fresh_[window];
    fresh_[window] = 0.0;
  }
}

void StabilityIndicator::Windows::reset() noexcept {
  std::fill(values_.begin(), values_.end(), 0.0);
  for (const int window : {0, 1}) sums_[window] = fresh_[window] = 0.0;
  next_ = seen_ = 0;
}

}  // namespace hyb
