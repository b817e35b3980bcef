#include "core/compensation/adaptive_fir.h"

#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "core/compensation/least_squares.h"

namespace hyb {

void AdaptiveFirParams::check(double step_s, Checks& checks) const {
  checkLowPass(cutoff_hz, step_s, checks);
  const bool some = weights >= 2 && weights <= static_cast<std::size_t>(kMostCoefficients);
  if (!some)
    checks.fault("/weights", static_cast<double>(weights), "",
                 "must be between 2 and " + std::to_string(kMostCoefficients));
  constexpr double kMostTicks = 1e5;
  if (checks.positive("/spacing_s", spacing_s, "s")) {
    if (spacing_s > kMostTicks * step_s)
      checks.fault("/spacing_s", spacing_s, "s",
                   "must be at most " + Checks::text(kMostTicks * step_s, "s") + " at this rate");
    else if (checks.positive("/largest", largest, "") && checks.notNegative("/lead_s", lead_s, "s") && some) {
      const double first = start(step_s).coefficients[0];
      if (first > largest)
        checks.fault("/lead_s", lead_s, "s",
                     "requires a first weight of " + Checks::text(first, "") + ", which exceeds the largest (" +
                         Checks::text(largest, "") + "); widen the spacing, or raise the largest weight");
    }
  }
  checks.positive("/memory_s", memory_s, "s");
  checks.between("/adaption", adaption, 0.0, 1.0, "");
  checks.notNegative("/dead_band_m", dead_band_m, "m");
}

InverseFeedforwardParams AdaptiveFirParams::start(double step_s) const {
  InverseFeedforwardParams params;
  params.spacing_ticks = std::max(1, static_cast<int>(std::lround(spacing_s / step_s)));
  const double ahead = lead_s / (params.spacing_ticks * step_s);
  params.coefficients.assign(weights, 0.0);
  params.coefficients[0] = 1.0 + ahead;
  params.coefficients[1] = -ahead;
  params.lowest.assign(weights, -largest);
  params.highest.assign(weights, largest);
  params.cutoff_hz = cutoff_hz;
  return params;
}

namespace {

class AdaptiveFir final : public InverseFeedforward {
 public:
  AdaptiveFir(const AdaptiveFirParams& params, double step_s, const Axes& axes)
      : InverseFeedforward(params.start(step_s), step_s, axes),
        params_(params),
        step_s_(step_s),
        fade_(std::exp(-step_s / params.memory_s)),
        sums_(axes.count, LeastSquares(static_cast<Eigen::Index>(params.weights))) {}
  std::vector<Tunable> tunables() const override {
    return {{axes().name("adaption"), "", params_.adaption, "/adaption"},
            {axes().name("memory"), "s", params_.memory_s, "/memory_s"},
            {axes().name("dead_band"), "m", params_.dead_band_m, "/dead_band_m"}};
  }
  void tune(std::size_t index, double value) noexcept override {
    double* const parameters[] = {&params_.adaption, &params_.memory_s, &params_.dead_band_m};
    *parameters[index] = value;
    fade_ = std::exp(-step_s_ / params_.memory_s);
  }

 protected:
  void learnAxis(std::size_t axis, double sent, const Coefficients& motion, Coefficients& a) noexcept override {
    LeastSquares& sums = sums_[axis];
    sums.fade(fade_);
    sums.add(sent, motion);
    Coefficients d;
    if (params_.adaption > 0.0 && sums.variance() >= params_.dead_band_m * params_.dead_band_m &&
        sums.missing(a, lowest(), highest(), d))
      a += params_.adaption * d;
  }
  void forget(std::size_t axis) noexcept override { sums_[axis].clear(); }

 private:
  AdaptiveFirParams params_;
  double step_s_, fade_;
  std::vector<LeastSquares> sums_;
};

class AdaptiveFirMethod final : public InverseFeedforwardMethod {
 public:
  AdaptiveFirMethod(const AdaptiveFirParams& params, const MethodContext& context)
      : InverseFeedforwardMethod(params.start(context.step_s), context), params_(params) {}
  std::unique_ptr<Compensator> make() const override {
    return makeAdaptiveFir(params_, context().step_s, context().axes);
  }

 private:
  AdaptiveFirParams params_;
};

}  // namespace

std::unique_ptr<Compensator> makeAdaptiveFir(const AdaptiveFirParams& params, double step_s, const Axes& axes) {
  Checks checks;
  params.check(step_s, checks);
  checks.throwIfAny();
  return std::make_unique<AdaptiveFir>(params, step_s, axes);
}

CompensationMethodPtr parseAdaptiveFir(const Json& settings, const MethodContext& context, Checks& checks) {
  AdaptiveFirParams params;
  read(settings, "weights", params.weights);
  read(settings, "spacing_s", params.spacing_s);
  read(settings, "lead_s", params.lead_s);
  read(settings, "memory_s", params.memory_s);
  read(settings, "largest", params.largest);
  read(settings, "adaption", params.adaption);
  read(settings, "cutoff_hz", params.cutoff_hz);
  read(settings, "dead_band_m", params.dead_band_m);
  params.check(context.step_s, checks);
  return checks.ok() ? std::make_shared<const AdaptiveFirMethod>(params, context) : nullptr;
}

}  // namespace hyb
