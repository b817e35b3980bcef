#include "core/coupling/force_coupling.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/coupling/compensated_scheme.h"
#include "core/coupling/driven_side.h"
#include "core/coupling/excitation_load.h"
#include "core/coupling/uncut_structure.h"

namespace hyb {
namespace {

std::vector<AxisSignals> forceSignals(const std::vector<Dof>& interface) {
  std::vector<AxisSignals> signals = motionSignals(interface);
  for (AxisSignals& axis : signals) axis.target = axis.force();
  return signals;
}

std::vector<std::string> specimenColumns(std::size_t interfaces) {
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < interfaces; ++i) columns.push_back(columnName(ColumnRole::specimen, i));
  return columns;
}

/// Displacement targets of the pistons.
std::vector<Channel> pistonChannels(std::size_t interfaces) {
  std::vector<Channel> channels;
  for (std::size_t i = 0; i < interfaces; ++i)
    channels.push_back({.name = columnName(ColumnRole::piston_target, i),
                        .units = "m",
                        .description = "displacement of the piston for the last target force, with the nominal spring",
                        .interface = static_cast<int>(i) + 1,
                        .title = "piston target " + std::to_string(i + 1),
                        .role = ColumnRole::piston_target,
                        .kind = SignalKind::displacement});
  return channels;
}

class ForceCoupling final : public CompensatedScheme {
 public:
  ForceCoupling(const Partition& partition, const IntegratorSpec& integrator, double step_s,
                std::unique_ptr<Compensator> compensator, const Eigen::VectorXd& springs_n_per_m, bool reference,
                const ExcitationValue& excitation)
      : CompensatedScheme(std::move(compensator)),
        numerical_(partition.numerical),
        numerical_loads_(partition.numerical_loads),
        interface_(partition.interface),
        driven_(integrator, partition.numerical, partition.interface_in_numerical, springs_n_per_m, step_s),
        blend_per_tick_(step_s / kBlend_s) {
    if (reference) uncut_.emplace(integrator, partition, step_s, excitation);
    const auto i = static_cast<Eigen::Index>(interface_.size());
    load_.setZero(numerical_.size());
    interface_m_.setZero(i);
    state_.target = state_.target_rate = state_.measured = interface_m_;
  }

  std::size_t interfaces() const noexcept override { return interface_.size(); }
  std::vector<AxisSignals> axisSignals() const override { return forceSignals(interface_); }
  std::vector<std::string> reads() const override { return specimenColumns(interfaces()); }

  void reset() override {
    restart();
    compensator_->reset();
  }
  void restart() noexcept override {
    driven_.reset();
    stepped_ = false;
    measured_share_ = wantedShare();
    if (uncut_) uncut_->reset();
    compensator_->restart();
  }

  void update(const RigState& state, const ExcitationValue& excitation, CouplingOutput& output) noexcept override {
    if (uncut_) {
      uncut_->step(excitation);
      uncut_->physicalForce(output.reference);
    }
    stepped_ = true;
    measured_share_ += std::clamp(wantedShare() - measured_share_, -blend_per_tick_, blend_per_tick_);
    interface_m_ = state.further;
    if (measured_share_ < 1.0)
      for (std::size_t i = 0; i < interfaces(); ++i) {
        double& motion = interface_m_[static_cast<Eigen::Index>(i)];
        motion = measured_share_ * motion + (1.0 - measured_share_) * uncut_->interface(i);
      }
    loadOf(excitation, numerical_, numerical_loads_, load_);
    driven_.step(load_, interface_m_, state.further);

    state_.target = driven_.piston();
    state_.target_rate = driven_.pistonRate();
    state_.measured = state.measured;
    compensator_->update(state_, output.command);
    output.target = driven_.target();
    output.target_rate = driven_.targetRate();
  }

  bool hasReference() const noexcept override { return uncut_.has_value(); }
  bool setForceSource(ForceSource source) noexcept override {
    if (!uncut_) return false;
    source_ = source;
    if (!stepped_) measured_share_ = wantedShare();
    return true;
  }
  std::vector<Channel> channels() const override { return pistonChannels(interfaces()); }
  void readChannels(std::span<double> values) const noexcept override {
    for (std::size_t i = 0; i < interfaces(); ++i) values[i] = driven_.piston()[static_cast<Eigen::Index>(i)];
  }

 private:
  double wantedShare() const noexcept { return source_ == ForceSource::emulated ? 0.0 : 1.0; }

  // The target force follows the interface and its rate immediately. The change between force sources takes this time;
  // a jump would move the piston too fast.
  static constexpr double kBlend_s = 0.5;

  SystemMatrices numerical_;
  SparseMatrix numerical_loads_;
  std::vector<Dof> interface_;
  DrivenSide driven_;
  std::optional<UncutStructure> uncut_;
  ForceSource source_ = ForceSource::measured;
  double blend_per_tick_, measured_share_ = 1.0;
  bool stepped_ = false;  // since the last restart
  Eigen::VectorXd load_, interface_m_;
  InterfaceState state_;  // of the pistons, for the compensator
};

class ForceCouplingSpec final : public CouplingSpec {
 public:
  explicit ForceCouplingSpec(std::vector<double> springs_n_per_m) : springs_(std::move(springs_n_per_m)) {}
  std::string_view name() const noexcept override { return "force"; }
  std::unique_ptr<CouplingScheme> make(SchemeContext context) const override {
    return std::make_unique<ForceCoupling>(reduceSides(context.partition, context.reduction, {}), context.integrator,
                                           context.step_s, std::move(context.compensator),
                                           springs(context.partition.interface.size()), context.with_reference,
                                           context.excitation);
  }
  void check(std::size_t interfaces, const IntegratorSpec& /*integrator*/, Checks& checks) const override {
    if (springs_.size() != 1 && springs_.size() != interfaces)
      checks.fault("/spring_n_per_m", "has " + std::to_string(springs_.size()) + " entries for " +
                                          std::to_string(interfaces) +
                                          " interface degrees of freedom; give one for each, or one number for all");
  }
  void checkCut(const Partition& partition, const PartitionSpec& cut, Checks& checks) const override {
    for (const AxisSignals& axis : motionSignals(partition.interface))
      if (axis.motion != SignalKind::displacement)
        checks.fault("/partition/interface",
                     "has a rotation; a spring between piston and specimen needs a displacement");
    const Partition reduced = reduceSides(partition, cut.numerical, {});
    if (const std::string fault = DrivenSide::fault(reduced.numerical, reduced.interface_in_numerical); !fault.empty())
      checks.fault("/partition", fault);
  }
  SystemMatrices integrated(const Partition& partition) const override {
    return DrivenSide::inner(partition.numerical, partition.interface_in_numerical);
  }
  std::vector<std::string> reads(std::size_t interfaces) const override { return specimenColumns(interfaces); }
  Eigen::VectorXd springs(std::size_t interfaces) const override {
    Eigen::VectorXd all(static_cast<Eigen::Index>(interfaces));
    for (std::size_t i = 0; i < interfaces; ++i)
      all[static_cast<Eigen::Index>(i)] = springs_[springs_.size() == 1 ? 0 : i];
    return all;
  }
  std::vector<AxisSignals> axisSignals(const std::vector<Dof>& interface) const override {
    return forceSignals(interface);
  }
  std::vector<Channel> channels(std::size_t interfaces) const override { return pistonChannels(interfaces); }

 private:
  std::vector<double> springs_;  // one for each interface, or one for all
};

}  // namespace

CouplingSpecPtr parseForceCoupling(const Json& settings) {
  const Json& springs = settings.at("spring_n_per_m");
  return std::make_shared<const ForceCouplingSpec>(springs.is_array() ? springs.get<std::vector<double>>()
                                                                      : std::vector<double>{springs.get<double>()});
}

}  // namespace hyb
