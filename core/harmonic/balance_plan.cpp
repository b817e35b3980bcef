#include "core/harmonic/balance_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hyb {
namespace {

std::size_t strideOf(const BalanceRefinement& refine) {
  return refine.most > 0 ? std::size_t{1} << static_cast<unsigned>(refine.halvings) : 1;
}

}  // namespace

std::vector<double> BalancePlan::places(const std::vector<double>& frequencies_hz, const BalanceRefinement& refine) {
  const std::size_t stride = strideOf(refine);
  std::vector<double> hz;
  for (std::size_t k = 0; k < frequencies_hz.size(); ++k) {
    hz.push_back(frequencies_hz[k]);
    if (k + 1 == frequencies_hz.size()) break;
    const double whole_hz = frequencies_hz[k + 1] - frequencies_hz[k];
    for (std::size_t j = 1; j < stride; ++j)
      hz.push_back(frequencies_hz[k] + whole_hz * static_cast<double>(j) / static_cast<double>(stride));
  }
  return hz;
}

BalancePlan::BalancePlan(const BalanceCampaignSettings& settings, const std::vector<double>& frequencies_hz,
                         Eigen::Index unknowns)
    : settings_(settings),
      hz_(places(frequencies_hz, settings.refine)),
      stride_(strideOf(settings.refine)),
      steps_(frequencies_hz.size()),
      kept_(hz_.size()),
      amplitudes_(Eigen::MatrixXd::Zero(unknowns, static_cast<Eigen::Index>(hz_.size()))),
      start_(Eigen::VectorXd::Zero(unknowns)) {}

void BalancePlan::reset() noexcept {
  std::fill(kept_.begin(), kept_.end(), Kept{});
  place_ = pass_ = step_ = all_added_ = 0;
  number_ = 1;
  added_ = 0;
  start_.setZero();
}

std::size_t BalancePlan::passes() const noexcept {
  return settings_.levels.size() * static_cast<std::size_t>(settings_.repeats) * (settings_.back ? 2 : 1);
}

std::size_t BalancePlan::most() const noexcept {
  const std::size_t between = hz_.size() - steps_;
  return passes() * (steps_ + std::min(between, static_cast<std::size_t>(settings_.refine.most)));
}

std::size_t BalancePlan::planned() const noexcept { return passes() * steps_ + all_added_; }

double BalancePlan::levelOf(std::size_t pass) const noexcept {
  return settings_.levels[pass * settings_.levels.size() / passes()];
}

std::size_t BalancePlan::placeOf(std::size_t step) const noexcept {
  return stride_ * (backward() ? steps_ - 1 - step : step);
}

void BalancePlan::keep(bool balanced, std::complex<double> response, const Eigen::VectorXd& amplitudes) noexcept {
  kept_[place_] = {true, balanced, response, level()};
  amplitudes_.col(static_cast<Eigen::Index>(place_)) = amplitudes;
}

bool BalancePlan::next() noexcept {
  ++number_;
  const std::size_t last = place_;
  if (step_ + 1 < steps_) {
    place_ = placeOf(++step_);
    start_ = amplitudes_.col(static_cast<Eigen::Index>(last));
    if (settings_.extrapolate && step_ >= 2) onLine(placeOf(step_ - 2), last);
    return true;
  }
  if (added_ < settings_.refine.most)
    if (const std::size_t place = bendiest(); place < hz_.size()) {
      place_ = place;
      ++added_;
      ++all_added_;
      std::size_t left = place, right = place;
      while (!kept_[left].measured) --left;
      while (!kept_[right].measured) ++right;
      start_ = amplitudes_.col(static_cast<Eigen::Index>(left));
      onLine(left, right);
      return true;
    }
  if (pass_ + 1 >= passes()) return false;
  ++pass_;
  step_ = 0;
  added_ = 0;
  for (Kept& one : kept_) one.measured = false;
  place_ = placeOf(0);
  start_ = level() / kept_[place_].level * amplitudes_.col(static_cast<Eigen::Index>(place_));
  return true;
}

/// Amplitudes for place_ on the line through two balanced places.
void BalancePlan::onLine(std::size_t from, std::size_t to) noexcept {
  const double apart_hz = hz_[to] - hz_[from], share = apart_hz != 0.0 ? (hz_[place_] - hz_[from]) / apart_hz : 0.0;
  constexpr double furthest = 2.0 + 1e-9;  // extrapolates at most over their distance
  if (!kept_[from].balanced || !kept_[to].balanced || !(share > 0.0 && share <= furthest)) return;
  start_ = amplitudes_.col(static_cast<Eigen::Index>(from));
  start_ += share * (amplitudes_.col(static_cast<Eigen::Index>(to)) - start_);
}

/// Place halfway in the larger interval beside the measured frequency with the largest distance from the line between
/// its neighbours; none: place of the end.
std::size_t BalancePlan::bendiest() const noexcept {
  double largest = 0.0, most = settings_.refine.bend;
  for (const Kept& one : kept_)
    if (one.measured && one.balanced) largest = std::max(largest, std::abs(one.response));
  std::size_t best = hz_.size(), a = hz_.size(), b = hz_.size();
  for (std::size_t c = 0; c < hz_.size(); ++c) {
    if (!kept_[c].measured || !kept_[c].balanced) continue;
    if (a < hz_.size() && std::max(b - a, c - b) > 1) {
      const double apart_hz = hz_[c] - hz_[a], share = apart_hz != 0.0 ? (hz_[b] - hz_[a]) / apart_hz : 0.0;
      const std::complex<double> line = kept_[a].response + share * (kept_[c].response - kept_[a].response);
      const std::size_t left = b - a >= c - b ? a : b, right = b - a >= c - b ? b : c, middle = (left + right) / 2;
      if (const double off = std::abs(kept_[b].response - line) / largest; off > most && !kept_[middle].measured) {
        most = off;
        best = middle;
      }
    }
    a = b;
    b = c;
  }
  return best;
}

}  // namespace hyb
