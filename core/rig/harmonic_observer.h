#pragma once
#include <Eigen/Core>
#include <complex>
#include <cstdint>
#include <vector>

namespace hyb {

/// Harmonics of signals in real time, with their second integral and derivative without drift or noise: exact for a
/// steady sum of an offset and these harmonics.
///
/// One rotating amplitude per harmonic, and a constant one, corrected by their common error in each value:
///   x_h <- x_h e^{j h w T} + 2 c e,   x_0 <- x_0 + c e,   e = value - (x_0 + sum Re(x_h e^{j h w T})).
/// Errors decay for any frequencies while c (2 H + 1) < 2; c is T over the period of the first harmonic, which is their
/// time constant, or less. Source: G. Peceli, A common structure for recursive discrete transforms, IEEE Transactions
/// on Circuits and Systems 33 (1986).
class HarmonicObserver {
 public:
  /// orders: ascending, >= 1.
  HarmonicObserver(Eigen::Index signals, std::vector<int> orders, double step_s);
  /// Resets everything except the frequency. Real-time safe, as all members below.
  void reset() noexcept;
  /// Frequency of the first harmonic, rad/s; 0: keeps the last one. Nothing is observed before the first one.
  void setFundamental(double w) noexcept;
  /// values [signals], `elapsed` ticks after the last ones.
  void observe(const Eigen::VectorXd& values, std::int64_t elapsed) noexcept;
  /// Sum of the harmonics of a signal, each multiplied by -(h w)^2, or divided by it; 0 before a frequency is set.
  double secondDerivative(Eigen::Index signal) const noexcept;
  double secondIntegral(Eigen::Index signal) const noexcept;

 private:
  std::vector<int> orders_;
  double step_s_, fundamental_ = 0.0, share_ = 0.0;
  Eigen::VectorXcd turn_;       // [h]: e^{j h w T}
  Eigen::VectorXd square_;      // [h]: (h w)^2
  Eigen::MatrixXcd amplitude_;  // [h, signals]
  Eigen::VectorXd offset_;      // [signals]
};

}  // namespace hyb
