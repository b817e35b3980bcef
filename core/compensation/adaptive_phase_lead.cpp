#include "core/compensation/adaptive_phase_lead.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/json.h"
#include "core/fidelity/running.h"

namespace hyb {

void AdaptivePhaseLeadParams::check(Checks& checks) const {
  checks.notNegative("/proportional_s_per_m2", proportional_s_per_m2, "s/m^2");
  checks.notNegative("/integral_per_m2", integral_per_m2, "1/m^2");
  checks.notNegative("/adaption", adaption, "");
  if (!checks.notNegative("/shortest_s", shortest_s, "s") || !checks.positive("/longest_s", longest_s, "s")) return;
  if (shortest_s > longest_s)
    checks.fault("/shortest_s", shortest_s, "s",
                 "must not be above the longest lead (" + Checks::text(longest_s, "s") + ")");
  else
    checks.between("/lead_s", lead_s, shortest_s, longest_s, "s");
}

namespace {

class AdaptivePhaseLead final : public Compensator {
 public:
  AdaptivePhaseLead(const AdaptivePhaseLeadParams& params, double step_s, const Axes& axes)
      : params_(params), step_s_(step_s), named_(axes), all_(axes.count) {
    reset();
  }
  void reset() override {
    for (Axis& axis : all_) axis.lead_s = params_.lead_s;
    for (Axis& axis : all_) axis.indicator_m2 = 0.0;
    restart();
  }
  void restart() noexcept override {
    for (Axis& axis : all_) axis.filled = axis.seen = false;
  }
  // The lead changes incrementally by the law, so that tuning and restored values need no history.
  void update(const InterfaceState& state, Command& command) noexcept override {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      Axis& axis = all_[i];
      const double z = state.target[k], rate = state.target_rate[k], x = state.measured[k];
      const double z_last = axis.filled ? axis.z : z, rate_last = axis.filled ? axis.rate : 0.0;
      const double ticks = axis.lead_s / step_s_;
      command.position[k] = z + ticks * (z - z_last);
      command.rate[k] = rate + ticks * (rate - rate_last);

      const double z_of_x = state.ahead ? z_last : z;
      const bool good = std::isfinite(x) && std::isfinite(z_of_x);
      if (good && axis.seen) {
        const double grown = params_.adaption * sweptArea(axis.z_of_x, axis.x, z_of_x, x);
        axis.indicator_m2 += grown;
        const bool tells = params_.adaption > 0.0 && z_of_x != axis.z_of_x;  // a constant target has no information
        const double wanted_s = axis.lead_s + params_.proportional_s_per_m2 * grown +
                                params_.integral_per_m2 * (tells ? step_s_ : 0.0) * axis.indicator_m2;
        axis.lead_s = std::clamp(wanted_s, params_.shortest_s, params_.longest_s);
        if ((wanted_s - axis.lead_s) * grown > 0.0) axis.indicator_m2 -= grown;  // no wind-up at a bound
      }
      axis.z = z;
      axis.rate = rate;
      axis.x = x;
      axis.z_of_x = z_of_x;
      axis.filled = true;
      axis.seen = good;
    }
  }
  std::vector<Tunable> tunables() const override {
    return {{named_.name("adaption"), "", params_.adaption, "/adaption"},
            {named_.name("proportional"), "s/m^2", params_.proportional_s_per_m2, "/proportional_s_per_m2"},
            {named_.name("integral"), "1/m^2", params_.integral_per_m2, "/integral_per_m2"}};
  }
  void tune(std::size_t index, double value) noexcept override {
    double* const parameters[] = {&params_.adaption, &params_.proportional_s_per_m2, &params_.integral_per_m2};
    *parameters[index] = value;
  }
  std::vector<Adapted> adapted() const override {
    std::vector<Adapted> adapted;
    for (std::size_t i = 0; i < all_.size(); ++i)
      adapted.push_back({named_.name("lead", i), "s", "Lead of the command of interface " + named_.number(i),
                         "lead " + named_.number(i), "Phase lead"});
    return adapted;
  }
  void readAdapted(std::span<double> values) const noexcept override {
    for (std::size_t i = 0; i < all_.size(); ++i) values[i] = all_[i].lead_s;
  }
  std::size_t learnt() const noexcept override { return 2 * all_.size(); }
  void readLearnt(std::span<double> values) const noexcept override {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      values[2 * i] = all_[i].lead_s;
      values[2 * i + 1] = all_[i].indicator_m2;
    }
  }
  void setLearnt(std::span<const double> values) noexcept override {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      all_[i].lead_s = std::clamp(values[2 * i], params_.shortest_s, params_.longest_s);
      all_[i].indicator_m2 = values[2 * i + 1];
    }
  }

 private:
  struct Axis {
    double lead_s = 0.0, indicator_m2 = 0.0;
    double z = 0.0, rate = 0.0, x = 0.0;  // of the last tick
    double z_of_x = 0.0;                  // target of the instant of x
    bool filled = false, seen = false;    // true if the last tick had a target, and a pair
  };
  AdaptivePhaseLeadParams params_;
  double step_s_;
  Axes named_;
  std::vector<Axis> all_;
};

class PhaseLeadMethod final : public CompensationMethod {
 public:
  PhaseLeadMethod(const AdaptivePhaseLeadParams& params, const MethodContext& context)
      : params_(params), context_(context) {}
  std::unique_ptr<Compensator> make() const override {
    return makeAdaptivePhaseLead(params_, context_.step_s, context_.axes);
  }
  std::vector<double> taps(std::size_t) const override {
    const double ticks = params_.lead_s / context_.step_s;
    return {1.0 + ticks, -ticks};
  }
  double lead_s(std::size_t) const override { return params_.lead_s; }
  bool adapts() const noexcept override { return true; }
  std::vector<std::string> remarks() const override {
    const auto gain = [&](double lead_s) {
      return std::hypot(1.0 + lead_s / context_.step_s, lead_s / context_.step_s);
    };
    char text[300];
    std::snprintf(text, sizeof text,
                  "Starts with a lead of %.3g ms. Noise gain %.3g: white noise in the target is amplified by this "
                  "factor in the command; %.3g at the longest lead.",
                  1e3 * params_.lead_s, gain(params_.lead_s), gain(params_.longest_s));
    return {text};
  }

 private:
  AdaptivePhaseLeadParams params_;
  MethodContext context_;
};

}  // namespace

std::unique_ptr<Compensator> makeAdaptivePhaseLead(const AdaptivePhaseLeadParams& params, double step_s,
                                                   const Axes& axes) {
  Checks checks;
  params.check(checks);
  checks.throwIfAny();
  return std::make_unique<AdaptivePhaseLead>(params, step_s, axes);
}

CompensationMethodPtr parseAdaptivePhaseLead(const Json& settings, const MethodContext& context, Checks& checks) {
  AdaptivePhaseLeadParams params;
  read(settings, "lead_s", params.lead_s);
  read(settings, "proportional_s_per_m2", params.proportional_s_per_m2);
  read(settings, "integral_per_m2", params.integral_per_m2);
  read(settings, "shortest_s", params.shortest_s);
  read(settings, "longest_s", params.longest_s);
  read(settings, "adaption", params.adaption);
  params.check(checks);
  return checks.ok() ? std::make_shared<const PhaseLeadMethod>(params, context) : nullptr;
}

}  // namespace hyb
