#pragma once
#include <Eigen/Core>
#include <complex>
#include <cstdint>
#include <vector>

namespace hyb {

/// Harmonics of signals as they run, and with them their second integral and derivative, which nothing else gives
/// without drift or noise: exact for a steady sum of an offset and these harmonics.
///
/// One turning amplitude a harmonic, and a standing one, corrected by what they together miss of each value:
///   x_h <- x_h e^{j h w T} + 2 c e,   x_0 <- x_0 + c e,   e = value - (x_0 + sum Re(x_h e^{j h w T})).
/// Errors decay for any frequencies while c (2 H + 1) < 2; c is T over the period of the first harmonic, which is their
/// time constant, or less. Source: G. Peceli, A common structure for recursive discrete transforms, IEEE Transactions
/// on Circuits and Systems 33 (1986).
class HarmonicObserver {
 public:
  /// orders: ascending, >= 1.
  HarmonicObserver(Eigen::Index signals, std::vector<int> orders, double step_s);
  /// Back to nothing, but for the frequency. Real-time safe, as all that follows.
  void reset() noexcept;
  /// Of the first harmonic, rad/s; 0: the last one stays. Before the first one nothing is observed.
  void setFundamental(double w) noexcept;
  /// values [signals], so many ticks after the last ones.
  void observe(const Eigen::VectorXd& values, std::int64_t elapsed) noexcept;
  /// Sum of the harmonics of a signal, each times -(h w)^2, or over it; 0 before there is a frequency.
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
