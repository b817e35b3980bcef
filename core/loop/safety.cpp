#include "core/loop/safety.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace hyb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Largest magnitude over the interfaces a limit is about; a not-a-number counts as infinite.
double largest(const Eigen::VectorXd* values, int interface) noexcept {
  if (values == nullptr) return 0.0;
  double peak = 0.0;
  for (Eigen::Index i = 0; i < values->size(); ++i) {
    if (interface != 0 && i != interface - 1) continue;
    const double magnitude = std::abs((*values)[i]);
    if (!std::isfinite(magnitude)) return kInfinity;
    peak = std::max(peak, magnitude);
  }
  return peak;
}

bool isCondition(Quantity quantity) noexcept { return quantity >= Quantity::not_a_number; }

}  // namespace

std::string_view name(Quantity quantity) noexcept {
  constexpr std::array<std::string_view, 14> names = {
      "command",       "command-rate", "displacement", "velocity",     "force",       "gap",       "energy-error",
      "energy-growth", "not-a-number", "stale-data",   "missed-ticks", "link-errors", "link-lost", "interlock"};
  return names[static_cast<std::size_t>(quantity)];
}

std::string_view name(Action action) noexcept {
  constexpr std::array<std::string_view, 5> names = {"none", "indicate", "hold", "ramp", "stop"};
  return names[static_cast<std::size_t>(action)];
}

std::string_view unit(Quantity quantity) noexcept {
  constexpr std::array<std::string_view, 14> units = {"m",   "m/s", "m",     "m/s",     "N",      "m", "J",
                                                      "1/s", "",    "ticks", "periods", "frames", "",  ""};
  return units[static_cast<std::size_t>(quantity)];
}

bool isFinite(const SafetySample& sample) noexcept {
  for (const Eigen::VectorXd* values : {sample.command, sample.measured, sample.force, sample.gap})
    if (largest(values, 0) == kInfinity) return false;
  return std::isfinite(sample.energy_error_j);
}

SafetyChain::SafetyChain(std::vector<Limit> limits, std::int64_t clear_after_ticks)
    : limits_(std::move(limits)),
      monitors_(limits_.size()),
      below_ticks_(limits_.size(), 0),
      clear_after_ticks_(clear_after_ticks) {
  for (Limit& limit : limits_)
    if (isCondition(limit.quantity) && !(limit.threshold > 0.0)) limit.threshold = 1.0;
  reset();
}

bool SafetyChain::watches(Quantity quantity) const noexcept {
  return std::any_of(limits_.begin(), limits_.end(), [&](const Limit& limit) { return limit.quantity == quantity; });
}

void SafetyChain::reset() noexcept {
  decisive_ = -1;
  for (std::size_t l = 0; l < limits_.size(); ++l) {
    LimitMonitor& monitor = monitors_[l];
    monitor.value.store(0.0, std::memory_order_relaxed);
    monitor.peak.store(0.0, std::memory_order_relaxed);
    monitor.threshold.store(limits_[l].threshold, std::memory_order_relaxed);
    monitor.active.store(false, std::memory_order_relaxed);
    monitor.latched.store(false, std::memory_order_relaxed);
    below_ticks_[l] = 0;
  }
}

void SafetyChain::setThreshold(std::size_t limit, double threshold) noexcept {
  limits_[limit].threshold = threshold;
  monitors_[limit].threshold.store(threshold, std::memory_order_relaxed);
}

double SafetyChain::magnitude(const Limit& limit, const SafetySample& sample) noexcept {
  switch (limit.quantity) {
    case Quantity::command:
      return largest(sample.command, limit.interface);
    case Quantity::command_rate:
      return largest(sample.command_rate, limit.interface);
    case Quantity::displacement:
      return largest(sample.measured, limit.interface);
    case Quantity::velocity:
      return largest(sample.velocity, limit.interface);
    case Quantity::force:
      return largest(sample.force, limit.interface);
    case Quantity::gap:
      return largest(sample.gap, limit.interface);
    case Quantity::energy_error:
      return std::isfinite(sample.energy_error_j) ? std::abs(sample.energy_error_j) : kInfinity;
    case Quantity::energy_growth:
      return sample.energy_growth_per_s;
    case Quantity::not_a_number:
      return isFinite(sample) ? 0.0 : 1.0;
    case Quantity::stale_data:
      return static_cast<double>(sample.stale_ticks);
    case Quantity::missed_ticks:
      return static_cast<double>(sample.missed_ticks);
    case Quantity::link_errors:
      return static_cast<double>(sample.link_errors);
    case Quantity::link_lost:
      return sample.rig_status == RigStatus::link_lost ? 1.0 : 0.0;
    case Quantity::interlock:
      return sample.rig_status == RigStatus::interlock ? 1.0 : 0.0;
  }
  return 0.0;
}

SafetyChain::Crossing SafetyChain::judge(std::size_t l, double value) noexcept {
  const Limit& limit = limits_[l];
  LimitMonitor& monitor = monitors_[l];
  const bool exceeded = isCondition(limit.quantity) ? value >= limit.threshold : value > limit.threshold;
  const bool was_active = monitor.active.load(std::memory_order_relaxed);
  monitor.value.store(value, std::memory_order_relaxed);
  if (value > monitor.peak.load(std::memory_order_relaxed)) monitor.peak.store(value, std::memory_order_relaxed);
  if (exceeded) {
    below_ticks_[l] = 0;
    monitor.active.store(true, std::memory_order_relaxed);
    monitor.latched.store(true, std::memory_order_relaxed);
    return was_active ? Crossing::inside : Crossing::entered;
  }
  if (!was_active || ++below_ticks_[l] < clear_after_ticks_) return Crossing::outside;
  monitor.active.store(false, std::memory_order_relaxed);
  return Crossing::left;
}

}  // namespace hyb
