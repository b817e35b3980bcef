#include "core/harmonic/path_follower.h"

#include <algorithm>
#include <cmath>

#include "core/linalg/eliminate.h"

namespace hyb {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kLongestCorrection = 0.25;  // of the first point
constexpr double kAstray = 2.0;              // steps from the prediction
constexpr double kLeastChange = 1e-9;        // of the unknowns, for an update
constexpr double kMostGrowth = 1.5, kLeastGrowth = 0.5;

}  // namespace

PathFollower::PathFollower(const PathSettings& settings, Index equations) : settings_(settings), equations_(equations) {
  for (VectorXd* v : {&y_, &predicted_, &normal_, &last_y_, &dy_, &right_, &point_[0], &point_[1], &point_[2]})
    v->setZero(equations + 1);
  for (VectorXd* v : {&last_g_, &g_, &average_, &dg_}) v->setZero(equations);
  jacobian_.setZero(equations, equations + 1);
  system_.setZero(equations + 1, equations + 1);
}

void PathFollower::begin(const VectorXd& y, Index held) noexcept {
  y_ = predicted_ = y;
  held_ = first_held_ = held;
  stage_ = Stage::correct;
  known_ = measured_ = renewed_ = renewing_ = unsteady_ = at_bound_ = false;
  in_evaluation_ = corrections_ = evaluations_ = averages_ = with_jacobian_ = points_ = 0;
  step_ = settings_.first_step;
  walked_ = length_ = 0.0;
  end_ = PathEnd::open;
  last_g_.setZero();
}

PathFollower::Next PathFollower::take(const VectorXd& g) noexcept {
  ++averages_;
  ++in_evaluation_;
  dg_ = g - average_;
  average_ = g;
  const bool steady = settings_.least_averages == 1 || (in_evaluation_ > 1 && dg_.norm() < settings_.steadiness);
  if (in_evaluation_ < settings_.least_averages || !steady) {
    if (in_evaluation_ < settings_.most_averages) return Next::average;
    in_evaluation_ = 0;
    unsteady_ = true;
    last_g_ = g;
    return fail();
  }
  in_evaluation_ = 0;
  ++evaluations_;
  g_ = g;
  return stage_ == Stage::perturb ? perturbed() : evaluated();
}

PathFollower::Next PathFollower::evaluated() noexcept {
  if (measured_ && known_ && stage_ == Stage::correct) update();
  last_y_ = y_;
  last_g_ = g_;
  measured_ = true;
  if (stage_ == Stage::measure_again || !known_) {
    entry_ = 0;
    return perturb();
  }
  if (g_.norm() < settings_.tolerance) return accept();
  if (corrections_ >= settings_.corrections) return fail();
  if (with_jacobian_ >= settings_.renew_after) {
    entry_ = 0;
    return perturb();
  }
  return correct();
}

PathFollower::Next PathFollower::perturb() noexcept {
  stage_ = Stage::perturb;
  y_ = last_y_;
  h_ = settings_.perturbation;
  y_[entry_] += h_;
  const Index pair = entry_ & ~Index{1};
  if (entry_ < 2 * settings_.pairs ? std::hypot(y_[pair], y_[pair + 1]) > 1.0 : y_[entry_] > settings_.high) {
    h_ = -h_;
    y_[entry_] = last_y_[entry_] + h_;
  }
  return Next::apply;
}

PathFollower::Next PathFollower::perturbed() noexcept {
  jacobian_.col(entry_) = (g_ - last_g_) / h_;
  if (++entry_ <= equations_) return perturb();
  stage_ = Stage::correct;
  known_ = jacobian_.allFinite();
  with_jacobian_ = 0;
  y_ = last_y_;
  if (!known_) return fail();
  if (renewing_) {  // at the last point, before its step is repeated
    renewing_ = false;
    return predict() ? Next::apply : fail();
  }
  return last_g_.norm() < settings_.tolerance ? accept() : correct();
}

/// Corrects in the plane of the prediction, or with the held entry.
PathFollower::Next PathFollower::correct() noexcept {
  const Index n = equations_;
  system_.topRows(n) = jacobian_;
  right_.head(n) = -last_g_;
  if (held_ >= 0) {
    system_.row(n).setZero();
    system_(n, held_) = 1.0;
    right_[n] = predicted_[held_] - last_y_[held_];
  } else {
    system_.row(n) = normal_.transpose();
    right_[n] = normal_.dot(predicted_ - last_y_);
  }
  if (!linalg::eliminate(system_, right_) || !right_.allFinite()) return fail();
  if (const double length = right_.norm(); length > kLongestCorrection) right_ *= kLongestCorrection / length;
  y_ = last_y_ + right_;
  ++corrections_;
  ++with_jacobian_;
  if (points_ > 0) holdAtBound(last_y_);
  at_bound_ = outside();
  if (at_bound_ || (points_ > 0 && (y_ - predicted_).norm() > kAstray * step_)) return fail();
  return Next::apply;
}

void PathFollower::update() noexcept {
  dy_ = y_ - last_y_;
  const double length2 = dy_.squaredNorm();
  if (!(length2 > kLeastChange * kLeastChange)) return;
  dg_ = g_ - last_g_;
  dg_.noalias() -= jacobian_ * dy_;
  if (dg_.norm() < settings_.steadiness) return;  // below the resolution of the averages
  jacobian_.noalias() += dg_ * (dy_ / length2).transpose();
}

PathFollower::Next PathFollower::accept() noexcept {
  point_[2] = point_[1];
  point_[1] = point_[0];
  point_[0] = y_;
  walked_ = points_ > 0 ? (point_[0] - point_[1]).norm() : 0.0;
  length_ += walked_;
  at_[2] = at_[1];
  at_[1] = at_[0];
  at_[0] = length_;
  if (points_ > 0 && held_ >= 0)
    end_ = held_ != first_held_                  ? PathEnd::edge
           : predicted_[held_] >= settings_.high ? PathEnd::reached
                                                 : PathEnd::back;
  ++points_;
  return Next::point;
}

/// Halves the step, with a Jacobian at the last point.
PathFollower::Next PathFollower::fail() noexcept {
  stage_ = Stage::correct;
  measured_ = false;
  step_ *= 0.5;
  if (points_ == 0 || step_ < settings_.least_step) {
    end_ = at_bound_ ? PathEnd::bound : unsteady_ ? PathEnd::not_steady : points_ == 0 ? PathEnd::none : PathEnd::step;
    return Next::stuck;
  }
  if (!renewed_ && !at_bound_) {
    renewed_ = renewing_ = true;
    y_ = point_[0];
    stage_ = Stage::measure_again;
    return Next::apply;
  }
  unsteady_ = false;
  return predict() ? Next::apply : fail();
}

bool PathFollower::advance() noexcept {
  if (end_ != PathEnd::open) return false;
  if (points_ > 1) {
    double turn = 0.0;
    if (points_ > 2) {
      dy_ = point_[0] - point_[1];
      right_ = point_[1] - point_[2];
      turn = std::acos(std::clamp(dy_.dot(right_) / (dy_.norm() * right_.norm()), -1.0, 1.0));
    }
    const double by_corrections = static_cast<double>(settings_.quick) / std::max(1, corrections_),
                 by_turn = settings_.turn_rad / std::max(1e-6, turn);
    step_ *= std::clamp(std::min(by_corrections, by_turn), kLeastGrowth, kMostGrowth);
    step_ = std::clamp(step_, settings_.least_step, settings_.most_step);
  }
  corrections_ = evaluations_ = averages_ = 0;
  renewed_ = unsteady_ = at_bound_ = measured_ = false;
  while (!predict()) {
    step_ *= 0.5;
    if (step_ >= settings_.least_step) continue;
    end_ = PathEnd::bound;
    return false;
  }
  return true;
}

/// Predicts the next y, one step ahead. False: it is outside.
bool PathFollower::predict() noexcept {
  held_ = -1;
  if (points_ == 1) {  // along the path: J t = 0
    const Index n = equations_;
    system_.topRows(n) = jacobian_;
    system_.row(n).setZero();
    system_(n, first_held_) = 1.0;
    right_.setZero();
    right_[n] = 1.0;
    if (!linalg::eliminate(system_, right_) || !right_.allFinite()) return false;
    y_ = point_[0] + step_ / right_.norm() * right_;
  } else if (points_ == 2) {
    y_ = point_[0] + step_ / walked_ * (point_[0] - point_[1]);
  } else {
    const double s = at_[0] + step_;
    for (int i = 0; i < 3; ++i) {
      double share = 1.0;
      for (int j = 0; j < 3; ++j)
        if (j != i) share *= (s - at_[j]) / (at_[i] - at_[j]);
      if (i == 0)
        y_ = share * point_[i];
      else
        y_ += share * point_[i];
    }
  }
  holdAtBound(point_[0]);
  predicted_ = y_;
  normal_ = y_ - point_[0];
  const double length = normal_.norm();
  if (!(length > 0.0)) return false;
  normal_ /= length;
  corrections_ = 0;
  at_bound_ = outside();
  return !at_bound_;
}

bool PathFollower::outside() const noexcept {
  for (Index p = 0; p < 2 * settings_.pairs; p += 2)
    if (std::hypot(y_[p], y_[p + 1]) > 1.0) return true;
  return false;
}

/// An unpaired unknown stops at its bound and is held there.
void PathFollower::holdAtBound(const VectorXd& from) noexcept {
  for (Index e = 2 * settings_.pairs; e < y_.size(); ++e) {
    if (y_[e] <= settings_.high && y_[e] >= settings_.low) continue;
    const double bound = y_[e] > settings_.high ? settings_.high : settings_.low;
    const double share = std::clamp((bound - from[e]) / (y_[e] - from[e]), 0.0, 1.0);
    y_ = from + share * (y_ - from);
    y_[e] = predicted_[e] = bound;
    held_ = e;
  }
}

double PathFollower::slope(Index unknown) const noexcept {
  if (points_ < 2) return unknown == first_held_ ? 1.0 : 0.0;
  const auto y = [&](int i) { return point_[i][unknown]; };
  const double newest = (y(0) - y(1)) / (at_[0] - at_[1]);
  if (points_ == 2) return newest;
  const double before = (y(1) - y(2)) / (at_[1] - at_[2]);
  return newest + (newest - before) * (at_[0] - at_[1]) / (at_[0] - at_[2]);
}

}  // namespace hyb
