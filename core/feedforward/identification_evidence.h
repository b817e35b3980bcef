#pragma once
#include <cstdint>

#include "core/feedforward/forgetting_least_squares.h"

namespace hyb {

/// Evidence of the effect of each actuator from random commands, independent of the law: least squares of W Th p = g
/// over all ticks of the identification, and each coefficient relative to its own scatter, which follows from the
/// residual.
/// Source: textbook, variance of least-squares coefficients; L. Ljung, System Identification, ch. 9.
class IdentificationEvidence {
 public:
  /// pairs: as of AdaptionContext. amplitude: of the commands.
  IdentificationEvidence(Eigen::Index pairs, Eigen::Index axes, double amplitude);
  /// Discards all data. Real-time safe, as all following functions.
  void reset() noexcept;
  /// One tick: theta e^{j w t} of the command, and its gap [i], m.
  void add(const Eigen::VectorXd& turned, const Eigen::VectorXd& gap) noexcept;
  /// After the last tick.
  void finish() noexcept { rows_.solve(); }
  /// Ticks.
  std::int64_t count() const noexcept { return count_; }
  /// Of the actuator whose pair starts at `pair`: its largest |H| over the root mean square of its scatter, over all
  /// gaps. Noise alone exceeds r with a probability of about e^{-r^2} per gap. Infinity: no scatter; 0: no information.
  double strength(Eigen::Index pair) noexcept;

 private:
  ForgettingLeastSquares rows_;
  Eigen::VectorXd weight_;
  Eigen::MatrixXd nothing_;
  std::int64_t count_ = 0;
};

}  // namespace hyb
