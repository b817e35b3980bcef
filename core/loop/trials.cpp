#include "core/loop/trials.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
    : spec_(spec), gap_squares_(interfaces), target_squares_(interfaces), learnt_(learnt), best_learnt_(learnt) {
  result_.error_percents.resize(interfaces);
  result_.gap_rms.resize(interfaces);
  result_.gap_peak.resize(interfaces);
}

void TrialDirector::begin(int trial, std::uint64_t tick) noexcept {
  open_ = true;
  result_.trial = trial;
  result_.first_tick = result_.last_tick = tick;
  result_.whole = true;
  periods_ = 0;
  std::fill(gap_squares_.begin(), gap_squares_.end(), 0.0);
  std::fill(target_squares_.begin(), target_squares_.end(), 0.0);
  std::fill(result_.gap_peak.begin(), result_.gap_peak.end(), 0.0);
}

void TrialDirector::add(std::uint64_t tick, const Eigen::VectorXd& target, const Eigen::VectorXd& gap) noexcept {
  result_.last_tick = tick;
  ++periods_;
  for (std::size_t i = 0; i < gap_squares_.size(); ++i) {
    const auto e = static_cast<Eigen::Index>(i);
    gap_squares_[i] += gap[e] * gap[e];
    target_squares_[i] += target[e] * target[e];
    result_.gap_peak[i] = std::max(result_.gap_peak[i], std::abs(gap[e]));
  }
}

const TrialResult& TrialDirector::finish() noexcept {
  open_ = false;
  double& error = result_.error_percent;
  error = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < gap_squares_.size(); ++i) {
    result_.gap_rms[i] = std::sqrt(gap_squares_[i] / static_cast<double>(std::max<std::uint64_t>(1, periods_)));
    result_.error_percents[i] = target_squares_[i] > 0.0 ? 100.0 * std::sqrt(gap_squares_[i] / target_squares_[i])
                                                         : std::numeric_limits<double>::quiet_NaN();
    error = std::fmax(error, result_.error_percents[i]);  // the other one where one is not a number
  }
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
  const struct {
    const char *name, *description;
    bool percent;
  } kinds[] = {{"tracking_nrmse_percent_", "root mean square of the gap, of that of the target (J2)", true},
               {"gap_rms_", "root mean square of the gap", false},
               {"gap_peak_", "largest gap", false}};
  for (const auto& kind : kinds)
    for (std::size_t i = 0; i < gap_units.size(); ++i)
      columns.push_back({kind.name + std::to_string(i + 1), kind.percent ? "%" : gap_units[i], kind.description,
                         static_cast<int>(i) + 1});
  for (const Channel& one : adapted)
    columns.push_back({one.name, one.units, one.description + ", as the trial began", one.interface});
  return columns;
}

void fillTrialRow(const TrialResult& result, std::span<double> row) noexcept {
  const double first[] = {static_cast<double>(result.trial), static_cast<double>(result.first_tick),
                          static_cast<double>(result.last_tick), result.whole ? 1.0 : 0.0, result.error_percent};
  auto next = std::copy(std::begin(first), std::end(first), row.begin());
  next = std::copy(result.error_percents.begin(), result.error_percents.end(), next);
  next = std::copy(result.gap_rms.begin(), result.gap_rms.end(), next);
  std::copy(result.gap_peak.begin(), result.gap_peak.end(), next);
}

}  // namespace hyb
