#include "core/coupling/external_target.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/coupling/compensated_scheme.h"
#include "core/rig/address.h"

namespace hyb {
namespace {

/// The other program decides on the length of the test.
class ExternalDirector final : public Director {
 public:
  explicit ExternalDirector(std::shared_ptr<TargetExchange> exchange) : exchange_(std::move(exchange)) {}
  bool takeEvent(Event& event) noexcept override { return exchange_->remarks.pop(event); }
  EndReason ends() const noexcept override {
    if (!exchange_->finished.load(std::memory_order_acquire)) return EndReason::running;
    return exchange_->abandoned.load(std::memory_order_acquire) ? EndReason::client_lost : EndReason::completed;
  }

 private:
  std::shared_ptr<TargetExchange> exchange_;
};

class ExternalTarget final : public CompensatedScheme {
 public:
  ExternalTarget(std::vector<Dof> interface, const ExternalTargetSpec& spec, double step_s,
                 std::unique_ptr<Compensator> compensator, std::shared_ptr<TargetExchange> exchange)
      : CompensatedScheme(std::move(compensator)),
        interface_(std::move(interface)),
        spec_(spec),
        step_s_(step_s),
        exchange_(std::move(exchange)),
        director_(exchange_) {
    const auto i = static_cast<Eigen::Index>(interfaces());
    state_.target.setZero(i);
    state_.target_rate = state_.measured = from_ = to_ = state_.target;
  }

  std::size_t interfaces() const noexcept override { return interface_.size(); }
  std::vector<AxisSignals> axisSignals() const override { return motionSignals(interface_); }

  void reset() override {
    restart();
    compensator_->reset();
    ticks_ = 0;
  }

  void restart() noexcept override {
    from_.setZero();
    state_.target.setZero();
    ramp_tick_ = standing_ticks_ = 0;
    compensator_->restart();
  }

  void update(const RigState& state, const ExcitationValue&, CouplingOutput& output) noexcept override {
    ++ticks_;
    TargetExchange& exchange = *exchange_;
    if (exchange.targets.receive()) {
      number_ = exchange.targets.value().number;
      from_ = state_.target;
      std::copy_n(exchange.targets.value().displacement_m.begin(), interfaces(), to_.begin());
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
    state_.measured = state.measured;
    compensator_->update(state_, output.command);
    output.target = state_.target;
    output.target_rate = state_.target_rate;
    if (share < 1.0 || state.missed) return;  // the actuators have not reached the target yet
    if (standing_ticks_ >= spec_.settle_ticks) answer(state);
    ++standing_ticks_;
  }

  Director* director() noexcept override { return &director_; }

 private:
  void answer(const RigState& state) noexcept {
    if (answered_ == number_) return;
    answered_ = number_;
    ExternalAnswer& draft = exchange_->answers.draft();
    std::copy(state.measured.begin(), state.measured.end(), draft.displacement_m.begin());
    std::copy(state.force.begin(), state.force.end(), draft.force_n.begin());
    draft.time_s = static_cast<double>(ticks_) * step_s_;
    draft.number = number_;
    exchange_->answers.publish();
    exchange_->answered.store(number_, std::memory_order_release);
    exchange_->changed();
  }

  std::vector<Dof> interface_;
  ExternalTargetSpec spec_;
  double step_s_;
  std::shared_ptr<TargetExchange> exchange_;
  ExternalDirector director_;
  InterfaceState state_;
  Eigen::VectorXd from_, to_;
  std::int64_t ramp_tick_ = 0;       // since the start of the ramp
  std::int64_t standing_ticks_ = 0;  // with the target as the written command
  std::int64_t ticks_ = 0;
  std::uint64_t number_ = 1, answered_ = 0;
};

class ExternalSpec final : public CouplingSpec {
 public:
  explicit ExternalSpec(SiteSpec site) : site_(std::move(site)) {}
  std::string_view name() const noexcept override { return "external"; }
  std::unique_ptr<CouplingScheme> make(SchemeContext context) const override {
    if (!context.exchange)
      throw InputError("/coupling/scheme",
                       "is \"external\": the test needs a connection from another program, which is not possible here; "
                       "use \"run\".");
    return makeExternalTarget(context.partition.interface, {site_.ramp_ticks, site_.settle_ticks}, context.step_s,
                              std::move(context.compensator), std::move(context.exchange));
  }
  void check(std::size_t interfaces, const IntegratorSpec& /*integrator*/, Checks& checks) const override {
    checks.collect([&] { parseAddress(site_.listen, "/listen"); });
    const std::size_t entries = site_.stiffness_n_per_m.size();
    if (entries != interfaces * interfaces)
      checks.fault("/stiffness_n_per_m", "has " + std::to_string(entries) + " entries; give " +
                                             std::to_string(interfaces * interfaces) +
                                             ", the stiffness matrix of the tested part at its " +
                                             std::to_string(interfaces) + " interface degrees of freedom, row by row.");
  }
  const SiteSpec* site() const noexcept override { return &site_; }

 private:
  SiteSpec site_;
};

}  // namespace

std::unique_ptr<CouplingScheme> makeExternalTarget(std::vector<Dof> interface, const ExternalTargetSpec& spec,
                                                   double step_s, std::unique_ptr<Compensator> compensator,
                                                   std::shared_ptr<TargetExchange> exchange) {
  return std::make_unique<ExternalTarget>(std::move(interface), spec, step_s, std::move(compensator),
                                          std::move(exchange));
}

CouplingSpecPtr parseExternal(const Json& settings) {
  SiteSpec site;
  read(settings, "listen", site.listen);
  read(settings, "ramp_ticks", site.ramp_ticks);
  read(settings, "settle_ticks", site.settle_ticks);
  read(settings, "length_factor", site.length_factor);
  read(settings, "force_factor", site.force_factor);
  read(settings, "time_factor", site.time_factor);
  read(settings, "stiffness_n_per_m", site.stiffness_n_per_m);
  readChoice(settings, "on_fault", {"nan", "silence"}, site.on_fault);
  return std::make_shared<const ExternalSpec>(std::move(site));
}

}  // namespace hyb
