#include "core/compensation/forward_prediction.h"

#include <algorithm>

#include "core/base/json.h"
#include "core/compensation/predictor.h"

namespace hyb {

void ForwardPredictionParams::check(Checks& checks) const {
  checkFit(checks, points, order);
  if (spacing_ticks < 1)
    checks.fault("/spacing_ticks",
                 "is " + std::to_string(spacing_ticks) + "; the points must be at least 1 tick apart");
  checks.positive("/max_prediction_ticks", max_prediction_ticks, "ticks");
  if (prediction_ticks.size() == 0)
    checks.fault("/prediction_ticks", "is empty; give one prediction in ticks per interface");
  if (gain.size() != prediction_ticks.size())
    checks.fault("/gain", "has " + std::to_string(gain.size()) + " entries, but prediction_ticks has " +
                              std::to_string(prediction_ticks.size()) + "; give one of each per interface");
  for (Eigen::Index i = 0; i < prediction_ticks.size(); ++i)
    checks.between("/prediction_ticks/" + std::to_string(i), prediction_ticks[i], 0.0, max_prediction_ticks, "ticks");
  for (Eigen::Index i = 0; i < gain.size(); ++i) checks.positive("/gain/" + std::to_string(i), gain[i], "");
}

Predictor::Predictor(const ForwardPredictionParams& params, double step_s)
    : fit_(params.points, params.order),
      spacing_(params.spacing_ticks),
      step_s_(step_s),
      weights_(params.points, params.gain.size()),
      rate_weights_(params.points, params.gain.size()),
      targets_(Eigen::MatrixXd::Zero(Eigen::Index{2} * params.points, params.gain.size() * params.spacing_ticks)) {
  if (!(std::isfinite(step_s) && step_s > 0.0))
    throw InputError("/loop/rate_hz", "leads to a tick of " + Checks::text(step_s, "s") +
                                          "; the rate must be finite and greater than 0 Hz");
  for (Eigen::Index i = 0; i < params.gain.size(); ++i) aim(i, 0.0);
}

void Predictor::aim(Eigen::Index i, double ticks) noexcept {
  const double spacing = static_cast<double>(spacing_), steps = ticks / spacing;
  fit_.at(steps, weights_.col(i));
  fit_.rateAt(steps, rate_weights_.col(i));
  rate_weights_.col(i) /= spacing * step_s_;
}

void Predictor::push(const Eigen::VectorXd& target) noexcept {
  const Eigen::Index n = fit_.points();
  if (!filled_) {
    filled_ = true;
    newest_ = turn_ = 0;
    for (Eigen::Index i = 0; i < target.size(); ++i) targets_.middleCols(i * spacing_, spacing_).setConstant(target[i]);
    return;
  }
  if (++turn_ == spacing_) {
    turn_ = 0;
    newest_ = newest_ == 0 ? n - 1 : newest_ - 1;
  }
  for (Eigen::Index i = 0; i < target.size(); ++i) {
    const Eigen::Index column = i * spacing_ + turn_;
    targets_(newest_, column) = targets_(newest_ + n, column) = target[i];
  }
}

void appendPredictionTunables(std::vector<Tunable>& tunables, const ForwardPredictionParams& params, const Axes& axes,
                              double min_ticks, double max_ticks) {
  for (Eigen::Index i = 0; i < params.gain.size(); ++i) {
    const auto axis = static_cast<std::size_t>(i);
    tunables.push_back({axes.name("prediction_ticks", axis), "ticks", params.prediction_ticks[i], "/prediction_ticks",
                        min_ticks, max_ticks});
    tunables.push_back({axes.name("gain", axis), "", params.gain[i], "/gain"});
  }
}

namespace {

class ForwardPrediction final : public Compensator {
 public:
  ForwardPrediction(const ForwardPredictionParams& params, double step_s, const Axes& axes)
      : params_(params), axes_(axes), predictor_(params, step_s) {
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
    appendPredictionTunables(tunables, params_, axes_, 0.0, params_.max_prediction_ticks);
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
  Axes axes_;
  Predictor predictor_;
};

class FixedMethod final : public PredictionMethod {
 public:
  FixedMethod(ForwardPredictionParams params, const MethodContext& context)
      : PredictionMethod(params, context.step_s), params_(std::move(params)), context_(context) {}
  std::unique_ptr<Compensator> make() const override {
    return makeForwardPrediction(params_, context_.step_s, context_.axes);
  }

 private:
  ForwardPredictionParams params_;
  MethodContext context_;
};

}  // namespace

std::unique_ptr<Compensator> makeForwardPrediction(const ForwardPredictionParams& params, double step_s,
                                                   const Axes& axes) {
  Checks checks;
  params.check(checks);
  checks.throwIfAny();
  return std::make_unique<ForwardPrediction>(params, step_s, axes);
}

std::vector<double> PredictionMethod::taps(std::size_t axis) const {
  const auto i = static_cast<Eigen::Index>(axis);
  Eigen::VectorXd weights(params_.points);
  PredictionWeights(params_.points, params_.order).at(params_.prediction_ticks[i] / params_.spacing_ticks, weights);
  const auto spacing = static_cast<std::size_t>(params_.spacing_ticks);
  std::vector<double> taps((static_cast<std::size_t>(params_.points) - 1) * spacing + 1);
  for (std::size_t j = 0; j * spacing < taps.size(); ++j)
    taps[j * spacing] = params_.gain[i] * weights[static_cast<Eigen::Index>(j)];
  return taps;
}

double PredictionMethod::lead_s(std::size_t axis) const {
  return params_.prediction_ticks[static_cast<Eigen::Index>(axis)] * step_s_;
}

std::vector<std::string> PredictionMethod::remarks() const {
  const double ticks = params_.prediction_ticks.maxCoeff(),
               gain = noiseGain(params_.points, params_.order, ticks / params_.spacing_ticks);
  char figure[32];
  std::snprintf(figure, sizeof figure, "%.3g", gain);
  return {"Noise gain " + std::string(figure) + " at " + Checks::text(ticks, "ticks") + ", " +
          (gain < 20.0    ? "comfortable"
           : gain < 100.0 ? "high: more points, a wider spacing or a lower order reduce it"
                          : "too high for most actuators: use more points, a wider spacing or a lower order") +
          ". White noise in the target is amplified by this factor in the command."};
}

ForwardPredictionParams readPrediction(const Json& settings, const Axes& axes, Checks& checks) {
  ForwardPredictionParams params;
  read(settings, "points", params.points);
  read(settings, "order", params.order);
  read(settings, "spacing_ticks", params.spacing_ticks);
  params.prediction_ticks = axisNumbers(settings, "prediction_ticks", 0.0, axes, checks);
  params.gain = axisNumbers(settings, "gain", 1.0, axes, checks);
  read(settings, "max_prediction_ticks", params.max_prediction_ticks);
  return params;
}

CompensationMethodPtr parseForwardPrediction(const Json& settings, const MethodContext& context, Checks& checks) {
  ForwardPredictionParams params = readPrediction(settings, context.axes, checks);
  if (checks.ok()) params.check(checks);
  return checks.ok() ? std::make_shared<const FixedMethod>(std::move(params), context) : nullptr;
}

}  // namespace hyb
