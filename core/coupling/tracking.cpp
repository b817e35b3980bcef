#include "core/coupling/tracking.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/coupling/compensated_scheme.h"
#include "core/coupling/uncut_structure.h"
#include "core/linalg/few.h"

namespace hyb {
namespace {

class Tracking final : public CompensatedScheme {
 public:
  Tracking(const Partition& partition, const IntegratorSpec& integrator, double step_s,
           std::unique_ptr<Compensator> compensator, bool ahead, ForceStages stages, bool reference,
           const ExcitationValue& excitation)
      : CompensatedScheme(std::move(compensator)),
        interface_(partition.interface),
        at_(partition.interface_in_numerical),
        axes_(static_cast<Eigen::Index>(partition.interface.size())),
        numerical_(integrator, partition.numerical, partition.numerical_loads, at_, excitation, step_s),
        compensator_tunables_(compensator_->tunables().size()),
        stages_(std::move(stages)),
        ahead_(ahead) {
    if (reference) uncut_.emplace(integrator, partition, step_s, excitation);
    force_.setZero(axes_);
    emulated_.setZero(axes_);
    state_.target.setZero(axes_);
    state_.target_rate = state_.measured = state_.target;
    state_.ahead = ahead_;
    now_.setZero(axes_);
    now_rate_.setZero(axes_);
  }

  std::size_t interfaces() const noexcept override { return interface_.size(); }
  std::vector<AxisSignals> axisSignals() const override { return motionSignals(interface_); }

  void reset() override {
    restart();
    compensator_->reset();
  }

  void restart() noexcept override {
    numerical_.reset();
    if (uncut_) uncut_->reset();
    compensator_->restart();
    stages_.restart();
  }

  [[gnu::hot]] void update(const RigState& state, const ExcitationValue& excitation,
                           CouplingOutput& output) noexcept override {
    if (ahead_) {  // this tick's motion is the result of the last step
      readTarget(now_, now_rate_);
      readReference(output.reference);
      emulate();
    }
    if (uncut_) uncut_->step(excitation);
    if (!ahead_) {
      readReference(output.reference);
      emulate();
    }
    numerical_.step(excitation, stages_.empty() ? felt(state) : passStages(state));

    readTarget(state_.target, state_.target_rate);
    linalg::copyFew(state.measured, state_.measured);
    const Eigen::VectorXd &target = ahead_ ? now_ : state_.target, &rate = ahead_ ? now_rate_ : state_.target_rate;
    for (Eigen::Index i = 0; i < axes_; ++i) {
      output.target[i] = target[i];
      output.target_rate[i] = rate[i];
    }
    compensator_->update(state_, output.command);
  }

  bool hasReference() const noexcept override { return uncut_.has_value(); }
  bool setForceSource(ForceSource source) noexcept override {
    if (!uncut_) return false;
    if (source != force_source_) stages_.restart();
    force_source_ = source;
    return true;
  }
  /// Those of the compensator, followed by those of the force stages.
  std::vector<Tunable> tunables() const override {
    std::vector<Tunable> all = CompensatedScheme::tunables(), own = stages_.tunables();
    all.insert(all.end(), own.begin(), own.end());
    return all;
  }
  void tune(std::size_t index, double value) noexcept override {
    if (index < compensator_tunables_)
      CompensatedScheme::tune(index, value);
    else
      stages_.tune(index - compensator_tunables_, value);
  }
  std::vector<Channel> channels() const override { return stages_.channels(); }
  void readChannels(std::span<double> values) const noexcept override { stages_.readChannels(values); }

 private:
  void readTarget(Eigen::VectorXd& target, Eigen::VectorXd& rate) const noexcept {
    const Eigen::VectorXd &x = numerical_.displacement(), &v = numerical_.velocity();
    for (Eigen::Index i = 0; i < axes_; ++i) {
      const Eigen::Index at = at_[static_cast<std::size_t>(i)];
      target[i] = x[at];
      rate[i] = v[at];
    }
  }
  const Eigen::VectorXd& felt(const RigState& state) const noexcept {
    return force_source_ == ForceSource::emulated ? emulated_ : state.force;
  }
  void readReference(Eigen::VectorXd& motion) const noexcept {
    if (!uncut_) return;
    for (Eigen::Index i = 0; i < axes_; ++i) motion[i] = uncut_->interface(static_cast<std::size_t>(i));
  }

  /// Motion of the NS before its step: that of this tick if the scheme is ahead, else that of the last one.
  const Eigen::VectorXd& passStages(const RigState& state) noexcept {
    linalg::copyFew(felt(state), force_);
    if (force_source_ == ForceSource::emulated) return force_;
    if (!ahead_) readTarget(now_, now_rate_);
    stages_.see(state.measured, force_);
    stages_.update(now_rate_, !ahead_, force_);
    return force_;
  }

  /// Forces of the PS for the motion of the uncut structure.
  void emulate() noexcept {
    if (force_source_ == ForceSource::emulated) uncut_->physicalForce(emulated_);
  }

  std::vector<Dof> interface_;
  std::vector<Eigen::Index> at_;  // [i], DOF of the NS
  Eigen::Index axes_;             // of the interface
  ExcitedStructure numerical_;
  std::optional<UncutStructure> uncut_;  // the reference
  std::size_t compensator_tunables_;
  ForceStages stages_;
  bool ahead_;
  ForceSource force_source_ = ForceSource::measured;
  Eigen::VectorXd force_, emulated_;
  InterfaceState state_;            // input of the compensator
  Eigen::VectorXd now_, now_rate_;  // [i], of this tick if state_ is one tick ahead
};

class TrackingSpec final : public CouplingSpec {
 public:
  TrackingSpec(bool ahead, std::vector<ForceStageSpecPtr> stages) : ahead_(ahead), stages_(std::move(stages)) {}
  std::string_view name() const noexcept override { return "tracking"; }
  std::unique_ptr<CouplingScheme> make(SchemeContext context) const override {
    return makeTracking(reduceSides(context.partition, context.reduction, {}), context.integrator, context.step_s,
                        std::move(context.compensator), ahead_,
                        ForceStages(stages_, context.partition.interface.size(), context.step_s),
                        context.with_reference, context.excitation);
  }
  void check(std::size_t interfaces, const IntegratorSpec& integrator, Checks& checks) const override {
    if (const std::string fault = ahead_ ? aheadFault(integrator) : ""; !fault.empty()) checks.fault("/ahead", fault);
    checkForceStages(stages_, interfaces, checks);
  }
  std::vector<Channel> channels(std::size_t interfaces) const override {
    return ForceStages(stages_, interfaces, 1.0).channels();
  }
  bool ahead() const noexcept override { return ahead_; }

 private:
  bool ahead_;
  std::vector<ForceStageSpecPtr> stages_;
};

}  // namespace

std::unique_ptr<CouplingScheme> makeTracking(const Partition& partition, const IntegratorSpec& integrator,
                                             double step_s, std::unique_ptr<Compensator> compensator, bool ahead,
                                             ForceStages stages, bool reference, const ExcitationValue& excitation) {
  if (const std::string fault = ahead ? aheadFault(integrator) : ""; !fault.empty())
    throw InputError("/coupling/ahead", fault);
  return std::make_unique<Tracking>(partition, integrator, step_s, std::move(compensator), ahead, std::move(stages),
                                    reference, excitation);
}

CouplingSpecPtr tracking() { return std::make_shared<const TrackingSpec>(false, std::vector<ForceStageSpecPtr>{}); }

CouplingSpecPtr parseTracking(const Json& settings) {
  return std::make_shared<const TrackingSpec>(settings.at("ahead").get<bool>(), parseForceStages(settings));
}

}  // namespace hyb
