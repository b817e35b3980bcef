#include "core/fidelity/stability_indicator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/checks.h"

namespace hyb {

namespace {

constexpr std::int64_t kLeastSteps = 8;  // of a block, unless the window is shorter
constexpr std::size_t kPaidBlocks = 3, kSteadyBlocks = 6;
constexpr double kPaidTimes = 2.0;     // added energy over the growth of the energy stored by the specimen
constexpr double kPaidGain = 0.405;    // ln 1.5
constexpr double kSteadyGain = 0.693;  // ln 2
constexpr double kSteadyShare = 0.6;   // of the mean growth in each block, and its inverse
constexpr double kSteadyLeast_per_s = 2.0;
constexpr double kPaidReturned = 0.1, kSteadyReturned = 0.7;

StabilityIndicatorParams checked(const StabilityIndicatorParams& params) {
  Checks checks;
  checks.positive("/step_s", params.step_s, "s");
  checks.positive("/floor_j", params.floor_j, "J");
  if (!(params.window_s >= 2.0 * params.step_s && params.window_s <= 1e6 * params.step_s))
    checks.fault("/window_s", params.window_s, "s", "must be between 2 and a million steps of the loop");
  checks.throwIfAny();
  return params;
}

}  // namespace

StabilityIndicator::StabilityIndicator(const StabilityIndicatorParams& params, std::size_t interfaces,
                                       std::vector<char> asks_for_force)
    : params_(checked(params)),
      values_(interfaces, asks_for_force),
      differences_(interfaces, std::move(asks_for_force)),
      last_(3 * interfaces, 0.0),
      change_(3 * interfaces, 0.0) {
  double steps = params_.window_s / params_.step_s;
  for (std::size_t i = 0; i < kLengths && (i == 0 || std::llround(steps) >= kLeastSteps); ++i, steps *= 0.5)
    lengths_.push_back({.steps = std::llround(steps)});
}

void StabilityIndicator::moveTo(std::span<const double> force, std::span<const double> target,
                                std::span<const double> measured) noexcept {
  if (!fresh_) restart();
  values_.moveTo(force, target, measured);
  const std::size_t n = force.size();
  for (std::size_t i = 0; i < n; ++i) last_[i] = force[i], last_[n + i] = target[i], last_[2 * n + i] = measured[i];
}

void StabilityIndicator::add(std::span<const double> force, std::span<const double> target,
                             std::span<const double> measured, std::int64_t periods) noexcept {
  const std::size_t n = force.size();
  const double elapsed_s = params_.step_s * static_cast<double>(periods), share = 1.0 / static_cast<double>(periods);
  const auto change = [&](std::span<const double> row, std::size_t from) {
    for (std::size_t i = 0; i < n; ++i) {
      change_[from + i] = share * (row[i] - last_[from + i]);
      last_[from + i] = row[i];
    }
    return std::span<const double>(change_).subspan(from, n);
  };
  const auto force_change = change(force, 0), target_change = change(target, n),
             measured_change = change(measured, 2 * n);
  const InterfaceWork work = values_.add(force, target, measured, elapsed_s);
  InterfaceWork of_change{0.0, 0.0, elapsed_s};
  if (first_change_)
    differences_.moveTo(force_change, target_change, measured_change);
  else
    of_change = differences_.add(force_change, target_change, measured_change, elapsed_s);
  fresh_ = first_change_ = false;

  bool completed = false;
  for (Length& length : lengths_) {
    length.values.now.add(work);
    length.differences.now.add(of_change);
    if ((length.passed += periods) < length.steps) continue;
    length.passed = 0;
    length.values.complete();
    length.differences.complete();
    length.growth_per_s = std::max(paidGrowth(length), steadyGrowth(length));
    completed = true;
  }
  if (!completed) return;
  growth_per_s_ = 0.0;
  for (const Length& length : lengths_) growth_per_s_ = std::max(growth_per_s_, length.growth_per_s);
  const Block& window = lengths_.front().values.last.front();
  share_ = window.exchange_j > params_.floor_j ? window.added_j / window.exchange_j : 0.0;
}

void StabilityIndicator::restart() noexcept {
  for (Length& length : lengths_) length = {.steps = length.steps};
  fresh_ = first_change_ = true;
  share_ = growth_per_s_ = 0.0;
}

void StabilityIndicator::Block::add(const InterfaceWork& work) noexcept {
  const double specimen_j = work.numerical_j + work.added_j;
  added_j += work.added_j;
  exchange_j += std::abs(work.numerical_j) + std::abs(specimen_j);
  (specimen_j > 0.0 ? taken_j : returned_j) += std::abs(specimen_j);
  lowest_j = std::min(lowest_j, taken_j - returned_j);
  highest_j = std::max(highest_j, taken_j - returned_j);
}

double StabilityIndicator::Block::returnedShare() const noexcept {
  const auto [less, more] = std::minmax(taken_j, returned_j);
  return more > 0.0 ? less / more : 0.0;
}

void StabilityIndicator::Blocks::complete() noexcept {
  std::shift_right(last.begin(), last.end(), 1);
  last.front() = std::exchange(now, Block{});
}

double StabilityIndicator::paidGrowth(const Length& length) const noexcept {
  const auto& block = length.values.last;
  if (!(block[kPaidBlocks].exchange_j > params_.floor_j)) return 0.0;
  for (std::size_t i = 0; i < kPaidBlocks; ++i) {
    const Block &now = block[i], &before = block[i + 1];
    if (!(now.exchange_j > before.exchange_j && now.added_j > 0.0 && now.returnedShare() >= kPaidReturned &&
          now.added_j >= kPaidTimes * (now.swing_j() - before.swing_j())))
      return 0.0;
  }
  const double gain = 0.5 * std::log(block[0].exchange_j / block[kPaidBlocks].exchange_j);
  return gain >= kPaidGain
             ? gain / (params_.step_s * static_cast<double>(kPaidBlocks) * static_cast<double>(length.steps))
             : 0.0;
}

double StabilityIndicator::steadyGrowth(const Length& length) const noexcept {
  if (!(length.values.last[kSteadyBlocks].exchange_j > params_.floor_j)) return 0.0;
  const auto& block = length.differences.last;
  const double gain = 0.5 * std::log(block[0].exchange_j / block[kSteadyBlocks].exchange_j),
               mean = gain / static_cast<double>(kSteadyBlocks),
               growth_per_s = mean / (params_.step_s * static_cast<double>(length.steps));
  if (!(gain >= kSteadyGain && growth_per_s >= kSteadyLeast_per_s)) return 0.0;
  double added_j = 0.0;
  for (std::size_t i = 0; i < kSteadyBlocks; ++i) {
    const double in_block = 0.5 * std::log(block[i].exchange_j / block[i + 1].exchange_j);
    if (!(in_block >= kSteadyShare * mean && in_block <= mean / kSteadyShare &&
          block[i].returnedShare() >= kSteadyReturned))
      return 0.0;
    added_j += block[i].added_j;
  }
  return added_j > 0.0 ? growth_per_s : 0.0;
}

}  // namespace hyb
