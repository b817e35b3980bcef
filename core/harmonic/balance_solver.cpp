#include "core/harmonic/balance_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hyb {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kWorse = 5.0;  // times the best residual, triggers a new Jacobian
constexpr int kIterationsOfRenewal = 4;
constexpr double kSingularJacobian = 1e-4;  // least over largest pivot of a Jacobian
constexpr double kUnheard = 0.1;            // change of the residual relative to that of the most effective command
constexpr double kUnheardAlone = 0.5;       // share of the steadiness, if no command changes it more
constexpr double kNoWay = 1e-3;             // share of a step within the bounds that is too short to help

}  // namespace

BalanceSolver::BalanceSolver(const BalanceSolverSettings& settings, Index unknowns)
    : settings_(settings), unknowns_(unknowns), method_(balanceMethod(settings.method).make(unknowns)) {
  if (balanceMethod(settings.method).renews_each_step) settings_.refresh_after = 1;
  for (VectorXd* v : {&v_, &r_, &last_average_, &last_v_, &last_r_, &best_v_, &best_r_, &dv_, &dr_})
    v->setZero(unknowns);
  jacobian_.setZero(unknowns, unknowns);
  inverse_ = jacobian_;
  column_of_.resize(static_cast<std::size_t>(unknowns));
}

void BalanceSolver::reset() noexcept {
  v_.setZero();
  inverse_.setZero();
  known_ = first_known_ = false;
  beginPoint();
}

void BalanceSolver::beginPoint() noexcept {
  stage_ = Stage::step;
  first_ = true;
  renewed_ = false;
  iterations_ = evaluations_ = averages_ = in_evaluation_ = steps_ = blocked_ = 0;
  best_norm_ = 0.0;
  best_is_now_ = false;
  method_->begin();
}

void BalanceSolver::beginPoint(const VectorXd& start) noexcept {
  beginPoint();
  v_ = start;
  for (Index p = 0; p < unknowns_; p += 2)
    if (const double size = v_.segment<2>(p).norm(); size > settings_.bound) v_.segment<2>(p) *= settings_.bound / size;
}

BalanceSolver::Next BalanceSolver::take(const VectorXd& residual) noexcept {
  ++averages_;
  ++in_evaluation_;
  best_is_now_ = false;
  dr_ = residual - last_average_;
  last_average_ = residual;
  const bool steady = in_evaluation_ > 1 && dr_.norm() < settings_.steadiness;
  if (in_evaluation_ < settings_.least_averages || !steady) {
    if (in_evaluation_ < settings_.most_averages) return Next::average;
    r_ = residual;
    return finish(BalanceEnd::not_steady);
  }
  in_evaluation_ = 0;
  ++evaluations_;
  r_ = residual;
  return stage_ == Stage::perturb ? perturbed() : evaluated();
}

BalanceSolver::Next BalanceSolver::evaluated() noexcept {
  const double norm = r_.norm();
  if (stage_ == Stage::step && !first_ && known_) update();
  if (first_ || stage_ == Stage::measure_again || norm < best_norm_) {
    best_v_ = v_;
    best_r_ = r_;
    best_norm_ = norm;
    best_is_now_ = true;
  }
  const bool again = stage_ == Stage::measure_again;
  first_ = false;
  last_v_ = v_;
  last_r_ = r_;
  if (norm < settings_.tolerance) return finish(BalanceEnd::converged);
  if (iterations_ >= settings_.iterations) return finish(BalanceEnd::iterations);
  if (again) return perturb();
  if (!known_) return measureJacobian();
  if (steps_ >= settings_.refresh_after || norm > kWorse * best_norm_) return renew();
  return step();
}

BalanceSolver::Next BalanceSolver::finish(BalanceEnd end) noexcept {
  end_ = end == BalanceEnd::iterations && atBound() ? BalanceEnd::bound : end;
  if (first_) {  // never steady: the last measured value
    best_v_ = v_;
    best_r_ = r_;
    best_norm_ = r_.norm();
    best_is_now_ = true;
  }
  v_ = best_v_;
  return Next::end;
}

/// Returns to the best V, to measure it and its Jacobian again.
BalanceSolver::Next BalanceSolver::renew() noexcept {
  iterations_ += kIterationsOfRenewal;
  if (iterations_ > settings_.iterations) {
    iterations_ -= kIterationsOfRenewal;
    return finish(BalanceEnd::iterations);
  }
  return measureJacobian();
}

/// Starts at the best V, or as near to it as all perturbations within the bounds permit.
BalanceSolver::Next BalanceSolver::measureJacobian() noexcept {
  const double room =
      std::sqrt(std::max(0.0, settings_.bound * settings_.bound - settings_.first_step * settings_.first_step));
  v_ = best_v_;
  for (Index p = 0; p < unknowns_; p += 2)
    if (const double size = v_.segment<2>(p).norm(); size > room) v_.segment<2>(p) *= room / size;
  stage_ = Stage::measure_again;
  return v_ == last_v_ ? perturb() : Next::apply;
}

BalanceSolver::Next BalanceSolver::perturb() noexcept {
  if (stage_ != Stage::perturb) entry_ = 0;
  stage_ = Stage::perturb;
  v_ = last_v_;
  const Index pair = entry_ & ~Index{1};
  v_[entry_] += settings_.first_step;
  h_ = settings_.first_step;
  if (std::hypot(v_[pair], v_[pair + 1]) > settings_.bound) {
    h_ = -h_;
    v_[entry_] = last_v_[entry_] + h_;
  }
  return Next::apply;
}

BalanceSolver::Next BalanceSolver::perturbed() noexcept {
  jacobian_.col(entry_) = (r_ - last_r_) / h_;
  if (!settings_.both_phases) {  // i times the column
    for (Index k = 0; k < unknowns_; k += 2) {
      jacobian_(k, entry_ + 1) = -jacobian_(k + 1, entry_);
      jacobian_(k + 1, entry_ + 1) = jacobian_(k, entry_);
    }
    ++entry_;
  }
  if (++entry_ < unknowns_) return perturb();
  stage_ = Stage::step;
  v_ = last_v_;
  r_ = last_r_;
  if (!allHeard()) return finish(BalanceEnd::unheard);
  if (!first_known_) jacobian_ *= settings_.first_factor;
  known_ = invert();
  if (!known_) return finish(BalanceEnd::singular);
  method_->renewed();
  first_known_ = renewed_ = true;
  steps_ = 0;
  return step();
}

BalanceSolver::Next BalanceSolver::step() noexcept {
  method_->propose(inverse_, last_r_, dv_);
  if (const double length = dv_.norm(); length > settings_.step_bound) dv_ *= settings_.step_bound / length;
  const double share = withinBounds();
  if (share < kNoWay) return renewed_ && ++blocked_ > 1 ? finish(BalanceEnd::bound) : renew();
  v_ = last_v_ + share * dv_;
  ++iterations_;
  ++steps_;
  return Next::apply;
}

void BalanceSolver::update() noexcept {
  dv_ = v_ - last_v_;
  dr_ = r_ - last_r_;
  if (dr_.norm() >= settings_.steadiness) method_->observe(dv_, dr_, inverse_);
}

/// Largest share of dv_, up to 1, that keeps every amplitude within its bound.
double BalanceSolver::withinBounds() const noexcept {
  double share = 1.0;
  for (Index p = 0; p < unknowns_; p += 2) {
    const double a = dv_.segment<2>(p).squaredNorm(), b = last_v_.segment<2>(p).dot(dv_.segment<2>(p)),
                 c = last_v_.segment<2>(p).squaredNorm() - settings_.bound * settings_.bound;
    if (a == 0.0 || (last_v_.segment<2>(p) + dv_.segment<2>(p)).norm() <= settings_.bound) continue;
    share = std::min(share, std::max(0.0, (-b + std::sqrt(std::max(0.0, b * b - a * c))) / a));
  }
  return share;
}

bool BalanceSolver::atBound() const noexcept {
  for (Index p = 0; p < unknowns_; p += 2)
    if (last_v_.segment<2>(p).norm() > (1.0 - kNoWay) * settings_.bound) return true;
  return false;
}

/// Called before the intended factor is applied.
bool BalanceSolver::allHeard() noexcept {
  double most = 0.0;
  const auto change = [&](Index pair) { return jacobian_.middleCols<2>(pair).colwise().norm().maxCoeff(); };
  for (Index p = 0; p < unknowns_; p += 2) most = std::max(most, change(p));
  for (Index p = 0; p < unknowns_; p += 2) {
    const double own = change(p);
    const double change_now = own * settings_.first_step, most_now = most * settings_.first_step;
    const bool beside = own < kUnheard * most, alone = most_now < kUnheardAlone * settings_.steadiness;
    if (change_now >= settings_.steadiness || !(beside || alone)) continue;
    least_pair_ = p / 2;
    apart_ = change_now;
    return false;
  }
  return true;
}

/// Inverts jacobian_, which is overwritten, into inverse_ by elimination with full pivoting. False: singular. All
/// entries have one unit, so that those of a command without effect are small relative to the others.
bool BalanceSolver::invert() noexcept {
  const Index n = unknowns_;
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  least_pair_ = 0;
  apart_ = 0.0;
  if (!jacobian_.allFinite()) return false;
  inverse_.setIdentity();
  for (Index k = 0; k < n; ++k) column_of_[at(k)] = k;
  double largest = 0.0;
  for (Index k = 0; k < n; ++k) {
    Index row = 0, column = 0;
    const double pivot = jacobian_.bottomRightCorner(n - k, n - k).cwiseAbs().maxCoeff(&row, &column);
    largest = std::max(largest, pivot);
    least_pair_ = column_of_[at(k + column)] / 2;
    apart_ = largest > 0.0 ? pivot / largest : 0.0;
    if (!(pivot > kSingularJacobian * largest)) return false;
    jacobian_.row(k).swap(jacobian_.row(k + row));
    inverse_.row(k).swap(inverse_.row(k + row));
    jacobian_.col(k).swap(jacobian_.col(k + column));
    std::swap(column_of_[at(k)], column_of_[at(k + column)]);
    const double p = jacobian_(k, k);
    jacobian_.row(k) /= p;
    inverse_.row(k) /= p;
    for (Index r = 0; r < n; ++r) {
      const double share = jacobian_(r, k);
      if (r == k || share == 0.0) continue;
      for (Index c = 0; c < n; ++c) {
        jacobian_(r, c) -= share * jacobian_(k, c);
        inverse_(r, c) -= share * inverse_(k, c);
      }
    }
  }
  for (Index k = 0; k < n; ++k) jacobian_.row(column_of_[at(k)]) = inverse_.row(k);  // in the order of the unknowns
  inverse_ = jacobian_;
  return true;
}

}  // namespace hyb
