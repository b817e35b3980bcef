#include "core/coupling/external_target.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/coupling/led_scheme.h"
#include "core/coupling/led_spec.h"

namespace hyb {
namespace {

class ExternalTarget final : public LedScheme {
 public:
  ExternalTarget(std::vector<Dof> interface, const ExternalTargetSpec& spec, double step_s,
                 std::unique_ptr<Compensator> compensator, std::shared_ptr<TargetExchange> exchange)
      : LedScheme(std::move(interface), step_s, std::move(compensator), std::move(exchange)), spec_(spec) {
    from_ = to_ = state_.target;
  }

  void restart() noexcept override {
    from_.setZero();
    state_.target.setZero();
    ramp_tick_ = standing_ticks_ = 0;
    compensator_->restart();
  }

  void update(const RigState& state, const ExcitationValue&, CouplingOutput& output) noexcept override {
    if (const ExternalTargetPoint* const target = newTarget()) {
      from_ = state_.target;
      std::copy_n(target->displacement_m.begin(), interfaces(), to_.begin());
      ramp_tick_ = standing_ticks_ = 0;
    }
    if (!to_.allFinite()) {
      output.target.setConstant(kNoValue);
      output.target_rate.setZero();
      return;
    }
    ++ramp_tick_;
    const double share = std::min(1.0, static_cast<double>(ramp_tick_) / spec_.ramp_ticks);
    state_.target = from_ + share * (to_ - from_);
    state_.target_rate.setZero();
    if (ramp_tick_ <= spec_.ramp_ticks) state_.target_rate = (to_ - from_) / (spec_.ramp_ticks * step_s_);
    follow(state, output);
    if (share < 1.0 || state.missed) return;  // the actuators have not reached the target yet
    if (standing_ticks_ >= spec_.settle_ticks) answer(state);
    ++standing_ticks_;
  }

 private:
  ExternalTargetSpec spec_;
  Eigen::VectorXd from_, to_;
  std::int64_t ramp_tick_ = 0;       // since the start of the ramp
  std::int64_t standing_ticks_ = 0;  // with the target as the written command
};

class ExternalSpec final : public LedSpec {
 public:
  ExternalSpec(SiteSpec site, ExternalTargetSpec target) : LedSpec(std::move(site)), target_(target) {}
  std::string_view name() const noexcept override { return "external"; }
  std::unique_ptr<CouplingScheme> make(SchemeContext context) const override {
    requireExchange(context.exchange, name());
    return makeExternalTarget(context.partition.interface, target_, context.step_s, std::move(context.compensator),
                              std::move(context.exchange));
  }
  void check(std::size_t interfaces, const IntegratorSpec& integrator, Checks& checks) const override {
    LedSpec::check(interfaces, integrator, checks);
    const std::size_t entries = site_.stiffness_n_per_m.size();
    if (entries != interfaces * interfaces)
      checks.fault("/stiffness_n_per_m", "has " + std::to_string(entries) + " entries; give " +
                                             std::to_string(interfaces * interfaces) +
                                             ", the stiffness matrix of the tested part at its " +
                                             std::to_string(interfaces) + " interface degrees of freedom, row by row.");
  }
  int stepTicks() const noexcept override { return target_.ramp_ticks + target_.settle_ticks; }
  std::optional<int> restTicks() const noexcept override { return target_.settle_ticks; }

 private:
  ExternalTargetSpec target_;
};

}  // namespace

std::unique_ptr<CouplingScheme> makeExternalTarget(std::vector<Dof> interface, const ExternalTargetSpec& spec,
                                                   double step_s, std::unique_ptr<Compensator> compensator,
                                                   std::shared_ptr<TargetExchange> exchange) {
  return std::make_unique<ExternalTarget>(std::move(interface), spec, step_s, std::move(compensator),
                                          std::move(exchange));
}

CouplingSpecPtr parseExternal(const Json& settings) {
  SiteSpec site = siteOf(settings, "generic-client");
  ExternalTargetSpec target;
  read(settings, "ramp_ticks", target.ramp_ticks);
  read(settings, "settle_ticks", target.settle_ticks);
  read(settings, "stiffness_n_per_m", site.stiffness_n_per_m);
  readChoice(settings, "on_fault", {"nan", "silence"}, site.on_fault);
  return std::make_shared<const ExternalSpec>(std::move(site), target);
}

}  // namespace hyb
