#include "core/coupling/tracking.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/coupling/compensated_scheme.h"
#include "core/coupling/modelled_force.h"
#include "core/coupling/recorded_dofs.h"
#include "core/coupling/uncut_structure.h"
#include "core/linalg/few.h"

namespace hyb {
namespace {

/// Columns of the stages, then forces of the model, then recorded DOF.
std::vector<Channel> trackingColumns(std::vector<Channel> columns, const std::vector<Dof>& interface, bool modelled,
                                     const std::vector<RecordedDof>& recorded) {
  for (std::size_t i = 0; modelled && i < interface.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    columns.push_back(
        {.name = columnName(ColumnRole::modelled_force, i),
         .units = interface[i].motion == Motion::rotation ? "N m" : "N",
         .description =
             "force of the physical on the numerical substructure, from the measured motion, interface " + number,
         .interface = static_cast<int>(i) + 1,
         .title = "modelled force " + number,
         .group = "Modelled force",
         .role = ColumnRole::modelled_force});
  }
  const std::vector<Channel> of_dofs = columnsOf(recorded);
  columns.insert(columns.end(), of_dofs.begin(), of_dofs.end());
  return columns;
}

class Tracking final : public CompensatedScheme {
 public:
  Tracking(const Partition& partition, const IntegratorSpec& integrator, double step_s,
           std::unique_ptr<Compensator> compensator, bool ahead, ForceStages stages, bool reference,
           const ExcitationValue& excitation, const TrackingOptions& options)
      : CompensatedScheme(std::move(compensator)),
        interface_(partition.interface),
        at_(partition.interface_in_numerical),
        axes_(static_cast<Eigen::Index>(partition.interface.size())),
        numerical_(integrator, partition.numerical, partition.numerical_loads, at_, excitation, step_s),
        compensator_tunables_(compensator_->tunables().size()),
        stages_(std::move(stages)),
        ahead_(ahead),
        geometry_(partition.geometry),
        bent_(!partition.geometry.linear()) {
    if (reference) uncut_.emplace(integrator, partition, step_s, excitation);
    if (options.modelled_force) modelled_.emplace(partition, step_s);
    Checks found, checks;
    recorded_.emplace(recordedDofs(options.record, partition, reference, found), partition);
    checks.take(found, "/coupling");
    checks.throwIfAny();
    moved_.setZero(axes_);
    model_force_ = scratch_ = scratch_rate_ = moved_;
    force_.setZero(axes_);
    emulated_.setZero(axes_);
    state_.target.setZero(axes_);
    state_.target_rate = state_.measured = state_.target;
    state_.ahead = ahead_;
    state_.contact = state_.target;
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
    if (modelled_) modelled_->restart();
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
    if (bent_ || modelled_) reconstruct(state.measured);
    numerical_.step(excitation, stages_.empty() ? felt(state) : passStages(state));

    readTarget(state_.target, state_.target_rate);
    if (bent_) {
      bend(state_.target, state_.target_rate);
      if (ahead_) bend(now_, now_rate_);
    }
    linalg::copyFew(state.measured, state_.measured);
    if (!stages_.empty()) stages_.readContact(state_.contact);
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
  std::vector<Channel> channels() const override {
    return trackingColumns(stages_.channels(), interface_, modelled_.has_value(), recorded_->dofs());
  }
  void readChannels(std::span<double> values) const noexcept override {
    stages_.readChannels(values);
    std::size_t v = values.size() - recorded_->columns();
    recorded_->read(numerical_.displacement(), bent_ ? moved_ : state_.measured, uncut_ ? &*uncut_ : nullptr,
                    values.subspan(v));
    if (!modelled_) return;
    v -= interface_.size();
    for (std::size_t i = 0; i < interface_.size(); ++i) values[v + i] = model_force_[static_cast<Eigen::Index>(i)];
  }

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
    if (force_source_ == ForceSource::emulated) return emulated_;
    return modelled_ ? model_force_ : state.force;
  }
  /// Measured motion in linear axes, and the force of the model for it.
  void reconstruct(const Eigen::VectorXd& measured) noexcept {
    if (bent_)
      geometry_.toLinear(measured, moved_);
    else
      linalg::copyFew(measured, moved_);
    if (modelled_) modelled_->update(moved_, model_force_);
  }
  /// Motion in linear axes to that of the actuators.
  void bend(Eigen::VectorXd& motion, Eigen::VectorXd& rate) noexcept {
    linalg::copyFew(motion, scratch_);
    linalg::copyFew(rate, scratch_rate_);
    geometry_.toExact(scratch_, motion);
    geometry_.toExactRate(scratch_, scratch_rate_, rate);
  }
  void readReference(Eigen::VectorXd& motion) noexcept {
    if (!uncut_) return;
    for (Eigen::Index i = 0; i < axes_; ++i) motion[i] = uncut_->interface(static_cast<std::size_t>(i));
    if (!bent_) return;
    linalg::copyFew(motion, scratch_);
    geometry_.toExact(scratch_, motion);
  }

  /// Motion of the NS before its step: that of this tick if the scheme is ahead, else that of the last one.
  const Eigen::VectorXd& passStages(const RigState& state) noexcept {
    linalg::copyFew(felt(state), force_);
    if (force_source_ == ForceSource::emulated) return force_;
    if (!ahead_) readTarget(now_, now_rate_);
    stages_.see(bent_ ? moved_ : state.measured, force_);
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
  ActuatorGeometry geometry_;
  bool bent_;  // the actuators' motion is not linear in that of the interface
  std::optional<ModelledForce> modelled_;
  std::optional<RecordedMotion> recorded_;
  Eigen::VectorXd moved_, model_force_, scratch_, scratch_rate_;  // [i]; moved_: measured, in linear axes
};

class TrackingSpec final : public CouplingSpec {
 public:
  TrackingSpec(bool ahead, std::vector<ForceStageSpecPtr> stages, TrackingOptions options)
      : ahead_(ahead), stages_(std::move(stages)), options_(std::move(options)) {}
  std::string_view name() const noexcept override { return "tracking"; }
  std::unique_ptr<CouplingScheme> make(SchemeContext context) const override {
    return makeTracking(reduceSides(context.partition, context.reduction, {}), context.integrator, context.step_s,
                        std::move(context.compensator), ahead_,
                        ForceStages(stages_, context.partition.interface.size(), context.step_s),
                        context.with_reference, context.excitation, options_);
  }
  void check(std::size_t interfaces, const IntegratorSpec& integrator, Checks& checks) const override {
    if (const std::string fault = ahead_ ? aheadFault(integrator) : ""; !fault.empty()) checks.fault("/ahead", fault);
    checkForceStages(stages_, interfaces, checks);
    if (ahead_ && !options_.record.empty())
      checks.fault("/record",
                   "records the motion of the next tick if /coupling/ahead is on; switch it off, or remove "
                   "this list");
  }
  void checkCut(const Partition& partition, const PartitionSpec& /*cut*/, Checks& checks) const override {
    Checks found;
    recordedDofs(options_.record, partition, true, found);
    checks.take(found, "/coupling");
    if (options_.modelled_force) checks.collect([&] { ModelledForce(partition, 1.0); });
  }
  std::vector<Channel> columns(const Partition& partition) const override {
    Checks ignored;  // by checkCut()
    return trackingColumns(ForceStages(stages_, partition.interface.size(), 1.0).channels(), partition.interface,
                           options_.modelled_force, recordedDofs(options_.record, partition, true, ignored));
  }
  std::vector<std::string> recorded() const override { return options_.record; }
  bool ahead() const noexcept override { return ahead_; }
  bool detectsContact(std::size_t i) const noexcept override { return hyb::detectsContact(stages_, i); }

 private:
  bool ahead_;
  std::vector<ForceStageSpecPtr> stages_;
  TrackingOptions options_;
};

}  // namespace

std::unique_ptr<CouplingScheme> makeTracking(const Partition& partition, const IntegratorSpec& integrator,
                                             double step_s, std::unique_ptr<Compensator> compensator, bool ahead,
                                             ForceStages stages, bool reference, const ExcitationValue& excitation,
                                             const TrackingOptions& options) {
  if (const std::string fault = ahead ? aheadFault(integrator) : ""; !fault.empty())
    throw InputError("/coupling/ahead", fault);
  return std::make_unique<Tracking>(partition, integrator, step_s, std::move(compensator), ahead, std::move(stages),
                                    reference, excitation, options);
}

CouplingSpecPtr tracking() {
  return std::make_shared<const TrackingSpec>(false, std::vector<ForceStageSpecPtr>{}, TrackingOptions{});
}

CouplingSpecPtr parseTracking(const Json& settings) {
  return std::make_shared<const TrackingSpec>(
      settings.at("ahead").get<bool>(), parseForceStages(settings),
      TrackingOptions{text(settings, "force") == "modelled", settings.value("record", std::vector<std::string>{})});
}

}  // namespace hyb
