#pragma once
#include <Eigen/Core>

#include "core/base/checks.h"
#include "core/compensation/forward_prediction.h"
#include "core/compensation/prediction_weights.h"

namespace hyb {

/// Adds the faults of n and N.
void checkFit(Checks& checks, int points, int order);

/// The common settings of the fixed and the adaptive predictor.
ForwardPredictionParams readPrediction(const Json& settings, const Axes& axes, Checks& checks);

/// Common properties for the analyses: the polynomial at the start.
class PredictionMethod : public CompensationMethod {
 public:
  PredictionMethod(ForwardPredictionParams params, double step_s) : params_(std::move(params)), step_s_(step_s) {}
  std::vector<double> taps(std::size_t axis) const override;
  double lead_s(std::size_t axis) const override;
  std::vector<std::string> remarks() const override;

 private:
  ForwardPredictionParams params_;
  double step_s_;
};

/// The last n targets of every interface, a spacing apart, and the weights for the horizon. The weights are computed
/// only when a horizon changes. Real-time safe except for the constructor.
class Predictor {
 public:
  Predictor(const ForwardPredictionParams& params, double step_s);
  /// Clears the targets; the next one fills the whole buffer, as for an interface at rest there.
  void reset() noexcept { filled_ = false; }
  /// Horizon of interface i in ticks.
  void aim(Eigen::Index i, double ticks) noexcept;
  void push(const Eigen::VectorXd& target) noexcept;
  /// Last n targets of interface i, newest first, m.
  auto history(Eigen::Index i) const noexcept {
    return targets_.col(i * spacing_ + turn_).segment(newest_, fit_.points());
  }
  /// Polynomial at the horizon, m and m/s.
  double position(Eigen::Index i) const noexcept { return weights_.col(i).dot(history(i)); }
  double rate(Eigen::Index i) const noexcept { return rate_weights_.col(i).dot(history(i)); }

 private:
  PredictionWeights fit_;
  Eigen::Index spacing_;  // ticks
  double step_s_;
  Eigen::MatrixXd weights_, rate_weights_;  // [n, i], newest first; rate in 1/s
  // [2 n, i * spacing + turn]: the ticks take turns, so that targets a spacing apart share a column. Every target is
  // stored twice, n apart, so that the last n are contiguous.
  Eigen::MatrixXd targets_;
  Eigen::Index newest_ = 0, turn_ = 0;
  bool filled_ = false;
};

/// Tunables "prediction_ticks_<i>" and "gain_<i>" for all interfaces, in this order.
void appendPredictionTunables(std::vector<Tunable>& tunables, const ForwardPredictionParams& params, const Axes& axes,
                              double min_ticks, double max_ticks);

}  // namespace hyb
