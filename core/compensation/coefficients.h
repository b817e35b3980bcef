#pragma once
#include <Eigen/Core>
#include <array>
#include <vector>

#include "core/linalg/few.h"

namespace hyb {

/// Maximum for a learnt inverse.
inline constexpr int kMostCoefficients = 16;
/// One number for each coefficient; no memory allocation.
using Coefficients = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostCoefficients, 1>;

/// Calls body(all): all(vector) is the segment of the `count` coefficients. For four, the size of most inverses, the
/// compiler knows the size: sums and products of two packets.
template <typename Body>
[[gnu::always_inline]] inline void ofKnownSize(Eigen::Index count, Body&& body) noexcept {
  if (count == 4)
    body([](auto& vector) noexcept { return vector.template head<4>(); });
  else
    body([](auto& vector) noexcept { return vector.head(vector.size()); });
}

/// Values weighted by the coefficients: a value and its first backward differences over step^n, or a value and its past
/// in steps of `spacing_ticks`. Real-time safe except for its construction.
class Basis {
 public:
  /// spacing_ticks: 0 for differences.
  Basis(Eigen::Index count, double step_s, int spacing_ticks)
      : values_(Coefficients::Zero(count)),
        step_s_(step_s),
        spacing_(static_cast<std::size_t>(spacing_ticks)),
        past_(spacing_ * static_cast<std::size_t>(count - 1) + 1, 0.0) {}
  /// Sets the past to the constant `value`.
  void rest(double value) noexcept {
    values_.setConstant(spacing_ > 0 ? value : 0.0);
    values_[0] = value;
    for (double& past : past_) past = value;
  }
  void push(double value) noexcept {
    if (spacing_ == 0) {
      step_s_.use([this, value](auto quotient) noexcept { pushDifferences(value, quotient); });
      return;
    }
    newest_ = newest_ + 1 < past_.size() ? newest_ + 1 : 0;
    past_[newest_] = value;
    std::size_t place = newest_;
    for (double& kept : values_) {
      kept = past_[place];
      place = place >= spacing_ ? place - spacing_ : place + past_.size() - spacing_;
    }
  }
  const Coefficients& values() const noexcept { return values_; }

 private:
  template <typename Quotient>
  void pushDifferences(double value, Quotient overStep) noexcept {
    double *kept = values_.data(), *const last = kept + values_.size() - 1;
    for (; kept != last; ++kept) {
      const double next = overStep(value - *kept);
      *kept = value;
      value = next;
    }
    *last = value;
  }

  Coefficients values_;
  linalg::Divisor step_s_;
  std::size_t spacing_, newest_ = 0;
  std::vector<double> past_;  // a ring
};

}  // namespace hyb
