#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <limits>

namespace hyb {

struct TargetPathSpec {
  int step_ticks = 100;       // from one target to the next, >= 1
  int predict_ticks = 60;     // extrapolation after a target has been reached; then the path brakes; < step_ticks
  int order = 2;              // of the polynomial through the last targets; 0: it comes to rest at each target
  Eigen::VectorXd most = {};  // [i], magnitude that an extrapolation never exceeds; empty: unbounded
};

/// Motion between targets that come from outside at uncertain times. A corrector leads to a new target and reaches it
/// one step after the one before. From there a predictor extrapolates the last targets until the next one comes. If
/// none comes in time, the motion brakes within the rest of the step and holds. Position and rate are continuous.
///
/// Source of the method: M. Nakashima, N. Masaoka, Real-time on-line test for MDOF systems, Earthquake Engineering and
/// Structural Dynamics 28 (1999), which uses polynomials through the targets; the corrector here is a cubic that also
/// starts with the present rate. Ticks are the unit of time. Real-time safe after construction.
class TargetPath {
 public:
  enum class Phase : std::uint8_t { stand, correct, predict, hold };

  TargetPath(std::size_t axes, TargetPathSpec spec);
  /// At rest there, without a past.
  void standAt(const Eigen::VectorXd& position) noexcept;
  /// Goes to a new target. `rests`: it comes to rest there. `ticks`: at least so many.
  void lead(const Eigen::VectorXd& target, bool rests, std::int64_t ticks = 0) noexcept;
  /// Largest rate per tick on axis i on the way that lead() would take.
  double peakRate(Eigen::Index i, double target) const noexcept;
  /// Next tick.
  void advance() noexcept;

  const Eigen::VectorXd& position() const noexcept { return position_; }
  const Eigen::VectorXd& rate() const noexcept { return rate_; }     // per tick
  const Eigen::VectorXd& reached() const noexcept { return last_; }  // last target that was reached
  Phase phase() const noexcept { return phase_; }
  /// Ticks since the present phase began; while it predicts and holds, since the last target was reached.
  std::int64_t ticks() const noexcept { return tick_; }

 private:
  std::int64_t duration() const noexcept;
  /// On the way to rest: the targets before say nothing about the motion there.
  bool returning() const noexcept { return phase_ == Phase::correct && rests_; }
  double slope(Eigen::Index i, double target) const noexcept;
  void correct() noexcept;
  void arrive() noexcept;
  void predict() noexcept;

  TargetPathSpec spec_;
  Phase phase_ = Phase::stand;
  bool rests_ = true;
  std::int64_t tick_ = 0, total_ = 1;  // total_: of the corrector
  Eigen::VectorXd position_, rate_;
  Eigen::VectorXd from_, from_rate_, to_, to_rate_;  // of the corrector
  Eigen::VectorXd last_, second_, third_;            // targets reached, the newest first
  Eigen::VectorXd bend_;                             // of the predictor, per tick squared
};

}  // namespace hyb
