#include "core/rig/harmonic_observer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/numbers.h"

namespace hyb {

HarmonicObserver::HarmonicObserver(Eigen::Index signals, std::vector<int> orders, double step_s)
    : orders_(std::move(orders)), step_s_(step_s) {
  const auto count = static_cast<Eigen::Index>(orders_.size());
  turn_.setOnes(count);
  square_.setOnes(count);
  amplitude_.setZero(count, signals);
  offset_.setZero(signals);
}

void HarmonicObserver::reset() noexcept {
  amplitude_.setZero();
  offset_.setZero();
}

void HarmonicObserver::setFundamental(double w) noexcept {
  if (!(w > 0.0) || w == fundamental_) return;
  fundamental_ = w;
  share_ = std::min(w * step_s_ / kTwoPi, 1.0 / static_cast<double>(2 * orders_.size() + 1));
  for (Eigen::Index h = 0; h < turn_.size(); ++h) {
    const double own = w * orders_[static_cast<std::size_t>(h)];
    turn_[h] = std::polar(1.0, own * step_s_);
    square_[h] = own * own;
  }
}

void HarmonicObserver::observe(const Eigen::VectorXd& values, std::int64_t elapsed) noexcept {
  if (fundamental_ == 0.0) return;
  for (Eigen::Index h = 0; h < turn_.size(); ++h) {
    const std::complex<double> turn =
        elapsed == 1 ? turn_[h] : std::polar(1.0, std::sqrt(square_[h]) * step_s_ * static_cast<double>(elapsed));
    for (Eigen::Index s = 0; s < offset_.size(); ++s) amplitude_(h, s) *= turn;
  }
  for (Eigen::Index s = 0; s < offset_.size(); ++s) {
    double missed = values[s] - offset_[s];
    for (Eigen::Index h = 0; h < turn_.size(); ++h) missed -= amplitude_(h, s).real();
    for (Eigen::Index h = 0; h < turn_.size(); ++h) amplitude_(h, s) += 2.0 * share_ * missed;
    offset_[s] += share_ * missed;
  }
}

double HarmonicObserver::secondDerivative(Eigen::Index signal) const noexcept {
  if (fundamental_ == 0.0) return 0.0;
  double sum = 0.0;
  for (Eigen::Index h = 0; h < square_.size(); ++h) sum -= square_[h] * amplitude_(h, signal).real();
  return sum;
}

double HarmonicObserver::secondIntegral(Eigen::Index signal) const noexcept {
  if (fundamental_ == 0.0) return 0.0;
  double sum = 0.0;
  for (Eigen::Index h = 0; h < square_.size(); ++h) sum -= amplitude_(h, signal).real() / square_[h];
  return sum;
}

}  // namespace hyb
