#include "core/transfer/specimen_forces.h"

#include <algorithm>
#include <cmath>

namespace hyb {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

void SpecimenForces::add(const Place& place, SpecimenLawPtr law, Index beside) {
  const auto same = std::find_if(places_.begin(), places_.end(),
                                 [&](const Place& p) { return p.x == place.x && p.of_actuator == place.of_actuator; });
  const auto at = static_cast<std::size_t>(same - places_.begin());
  if (same == places_.end()) places_.push_back(place);
  const auto behind = std::find_if(laws_.begin(), laws_.end(), [&](const Law& l) { return l.place > at; });
  if (law->ground() != nullptr) beside = place.v;
  laws_.insert(behind, {std::move(law), at, beside});
  first_.assign(places_.size() + 1, laws_.size());
  for (std::size_t l = laws_.size(); l-- > 0;) first_[laws_[l].place] = l;
  histories_.assign(laws_.size(), {});
  next_ = histories_;
  force_ = mean_ = reaction_ = VectorXd::Zero(static_cast<Index>(places_.size()));
}

double SpecimenForces::stiffness(std::size_t place) const noexcept {
  double sum = 0.0;
  for (std::size_t l = first_[place]; l < first_[place + 1]; ++l) sum += laws_[l].law->stiffness();
  return sum;
}

double SpecimenForces::damping(std::size_t place) const noexcept {
  double sum = 0.0;
  for (std::size_t l = first_[place]; l < first_[place + 1]; ++l) sum += laws_[l].law->damping();
  return sum;
}

void SpecimenForces::place(const VectorXd& state) noexcept {
  std::fill(histories_.begin(), histories_.end(), LinkHistory{});
  reaction_.setZero();
  attempt(state);
  commit();
}

// Bound between straight and curved path: a cubic parabola with these slopes at its ends stays within 4/27 of the step
// times the sum of their deviations from the chord's slope.
bool SpecimenForces::idle(const VectorXd& before, const VectorXd& state, double step_s) const noexcept {
  for (const Place& place : places_) {
    if (!place.yields) continue;
    const auto p = static_cast<std::size_t>(&place - places_.data());
    const double chord = (state[place.x] - before[place.x]) / step_s;
    const double margin_m = 0.25 * step_s * (std::abs(before[place.v] - chord) + std::abs(state[place.v] - chord));
    for (std::size_t l = first_[p]; l < first_[p + 1]; ++l)
      if (!laws_[l].law->idle(histories_[l], state[place.x], margin_m)) return false;
  }
  return true;
}

double SpecimenForces::meanForce(std::size_t place, double x_m, double step_s) const noexcept {
  double sum = 0.0;
  for (std::size_t l = first_[place]; l < first_[place + 1]; ++l)
    sum += laws_[l].law->meanForce(histories_[l], x_m, step_s);
  return sum;
}

/// The mean force r for which the place reaches x = free - yields r and r is that of the path to x. It increases with
/// x, so the root is bracketed; regula falsi with halved weights (Illinois).
double SpecimenForces::balanced(std::size_t place, double free_m, double yields_m_per_n, double step_s) const noexcept {
  constexpr int most = 60;
  const double start = meanForce(place, free_m, step_s);
  if (start == 0.0 || !(yields_m_per_n > 0.0)) return start;
  // Displacement error as a function of x: not below 0 at one end, not above 0 at the other.
  double a = free_m, miss_a = yields_m_per_n * start, b = free_m - miss_a;
  double force = meanForce(place, b, step_s), miss_b = b - free_m + yields_m_per_n * force;
  if (miss_b * miss_a > 0.0) return force;  // a law that decreases with x: best available value
  const double enough_m = 1e-14 * (std::abs(a) + std::abs(b));
  for (int k = 0; k < most && std::abs(miss_b) > enough_m && std::abs(b - a) > enough_m; ++k) {
    const double x = b - miss_b * (b - a) / (miss_b - miss_a);
    force = meanForce(place, x, step_s);
    const double miss = x - free_m + yields_m_per_n * force;
    if (miss * miss_b < 0.0) {
      a = b;
      miss_a = miss_b;
    } else {
      miss_a *= 0.5;
    }
    b = x;
    miss_b = miss;
  }
  return force;
}

void SpecimenForces::resist(const MatrixXd& yielding, double step_s, VectorXd& state) noexcept {
  constexpr int most = 40;
  mean_.setZero();
  const auto count = static_cast<Index>(places_.size());
  Index yields = 0;
  for (const Place& place : places_) yields += place.yields ? 1 : 0;
  for (int sweep = 0; sweep < most; ++sweep) {  // each place in turn: the forces minimise a convex function
    bool settled = true;
    for (Index p = 0; p < count; ++p) {
      const Place& place = places_[static_cast<std::size_t>(p)];
      if (!place.yields) continue;
      double free_m = state[place.x];
      for (Index q = 0; q < count; ++q)
        if (q != p) free_m += yielding(place.x, q) * mean_[q];
      const double force = balanced(static_cast<std::size_t>(p), free_m, -yielding(place.x, p), step_s);
      settled = settled && std::abs(force - mean_[p]) <= 1e-12 * std::abs(force);
      mean_[p] = force;
    }
    if (yields <= 1 || settled) break;
  }
  for (Index p = 0; p < count; ++p)
    if (mean_[p] != 0.0) state.noalias() += yielding.col(p) * mean_[p];
  for (std::size_t l = 0; l < laws_.size(); ++l)
    if (laws_[l].law->ground() != nullptr) land(laws_[l], histories_[l], yielding, step_s, state);
}

void SpecimenForces::land(const Law& law, const LinkHistory& from, const MatrixXd& yielding, double step_s,
                          VectorXd& state) noexcept {
  const RigidGround& ground = *law.law->ground();
  const Place& place = places_[law.place];
  const auto p = static_cast<Index>(law.place);
  const double side = ground.above ? -1.0 : 1.0;
  // Height above the ground and its rate, at both ends of the step.
  const double height_m = std::max(0.0, side * from.stretch + ground.gap_m), rate = side * from.memory;
  const double free_m = side * state[place.x] + ground.gap_m, free_rate = side * state[place.v];
  if (!(free_m < 0.0)) return;
  const double a = (free_rate - rate) / step_s;
  const double speed = std::sqrt(std::max(0.0, rate * rate - 2.0 * a * height_m));  // impact speed
  const double lands_s = height_m > 0.0 ? std::clamp(2.0 * height_m / (speed - rate), 0.0, step_s) : 0.0;
  const double left_s = step_s - lands_s, leaves = ground.restitution * speed;
  double end_m = leaves * left_s + 0.5 * a * left_s * left_s, end_rate = leaves + a * left_s;
  if (!(end_m > 0.0)) end_m = end_rate = 0.0;  // it would return within the step: it stays on the ground
  const double mean_n = side * (end_rate - free_rate) / yielding(place.v, p);
  state.noalias() += yielding.col(p) * mean_n;
  state[place.x] = side * (end_m - ground.gap_m);
  state[place.v] = side * end_rate;
  reaction_[p] += mean_n;
}

void SpecimenForces::resistAtOnce(const MatrixXd& yielding, double step_s, VectorXd& state) noexcept {
  const auto count = static_cast<Index>(places_.size());
  for (Index p = 0; p < count; ++p) {
    const Place& place = places_[static_cast<std::size_t>(p)];
    mean_[p] = place.yields ? meanForce(static_cast<std::size_t>(p), state[place.x], step_s) : 0.0;
  }
  for (Index p = 0; p < count; ++p)
    if (mean_[p] != 0.0) state.noalias() += yielding.col(p) * mean_[p];
}

bool SpecimenForces::smooth() const noexcept {
  return std::all_of(laws_.begin(), laws_.end(), [](const Law& law) { return law.law->smooth(); });
}

void SpecimenForces::attempt(const VectorXd& state) noexcept {
  for (std::size_t p = 0; p < places_.size(); ++p) {
    double sum = reaction_[static_cast<Index>(p)];
    for (std::size_t l = first_[p]; l < first_[p + 1]; ++l) {
      next_[l] = laws_[l].law->advanced(histories_[l], state[places_[p].x]);
      if (laws_[l].beside >= 0) next_[l].memory = state[laws_[l].beside];
      sum += laws_[l].law->force(next_[l], state[places_[p].v]);
    }
    force_[static_cast<Index>(p)] = sum;
  }
}

std::vector<double> SpecimenForces::state() const {
  std::vector<double> all;
  for (const LinkHistory& history : histories_) {
    all.push_back(history.stretch);
    all.push_back(history.memory);
  }
  return all;
}

void SpecimenForces::setState(std::span<const double> state) {
  for (std::size_t l = 0; l < histories_.size(); ++l) histories_[l] = {state[2 * l], state[2 * l + 1]};
}

}  // namespace hyb
