#pragma once
#include <cstdint>

#include "core/feedforward/forgetting_least_squares.h"

namespace hyb {

/// How well random commands tell what each actuator does, whatever the law that learns from them: least squares of
/// W Th p = g over all ticks of the identification, and how far each coefficient stands out of its own scatter, which
/// what the commands do not explain gives it.
/// Source: textbook, variance of least-squares coefficients; L. Ljung, System Identification, ch. 9.
class IdentificationEvidence {
 public:
  /// pairs: as of AdaptionContext. amplitude: of the commands.
  IdentificationEvidence(Eigen::Index pairs, Eigen::Index axes, double amplitude);
  /// Nothing learnt from. Real-time safe, as all that follows.
  void reset() noexcept;
  /// One tick: theta e^{j w t} of the command, and its gap [i], m.
  void add(const Eigen::VectorXd& turned, const Eigen::VectorXd& gap) noexcept;
  /// After the last tick.
  void finish() noexcept { rows_.solve(); }
  /// Ticks.
  std::int64_t count() const noexcept { return count_; }
  /// Of the actuator whose pair begins at `pair`: its largest |H| over the root of the mean of its scatter's square,
  /// over all gaps. Of noise alone it exceeds r with a probability of about e^{-r^2} a gap. Infinity: nothing scatters;
  /// 0: nothing tells of it.
  double strength(Eigen::Index pair) noexcept;

 private:
  ForgettingLeastSquares rows_;
  Eigen::VectorXd weight_;
  Eigen::MatrixXd nothing_;
  std::int64_t count_ = 0;
};

}  // namespace hyb
