#pragma once
#include <Eigen/Core>
#include <cmath>
#include <complex>
#include <cstdint>

#include "core/base/numbers.h"

namespace hyb {

/// Harmonics of signals over whole periods: sums over the ticks with a window (1 - cos(2 pi t/(n T)) after Hann, or 1),
/// after the windowed mean is removed: psi of the signal Re(psi e^{j k w t}). A window with a fraction of a tick ends
/// at the nearest tick. Real-time safe except for the constructor.
/// Source: A. Vizzaccaro et al., Iterative method for real-time hybrid testing, section 4.
class HarmonicAverage {
 public:
  HarmonicAverage(Eigen::Index signals, Eigen::Index harmonics, bool hann)
      : hann_(hann), sums_(signals), turned_(signals, harmonics) {
    turns_.resize(harmonics);
    result_.setZero(signals, harmonics);
    begin(1.0);
  }
  /// Restarts with a window of so many ticks.
  void begin(double ticks) noexcept {
    ticks_ = ticks;
    at_ = 0;
    weight_ = 0.0;
    sums_.setZero();
    turns_.setZero();
    turned_.setZero();
  }
  /// Adds one tick with these phases [h], e^{j k w t}; signal(c) is the value of channel c. True: it was the last.
  template <typename Signal>
  bool add(const Eigen::VectorXcd& phase, const Signal& signal) noexcept {
    const double w = hann_ ? 1.0 - std::cos(kTwoPi * static_cast<double>(at_) / ticks_) : 1.0;
    weight_ += w;
    for (Eigen::Index h = 0; h < phase.size(); ++h) turns_[h] += w * std::conj(phase[h]);
    for (Eigen::Index c = 0; c < sums_.size(); ++c) {
      const double y = w * signal(c);
      sums_[c] += y;
      for (Eigen::Index h = 0; h < phase.size(); ++h)
        turned_(c, h) += std::complex<double>(y * phase[h].real(), -y * phase[h].imag());
    }
    return ++at_ >= std::llround(ticks_);
  }
  double ticks() const noexcept { return ticks_; }  // of the window
  const Eigen::MatrixXcd& harmonics() noexcept {
    for (Eigen::Index c = 0; c < sums_.size(); ++c)
      for (Eigen::Index h = 0; h < turns_.size(); ++h)
        result_(c, h) = 2.0 / weight_ * (turned_(c, h) - sums_[c] / weight_ * turns_[h]);
    return result_;
  }

 private:
  bool hann_;
  double ticks_ = 1.0, weight_ = 0.0;
  std::int64_t at_ = 0;
  Eigen::VectorXd sums_;
  Eigen::VectorXcd turns_;
  Eigen::MatrixXcd turned_, result_;
};

}  // namespace hyb
