#include "core/excitation/stepped_sine.h"

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"

namespace hyb {
namespace {

constexpr double kSlackOfPeriod = 1e-9;  // of a period: a decimal time on whole periods is not rounded up
constexpr double kLongestSteps_s = 604800.0;

class SteppedSine final : public Signal {
 public:
  SteppedSine(double amplitude, std::vector<SineStep> steps) : amplitude_(amplitude), steps_(std::move(steps)) {}
  SignalValue at(double t_s) const noexcept override {
    if (t_s < 0.0) return {};
    const SineStep& step = stepAt(t_s);
    const double w = kTwoPi * step.frequency_hz, angle = w * (t_s - step.start_s);
    return {amplitude_ * std::sin(angle), amplitude_ * w * std::cos(angle)};
  }
  double value(double t_s) const noexcept override {
    if (t_s < 0.0) return 0.0;
    const SineStep& step = stepAt(t_s);
    return amplitude_ * std::sin(kTwoPi * step.frequency_hz * (t_s - step.start_s));
  }

 private:
  const SineStep& stepAt(double t_s) const noexcept {
    const auto after = std::ranges::upper_bound(steps_, t_s, {}, &SineStep::start_s);
    return after == steps_.begin() ? steps_.front() : *(after - 1);
  }
  double amplitude_;
  std::vector<SineStep> steps_;
};

}  // namespace

std::vector<SineStep> stepsOf(const SteppedSineSpec& spec) {
  std::vector<SineStep> steps;
  double start_s = 0.0;
  for (int k = 0; k < spec.count; ++k) {
    const double share = spec.count > 1 ? static_cast<double>(k) / (spec.count - 1) : 0.0;
    SineStep step;
    step.frequency_hz = spec.logarithmic ? spec.from_hz * std::pow(spec.to_hz / spec.from_hz, share)
                                         : spec.from_hz + (spec.to_hz - spec.from_hz) * share;
    step.start_s = start_s;
    step.measured_s = start_s + std::ceil(spec.settle_s * step.frequency_hz - kSlackOfPeriod) / step.frequency_hz;
    step.end_s = step.measured_s + spec.periods / step.frequency_hz;
    start_s = step.end_s;
    steps.push_back(step);
  }
  return steps;
}

void checkSteppedSine(Checks& checks, const SteppedSineSpec& spec) {
  checks.finite("/amplitude", spec.amplitude, "");
  const bool from = checks.positive("/from_hz", spec.from_hz, "Hz"), to = checks.positive("/to_hz", spec.to_hz, "Hz"),
             settle = checks.notNegative("/settle_s", spec.settle_s, "s");
  const bool count = checks.between("/count", spec.count, 1, kMostSteps, ""),
             periods = checks.between("/periods", spec.periods, 2, 100000, "");
  if (!from || !to || !settle || !count || !periods) return;
  if (spec.count == 1 && spec.from_hz != spec.to_hz)
    checks.fault("/count", "is 1, but the band has two ends; enter at least 2, or one frequency for both ends");
  if (const double end_s = stepsOf(spec).back().end_s; !(end_s <= kLongestSteps_s))
    checks.fault("/count", "frequencies take " + Checks::text(end_s, "s") +
                               ", longer than a week; enter fewer of them, "
                               "or shorten the settling");
}

std::unique_ptr<Signal> makeSteppedSine(const SteppedSineSpec& spec) {
  Checks checks;
  checkSteppedSine(checks, spec);
  checks.throwIfAny();
  return std::make_unique<SteppedSine>(spec.amplitude, stepsOf(spec));
}

}  // namespace hyb
