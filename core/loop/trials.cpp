#include "core/loop/trials.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/base/numbers.h"
#include "core/fidelity/measure.h"

namespace hyb {
namespace {

constexpr double kWorse = 1.01;  // than the best trial

}  // namespace

std::optional<std::size_t> bestTrialRow(std::span<const double> whole, std::span<const double> errors) noexcept {
  std::optional<std::size_t> best;
  for (std::size_t row = 0; row < std::min(whole.size(), errors.size()); ++row)
    if (whole[row] != 0.0 && std::isfinite(errors[row]) && (!best || errors[row] < errors[*best])) best = row;
  return best;
}

int Rises::add(double error) noexcept {
  count_ = any_ && error > last_ && error > kWorse * best_ ? count_ + 1 : 0;
  best_ = any_ ? std::min(best_, error) : error;
  last_ = error;
  any_ = true;
  return count_;
}

TrialDirector::TrialDirector(const TrialSpec& spec, std::size_t interfaces, std::size_t learnt)
    : spec_(spec), learnt_(learnt), best_learnt_(learnt) {
  result_.tracking.resize(interfaces);
}

void TrialDirector::begin(int trial, std::uint64_t tick) noexcept {
  open_ = true;
  result_.trial = trial;
  result_.first_tick = result_.last_tick = tick;
  result_.whole = true;
  std::fill(result_.tracking.begin(), result_.tracking.end(), RunningComparison());
}

void TrialDirector::add(std::uint64_t tick, const Eigen::VectorXd& target, const Eigen::VectorXd& tracked) noexcept {
  result_.last_tick = tick;
  for (std::size_t i = 0; i < result_.tracking.size(); ++i) {
    const auto e = static_cast<Eigen::Index>(i);
    result_.tracking[i].add(target[e], tracked[e]);
  }
}

const TrialResult& TrialDirector::finish() noexcept {
  open_ = false;
  double& error = result_.error_percent;
  error = kNoValue;
  for (const RunningComparison& one : result_.tracking)
    error = std::fmax(error, 100.0 * one.nrmse());  // the other one where one is not a number
  if (!result_.whole || !std::isfinite(error)) return result_;
  rises_ = rise_.add(error);
  if (best_ == 0 || error < best_error_) {
    best_ = result_.trial;
    best_error_ = error;
    learnt_.swap(best_learnt_);  // the next trial fills it anew
  }
  last_whole_ = result_.trial;
  if (result_.trial >= spec_.count) return result_;  // the last one ends them anyway
  if (error < spec_.stop_below_percent)
    stop_ = TrialStop::below;
  else if (spec_.stop_after_rises > 0 && rises_ >= spec_.stop_after_rises)
    stop_ = TrialStop::rises;
  return result_;
}

std::vector<Channel> trialColumns(const std::vector<std::string>& gap_units, const std::vector<Channel>& adapted) {
  std::vector<Channel> columns = {
      {"trial", "", "number of the trial, from 1", 0},
      {"first_tick", "", "tick of its first row", 0},
      {"last_tick", "", "tick of its last row", 0},
      {"whole", "", "1: it ran to its end and was not held; others do not count for stop rules and the best", 0},
      {"tracking_nrmse_percent", "%", "error of the trial: the largest of its interfaces", 0}};
  for (const char* name : {"tracking_nrmse_percent", "gap_rms", "gap_peak"}) {
    const Measure& measure = *findMeasure(name);
    const bool percent = std::string_view(measure.unit) == "%";  // the others are in the unit of the gap
    for (std::size_t i = 0; i < gap_units.size(); ++i)
      columns.push_back({std::string(name) + '_' + std::to_string(i + 1), percent ? measure.unit : gap_units[i],
                         measure.description(), static_cast<int>(i) + 1});
  }
  for (const Channel& one : adapted)
    columns.push_back({one.name, one.units, one.description + ", as the trial began", one.interface});
  return columns;
}

void fillTrialRow(const TrialResult& result, std::span<double> row) noexcept {
  const double first[] = {static_cast<double>(result.trial), static_cast<double>(result.first_tick),
                          static_cast<double>(result.last_tick), result.whole ? 1.0 : 0.0, result.error_percent};
  auto next = std::copy(std::begin(first), std::end(first), row.begin());
  for (const RunningComparison& one : result.tracking) *next++ = 100.0 * one.nrmse();
  for (const RunningComparison& one : result.tracking) *next++ = one.errorRms();
  for (const RunningComparison& one : result.tracking) *next++ = one.errorPeak();
}

}  // namespace hyb
