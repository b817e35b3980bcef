#include "core/loop/safety.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace hyb {
std::string_view name(Action action) noexcept {
  constexpr std::array<std::string_view, 5> names = {"none", "indicate", "hold", "ramp", "stop"};
  return names[static_cast<std::size_t>(action)];
}

std::string words(const Limit& limit) {
  std::string text = words(*limit.quantity);
  if (limit.interface > 0) text += ' ' + std::to_string(limit.interface);
  return limit.channel.empty() ? text : text + ' ' + limit.channel;
}

SafetyChain::SafetyChain(std::vector<Limit> limits, const std::vector<AxisSignals>& axes,
                         std::int64_t clear_after_ticks)
    : limits_(std::move(limits)),
      monitors_(limits_.size()),
      below_ticks_(limits_.size(), 0),
      clear_after_ticks_(clear_after_ticks) {
  for (Limit& limit : limits_) {
    const LimitQuantity& quantity = *limit.quantity;
    if (quantity.counted && !(limit.threshold > 0.0)) limit.threshold = 1.0;
    std::vector<Eigen::Index> on;
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (limit.covers(static_cast<int>(i) + 1, axes[i])) on.push_back(static_cast<Eigen::Index>(i));
    watches_.push_back({quantity.values, std::move(on), quantity.read, limit.column, crossedFrom(limit),
                        watches_.size(), quantity.counted});
    if (!quantity.counted) uncounted_.push_back(watches_.back());
  }
  reset();
}

const LimitQuantity* SafetyChain::unwatchedTrouble(RigStatus status) const noexcept {
  for (const LimitQuantity& quantity : limitQuantities())
    if (quantity.status == status &&
        std::none_of(limits_.begin(), limits_.end(), [&](const Limit& limit) { return limit.quantity == &quantity; }))
      return &quantity;
  return nullptr;
}

double SafetyChain::crossedFrom(const Limit& limit) noexcept {
  return limit.quantity->counted ? limit.threshold
                                 : std::nextafter(limit.threshold, std::numeric_limits<double>::infinity());
}

void SafetyChain::reset() noexcept {
  decisive_ = -1;
  nothing_seen_ = false;
  for (std::size_t l = 0; l < limits_.size(); ++l) {
    LimitMonitor& monitor = monitors_[l];
    monitor.value.store(0.0, std::memory_order_relaxed);
    monitor.peak.store(0.0, std::memory_order_relaxed);
    monitor.crossed_at.store(0.0, std::memory_order_relaxed);
    monitor.threshold.store(limits_[l].threshold, std::memory_order_relaxed);
    monitor.active.store(false, std::memory_order_relaxed);
    monitor.latched.store(false, std::memory_order_relaxed);
    below_ticks_[l] = 0;
  }
}

void SafetyChain::setThreshold(std::size_t limit, double threshold) noexcept {
  limits_[limit].threshold = threshold;
  for (std::vector<Watch>* watches : {&watches_, &uncounted_})
    for (Watch& watch : *watches)
      if (watch.limit == limit) watch.crossed_from = crossedFrom(limits_[limit]);
  nothing_seen_ = false;
  monitors_[limit].threshold.store(threshold, std::memory_order_relaxed);
}

/// Beyond its threshold now or in the previous tick.
SafetyChain::Crossing SafetyChain::cross(std::size_t l, double value, bool exceeded) noexcept {
  LimitMonitor& monitor = monitors_[l];
  const bool was_active = monitor.active.load(std::memory_order_relaxed);
  if (exceeded) {
    below_ticks_[l] = 0;
    monitor.active.store(true, std::memory_order_relaxed);
    monitor.latched.store(true, std::memory_order_relaxed);
    if (!was_active) monitor.crossed_at.store(value, std::memory_order_relaxed);
    return was_active ? Crossing::inside : Crossing::entered;
  }
  if (!was_active || ++below_ticks_[l] < clear_after_ticks_) return Crossing::outside;
  monitor.active.store(false, std::memory_order_relaxed);
  return Crossing::left;
}

}  // namespace hyb
