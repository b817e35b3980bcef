#include "core/compensation/phase_lead_pi.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/json.h"
#include "core/compensation/feedback.h"

namespace hyb {

void PhaseLeadPiParams::check(Checks& checks) const {
  checks.notNegative("/proportional", proportional, "");
  checks.positive("/integral_per_s", integral_per_s, "1/s");
  checks.notNegative("/lead_s", lead_s, "s");
  checks.positive("/lag_s", lag_s, "s");
}

namespace {

/// The lead by the bilinear rule: y_k = now z_k + before z_(k-1) + kept y_(k-1).
struct SampledLead {
  double now, before, kept;
  SampledLead(const PhaseLeadPiParams& params, double step_s) {
    const double lead = 2.0 * params.lead_s / step_s, lag = 2.0 * params.lag_s / step_s;
    now = (1.0 + lead) / (1.0 + lag);
    before = (1.0 - lead) / (1.0 + lag);
    kept = (lag - 1.0) / (lag + 1.0);
  }
};

class PhaseLeadPi final : public Compensator {
 public:
  PhaseLeadPi(const PhaseLeadPiParams& params, double step_s, const Axes& axes)
      : params_(params), lead_(params, step_s), half_step_s_(0.5 * step_s), named_(axes), all_(axes.count) {}
  void reset() override { restart(); }
  void restart() noexcept override {
    for (Axis& axis : all_) axis = Axis{};
  }
  void update(const InterfaceState& state, Command& command) noexcept override {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      Axis& axis = all_[i];
      const double z = state.target[k];
      if (!axis.filled) axis.target = axis.led = axis.measured = z;  // as if at rest there
      axis.led = lead_.now * z + lead_.before * axis.target + lead_.kept * axis.led;
      axis.target = z;
      if (std::isfinite(state.measured[k])) axis.measured = state.measured[k];
      const double error = axis.led - axis.measured;
      if (axis.filled)
        axis.integral += params_.integral_per_s * half_step_s_ * (error + axis.error);
      else
        axis.integral = z - params_.proportional * error;
      axis.error = error;
      axis.filled = true;
      command.position[k] = params_.proportional * error + axis.integral;
      command.rate[k] = state.target_rate[k];
    }
  }
  std::vector<Tunable> tunables() const override {
    return {{named_.name("proportional"), "", params_.proportional, "/proportional"},
            {named_.name("integral"), "1/s", params_.integral_per_s, "/integral_per_s"}};
  }
  void tune(std::size_t index, double value) noexcept override {
    (index == 0 ? params_.proportional : params_.integral_per_s) = value;
  }

 private:
  struct Axis {
    double target = 0.0, led = 0.0, measured = 0.0, error = 0.0;  // of the last tick, m
    double integral = 0.0;                                        // share of the command, m
    bool filled = false;
  };
  PhaseLeadPiParams params_;
  SampledLead lead_;
  double half_step_s_;
  Axes named_;
  std::vector<Axis> all_;
};

/// (a + b q)(c + d q), in powers of the delay by one tick.
std::vector<double> firstOrders(double a, double b, double c, double d) { return {a * c, a * d + b * c, b * d}; }

class PhaseLeadPiMethod final : public FeedbackMethod {
 public:
  PhaseLeadPiMethod(const PhaseLeadPiParams& params, const MethodContext& context)
      : params_(params), context_(context), lead_(params, context.step_s) {}
  std::unique_ptr<Compensator> make() const override {
    return makePhaseLeadPi(params_, context_.step_s, context_.axes);
  }
  // Lead and controller on one denominator, (1 - kept q)(1 - q).
  std::vector<double> taps(std::size_t) const override {
    return firstOrders(params_.proportional + rise(), rise() - params_.proportional, lead_.now, lead_.before);
  }
  CommandFeedback feedback(std::size_t) const override {
    return {firstOrders(params_.proportional + rise(), rise() - params_.proportional, 1.0, -lead_.kept),
            {-1.0 - lead_.kept, lead_.kept}};
  }
  double lead_s(std::size_t) const override { return params_.lead_s - params_.lag_s; }
  std::vector<std::string> remarks() const override {
    const double later = lead_.before + lead_.kept * lead_.now;
    const double led = std::sqrt(lead_.now * lead_.now + later * later / (1.0 - lead_.kept * lead_.kept));
    char text[400];
    std::snprintf(text, sizeof text,
                  "Closes its own loop around the actuator, after a lead of %.3g ms. Noise gain %.3g: white noise "
                  "in the target is amplified by this factor in the command, that of the displacement sensor by %.3g.",
                  1e3 * lead_s(0), params_.proportional * led, params_.proportional);
    return {text};
  }

 private:
  /// Increase of the integral by half a tick with an error of 1.
  double rise() const { return 0.5 * params_.integral_per_s * context_.step_s; }
  PhaseLeadPiParams params_;
  MethodContext context_;
  SampledLead lead_;
};

}  // namespace

std::unique_ptr<Compensator> makePhaseLeadPi(const PhaseLeadPiParams& params, double step_s, const Axes& axes) {
  Checks checks;
  params.check(checks);
  checks.throwIfAny();
  return std::make_unique<PhaseLeadPi>(params, step_s, axes);
}

CompensationMethodPtr parsePhaseLeadPi(const Json& settings, const MethodContext& context, Checks& checks) {
  PhaseLeadPiParams params;
  read(settings, "proportional", params.proportional);
  read(settings, "integral_per_s", params.integral_per_s);
  read(settings, "lead_s", params.lead_s);
  read(settings, "lag_s", params.lag_s);
  params.check(checks);
  return checks.ok() ? std::make_shared<const PhaseLeadPiMethod>(params, context) : nullptr;
}

}  // namespace hyb
