#include "core/compensation/forward_prediction.h"

#include <algorithm>

#include "core/compensation/predictor.h"

namespace hyb {

void checkPrediction(Checks& checks, const ForwardPredictionParams& params) {
  checkFit(checks, params.points, params.order);
  checks.positive("/compensation/max_prediction_ticks", params.max_prediction_ticks, "ticks");
  if (params.prediction_ticks.size() == 0)
    checks.fault("/compensation/prediction_ticks", "is empty; give one prediction in ticks per interface");
  if (params.gain.size() != params.prediction_ticks.size())
    checks.fault("/compensation/gain",
                 "has " + std::to_string(params.gain.size()) + " entries and prediction_ticks has " +
                     std::to_string(params.prediction_ticks.size()) + "; give one of each per interface");
  for (Eigen::Index i = 0; i < params.prediction_ticks.size(); ++i)
    checks.between("/compensation/prediction_ticks/" + std::to_string(i), params.prediction_ticks[i], 0.0,
                   params.max_prediction_ticks, "ticks");
  for (Eigen::Index i = 0; i < params.gain.size(); ++i)
    checks.positive("/compensation/gain/" + std::to_string(i), params.gain[i], "");
}

void ForwardPredictionParams::validate() const {
  Checks checks;
  checkPrediction(checks, *this);
  checks.throwIfAny();
}

Predictor::Predictor(int points, int order, Eigen::Index interfaces, double step_s)
    : fit_(points, order),
      step_s_(step_s),
      weights_(points, interfaces),
      rate_weights_(points, interfaces),
      targets_(Eigen::MatrixXd::Zero(2 * points, interfaces)) {
  if (!(std::isfinite(step_s) && step_s > 0.0))
    throw InputError("/loop/rate_hz", "gives a tick of " + Checks::text(step_s, "s") +
                                          "; the rate must be finite and greater than 0 Hz");
  for (Eigen::Index i = 0; i < interfaces; ++i) aim(i, 0.0);
}

void Predictor::aim(Eigen::Index i, double ticks) noexcept {
  fit_.at(ticks, weights_.col(i));
  fit_.rateAt(ticks, rate_weights_.col(i));
  rate_weights_.col(i) /= step_s_;
}

void Predictor::push(const Eigen::VectorXd& target) noexcept {
  const Eigen::Index n = fit_.points();
  if (!filled_) {
    filled_ = true;
    newest_ = 0;
    targets_.rowwise() = target.transpose();
    return;
  }
  newest_ = newest_ == 0 ? n - 1 : newest_ - 1;
  for (Eigen::Index i = 0; i < target.size(); ++i) targets_(newest_, i) = targets_(newest_ + n, i) = target[i];
}

void appendPredictionTunables(std::vector<Tunable>& tunables, const ForwardPredictionParams& params, double min_ticks,
                              double max_ticks) {
  for (Eigen::Index i = 0; i < params.gain.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    tunables.push_back({"prediction_ticks_" + number, "ticks", params.prediction_ticks[i], min_ticks, max_ticks,
                        "Prediction P of interface " + number});
    tunables.push_back({"gain_" + number, "", params.gain[i], std::min(0.5, params.gain[i]),
                        std::max(2.0, params.gain[i]), "Amplitude gain k_a of interface " + number});
  }
}

namespace {

class ForwardPrediction final : public Compensator {
 public:
  ForwardPrediction(const ForwardPredictionParams& params, double step_s)
      : params_(params), predictor_(params.points, params.order, params.gain.size(), step_s) {
    for (Eigen::Index i = 0; i < params_.gain.size(); ++i) predictor_.aim(i, params_.prediction_ticks[i]);
  }
  void reset() override { predictor_.reset(); }
  void restart() noexcept override { predictor_.reset(); }
  void update(const InterfaceState& state, Command& command) noexcept override {
    predictor_.push(state.target);
    for (Eigen::Index i = 0; i < params_.gain.size(); ++i) {
      command.position[i] = params_.gain[i] * predictor_.position(i);
      command.rate[i] = params_.gain[i] * predictor_.rate(i);
    }
  }
  std::vector<Tunable> tunables() const override {
    std::vector<Tunable> tunables;
    appendPredictionTunables(tunables, params_, 0.0, params_.max_prediction_ticks);
    return tunables;
  }
  void tune(std::size_t index, double value) noexcept override {
    const auto i = static_cast<Eigen::Index>(index / 2);
    if (index % 2 == 1) {
      params_.gain[i] = value;
    } else {
      params_.prediction_ticks[i] = value;
      predictor_.aim(i, value);
    }
  }

 private:
  ForwardPredictionParams params_;
  Predictor predictor_;
};

}  // namespace

std::unique_ptr<Compensator> makeForwardPrediction(const ForwardPredictionParams& params, double step_s) {
  params.validate();
  return std::make_unique<ForwardPrediction>(params, step_s);
}

}  // namespace hyb
