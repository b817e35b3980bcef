#include "core/compensation/adaptive_forward_prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/json.h"
#include "core/compensation/predictor.h"

namespace hyb {

void AdaptiveForwardPredictionParams::check(Checks& checks) const {
  prediction.check(checks);
  checks.finite("/alpha", alpha, "");
  checks.finite("/beta", beta, "");
  checks.positive("/gamma", gamma, "");
  checks.positive("/clip", clip, law == AdaptionLaw::remaining_delay ? "ticks" : "");
  checks.notNegative("/noise_rms_m", noise_rms_m, "m");
  checks.notNegative("/dead_band_m", dead_band_m, "m");
  if (checks.notNegative("/horizon_min_ticks", horizon_min_ticks, "ticks") &&
      checks.positive("/horizon_max_ticks", horizon_max_ticks, "ticks")) {
    if (horizon_min_ticks >= horizon_max_ticks)
      checks.fault("/horizon_min_ticks", horizon_min_ticks, "ticks",
                   "must be less than horizon_max_ticks (" + Checks::text(horizon_max_ticks, "ticks") + ")");
    for (Eigen::Index i = 0; i < prediction.prediction_ticks.size(); ++i)
      if (prediction.prediction_ticks[i] < horizon_min_ticks || prediction.prediction_ticks[i] > horizon_max_ticks)
        checks.fault("/prediction_ticks/" + std::to_string(i), prediction.prediction_ticks[i], "ticks",
                     "must be within the bounds of the horizon, " + Checks::text(horizon_min_ticks, "") + " to " +
                         Checks::text(horizon_max_ticks, "ticks"));
  }
  checks.notNegative("/sigma_max", sigma_max, "");
  if (checks.notPositive("/sigma_min", sigma_min, ""))
    for (Eigen::Index i = 0; i < prediction.gain.size(); ++i)
      if (prediction.gain[i] + sigma_min <= 0.0)
        checks.fault("/sigma_min", sigma_min, "",
                     "must be greater than minus the gain of interface " + std::to_string(i + 1) + " (" +
                         Checks::text(prediction.gain[i], "") + "), otherwise the command can change its sign");
}

namespace {

/// Finds the ticks in which a signal changes its sign. A zero has the sign of the previous side, so that touching zero
/// is not a crossing.
class CrossingDetector {
 public:
  /// +1 rising, -1 falling, 0 none. After a crossing, share() is its position between the last tick (0) and this one
  /// (1).
  int push(double value) noexcept {
    const int side = (value > 0.0) - (value < 0.0);
    const int crossing = side != 0 && side == -side_ ? side : 0;
    if (crossing != 0) share_ = last_ / (last_ - value);
    if (side != 0) side_ = side;
    last_ = value;
    return crossing;
  }
  double share() const noexcept { return share_; }

 private:
  double last_ = 0.0, share_ = 0.0;
  int side_ = 0;
};

double between(double from, double to, double share) noexcept { return from + share * (to - from); }

/// One interface: triggers, last pair and adapted values.
struct Adaption {
  CrossingDetector z_crossing, rate_crossing;
  double z = 0.0, rate = 0.0, x = 0.0;       // last pair
  double coming_z = 0.0, coming_rate = 0.0;  // target of the previous update()
  double peak = 0.0, last_peak = 0.0;        // of |z| since the last zero crossing, and in the half cycle before it
  double horizon_ticks = 0.0, gain = 1.0;    // P + rho, k_a + sigma
};

class AdaptiveForwardPrediction final : public Compensator {
 public:
  AdaptiveForwardPrediction(const AdaptiveForwardPredictionParams& params, double step_s, const Axes& axes)
      : params_(params),
        axes_(axes),
        step_s_(step_s),
        predictor_(params.prediction, step_s),
        adaptions_(static_cast<std::size_t>(params.prediction.gain.size())) {
    reset();
  }

  void reset() override {
    predictor_.reset();
    for (std::size_t i = 0; i < adaptions_.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      adaptions_[i] = {};
      adaptions_[i].gain = params_.prediction.gain[k];
      setHorizon(i, params_.prediction.prediction_ticks[k]);
    }
  }

  void restart() noexcept override {
    predictor_.reset();
    for (Adaption& a : adaptions_) {
      Adaption fresh;
      fresh.horizon_ticks = a.horizon_ticks;
      fresh.gain = a.gain;
      a = fresh;
    }
  }

  void update(const InterfaceState& state, Command& command) noexcept override {
    predictor_.push(state.target);
    for (std::size_t i = 0; i < adaptions_.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      Adaption& a = adaptions_[i];
      const double z = state.target[k], rate = state.target_rate[k];
      adapt(i, state.ahead ? a.coming_z : z, state.ahead ? a.coming_rate : rate, state.measured[k]);
      a.coming_z = z;
      a.coming_rate = rate;
      command.position[k] = adaptions_[i].gain * predictor_.position(k);
      command.rate[k] = adaptions_[i].gain * predictor_.rate(k);
    }
  }

  std::vector<Tunable> tunables() const override {
    std::vector<Tunable> tunables{{axes_.name("alpha"), "", params_.alpha, "/alpha"},
                                  {axes_.name("beta"), "", params_.beta, "/beta"},
                                  {axes_.name("gamma"), "", params_.gamma, "/gamma"},
                                  {axes_.name("dead_band"), "m", params_.dead_band_m, "/dead_band_m"}};
    // Above 1 the remaining delay is over-corrected, and the adaption can oscillate.
    if (params_.law == AdaptionLaw::remaining_delay) tunables[0].max = std::max(1.0, params_.alpha);
    appendPredictionTunables(tunables, params_.prediction, axes_, params_.horizon_min_ticks,
                             std::min(params_.horizon_max_ticks, params_.prediction.max_prediction_ticks));
    return tunables;
  }

  void tune(std::size_t index, double value) noexcept override {
    constexpr std::size_t shared = 4;
    if (index < shared) {
      double* const parameters[shared] = {&params_.alpha, &params_.beta, &params_.gamma, &params_.dead_band_m};
      *parameters[index] = value;
      return;
    }
    const std::size_t i = (index - shared) / 2;
    const bool is_gain = (index - shared) % 2 == 1;
    double& parameter =
        (is_gain ? params_.prediction.gain : params_.prediction.prediction_ticks)[static_cast<Eigen::Index>(i)];
    const double change = value - parameter;
    parameter = value;  // the adapted change is kept
    if (is_gain)
      setGain(i, adaptions_[i].gain + change);
    else
      setHorizon(i, adaptions_[i].horizon_ticks + change);
  }

  std::vector<Adapted> adapted() const override {
    std::vector<Adapted> adapted;
    for (std::size_t i = 0; i < adaptions_.size(); ++i) {
      adapted.push_back(
          {axes_.name("prediction", i), "ticks", "Prediction horizon P + rho of interface " + axes_.number(i)});
      adapted.push_back({axes_.name("gain", i), "", "Amplitude gain k_a + sigma of interface " + axes_.number(i)});
    }
    return adapted;
  }
  void readAdapted(std::span<double> values) const noexcept override {
    for (std::size_t i = 0; i < adaptions_.size(); ++i) {
      values[2 * i] = adaptions_[i].horizon_ticks;
      values[2 * i + 1] = adaptions_[i].gain;
    }
  }
  std::size_t learnt() const noexcept override { return 2 * adaptions_.size(); }
  void readLearnt(std::span<double> values) const noexcept override { readAdapted(values); }
  void setLearnt(std::span<const double> values) noexcept override {
    for (std::size_t i = 0; i < adaptions_.size(); ++i) {
      setHorizon(i, values[2 * i]);
      setGain(i, values[2 * i + 1]);
    }
  }

 private:
  // With a lagging x, e2 = z - x is > 0 where z rises through zero and < 0 where it falls; with a too small x, e2 is >
  // 0 at a maximum and < 0 at a minimum. So each error is multiplied by the sign of its trigger, which also cancels an
  // offset of the sensor over one period. At an extreme this is the sign of z itself, which is also correct for small
  // maxima below zero with several tones.
  void adapt(std::size_t i, double z, double rate, double x) noexcept {
    Adaption& a = adaptions_[i];
    if (const int rising = a.z_crossing.push(z); rising != 0) {  // phi1, phi2
      const double share = a.z_crossing.share();
      a.last_peak = a.peak;
      a.peak = 0.0;
      if (a.last_peak >= params_.dead_band_m) {
        const double e2 = -between(a.x, x, share);  // z = 0 at this instant
        setHorizon(i, a.horizon_ticks +
                          params_.alpha * rising * shaped(normalised(e2, between(a.rate, rate, share), a.last_peak)));
      }
    }
    a.peak = std::max(a.peak, std::abs(z));
    if (a.rate_crossing.push(rate) != 0 && a.peak >= params_.dead_band_m) {  // phi3, phi4
      const double share = a.rate_crossing.share();
      const double z_extreme = between(a.z, z, share);
      const double e2 = z_extreme - between(a.x, x, share);
      const double size = params_.law == AdaptionLaw::remaining_delay ? std::abs(z_extreme) : a.last_peak;
      if (size > 0.0)
        setGain(i, a.gain + params_.beta * clipped(e2 / std::copysign(size, z_extreme), std::min(params_.clip, 1.0)));
    }
    a.z = z;
    a.rate = rate;
    a.x = x;
  }

  /// e2 at a zero crossing, divided by its amplitude and clipped.
  double normalised(double e2, double rate, double peak) const noexcept {
    if (params_.law == AdaptionLaw::peak_normalised) return peak > 0.0 ? clipped(e2 / peak, params_.clip) : 0.0;
    const double per_tick = std::abs(rate) * step_s_;
    const double weight = per_tick * per_tick + params_.noise_rms_m * params_.noise_rms_m;
    return weight > 0.0 ? clipped(e2 * per_tick / weight, params_.clip) : 0.0;
  }
  double shaped(double error) const noexcept {
    return params_.gamma == 1.0 ? error : std::copysign(std::pow(std::abs(error), params_.gamma), error);
  }
  /// A reading that is NaN adapts nothing.
  static double clipped(double error, double limit) noexcept {
    return std::isnan(error) ? 0.0 : std::clamp(error, -limit, limit);
  }

  void setHorizon(std::size_t i, double ticks) noexcept {
    ticks = std::clamp(ticks, params_.horizon_min_ticks, params_.horizon_max_ticks);
    adaptions_[i].horizon_ticks = ticks;
    predictor_.aim(static_cast<Eigen::Index>(i), ticks);
  }
  void setGain(std::size_t i, double gain) noexcept {
    const double k_a = params_.prediction.gain[static_cast<Eigen::Index>(i)];
    adaptions_[i].gain = std::clamp(gain, k_a + params_.sigma_min, k_a + params_.sigma_max);
  }

  AdaptiveForwardPredictionParams params_;
  Axes axes_;
  double step_s_;
  Predictor predictor_;
  std::vector<Adaption> adaptions_;
};

class AdaptiveMethod final : public PredictionMethod {
 public:
  AdaptiveMethod(AdaptiveForwardPredictionParams params, const MethodContext& context)
      : PredictionMethod(params.prediction, context.step_s), params_(std::move(params)), context_(context) {}
  std::unique_ptr<Compensator> make() const override {
    return makeAdaptiveForwardPrediction(params_, context_.step_s, context_.axes);
  }
  bool adapts() const noexcept override { return true; }

 private:
  AdaptiveForwardPredictionParams params_;
  MethodContext context_;
};

}  // namespace

std::unique_ptr<Compensator> makeAdaptiveForwardPrediction(const AdaptiveForwardPredictionParams& params, double step_s,
                                                           const Axes& axes) {
  Checks checks;
  params.check(checks);
  checks.throwIfAny();
  return std::make_unique<AdaptiveForwardPrediction>(params, step_s, axes);
}

CompensationMethodPtr parseAdaptiveForwardPrediction(const Json& settings, const MethodContext& context,
                                                     Checks& checks) {
  AdaptiveForwardPredictionParams params;
  params.prediction = readPrediction(settings, context.axes, checks);
  params.prediction.max_prediction_ticks = std::numeric_limits<double>::max();  // limited by the horizon instead
  params.law = text(settings, "law") == "peak-normalised" ? AdaptionLaw::peak_normalised : AdaptionLaw::remaining_delay;
  read(settings, "alpha", params.alpha);
  read(settings, "beta", params.beta);
  read(settings, "gamma", params.gamma);
  read(settings, "horizon_min_ticks", params.horizon_min_ticks);
  read(settings, "horizon_max_ticks", params.horizon_max_ticks);
  read(settings, "sigma_min", params.sigma_min);
  read(settings, "sigma_max", params.sigma_max);
  read(settings, "clip", params.clip);
  read(settings, "noise_rms_m", params.noise_rms_m);
  read(settings, "dead_band_m", params.dead_band_m);
  if (checks.ok()) params.check(checks);
  return checks.ok() ? std::make_shared<const AdaptiveMethod>(std::move(params), context) : nullptr;
}

}  // namespace hyb
