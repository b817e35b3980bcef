#include "core/structure/actuator_geometry.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hyb {

using Eigen::Index;

ActuatorGeometry::ActuatorGeometry(Eigen::MatrixXd motion, std::vector<Offset> offsets)
    : motion_(std::move(motion)), offsets_(std::move(offsets)) {
  slope_.setZero(motion_.cols(), motion_.cols());
  missing_.setZero(motion_.cols());
}

double ActuatorGeometry::rotation(const Offset& offset, const Eigen::VectorXd& linear) const noexcept {
  double r = 0.0;
  for (Index i = 0; i < linear.size(); ++i) r += motion_(offset.rotation, i) * linear[i];
  return r;
}

void ActuatorGeometry::toExact(const Eigen::VectorXd& linear, Eigen::VectorXd& exact) const noexcept {
  for (Index i = 0; i < linear.size(); ++i) exact[i] = linear[i];
  for (const Offset& offset : offsets_) {
    const double r = rotation(offset, linear);
    exact[offset.axis] += offset.lever_m * (std::sin(r) - r) + offset.along_m * (std::cos(r) - 1.0);
  }
}

void ActuatorGeometry::toExactRate(const Eigen::VectorXd& linear, const Eigen::VectorXd& linear_rate,
                                   Eigen::VectorXd& exact_rate) const noexcept {
  for (Index i = 0; i < linear.size(); ++i) exact_rate[i] = linear_rate[i];
  for (const Offset& offset : offsets_) {
    const double r = rotation(offset, linear);
    exact_rate[offset.axis] +=
        (offset.lever_m * (std::cos(r) - 1.0) - offset.along_m * std::sin(r)) * rotation(offset, linear_rate);
  }
}

void ActuatorGeometry::toLinear(const Eigen::VectorXd& exact, Eigen::VectorXd& linear) noexcept {
  constexpr int kMostSteps = 30;
  constexpr double kSolved = 1e-10;  // of the largest axis: the error after this step is about its square
  for (Index i = 0; i < exact.size(); ++i) linear[i] = exact[i];
  if (offsets_.empty()) return;
  for (int step = 0; step < kMostSteps; ++step) {
    toExact(linear, missing_);
    slope_.setIdentity();
    double size = 0.0, change = 0.0;
    for (Index i = 0; i < exact.size(); ++i) {
      missing_[i] = exact[i] - missing_[i];
      size = std::max(size, std::abs(exact[i]));
    }
    for (const Offset& offset : offsets_) {
      const double r = rotation(offset, linear);
      const double slope = offset.lever_m * (std::cos(r) - 1.0) - offset.along_m * std::sin(r);
      for (Index i = 0; i < exact.size(); ++i) slope_(offset.axis, i) += slope * motion_(offset.rotation, i);
    }
    if (!solve()) break;
    for (Index i = 0; i < exact.size(); ++i) {
      linear[i] += missing_[i];
      change = std::max(change, std::abs(missing_[i]));
    }
    if (change <= kSolved * size) return;
    if (!std::isfinite(change)) break;
  }
  linear.setConstant(std::numeric_limits<double>::quiet_NaN());
}

/// missing_ = slope_^-1 missing_, by elimination with pivots: few axes, and no memory is allocated.
bool ActuatorGeometry::solve() noexcept {
  const Index n = missing_.size();
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i)
      if (std::abs(slope_(i, k)) > std::abs(slope_(pivot, k))) pivot = i;
    if (!(std::abs(slope_(pivot, k)) > 1e-12)) return false;
    for (Index j = k; j < n; ++j) std::swap(slope_(k, j), slope_(pivot, j));
    std::swap(missing_[k], missing_[pivot]);
    for (Index i = k + 1; i < n; ++i) {
      const double factor = slope_(i, k) / slope_(k, k);
      for (Index j = k; j < n; ++j) slope_(i, j) -= factor * slope_(k, j);
      missing_[i] -= factor * missing_[k];
    }
  }
  for (Index k = n; k-- > 0;) {
    for (Index j = k + 1; j < n; ++j) missing_[k] -= slope_(k, j) * missing_[j];
    missing_[k] /= slope_(k, k);
  }
  return true;
}

}  // namespace hyb
