#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/checks.h"
#include "core/base/json_fwd.h"
#include "core/coupling/coupling.h"
#include "core/coupling/gap_loop.h"
#include "core/coupling/site_spec.h"
#include "core/coupling/sweep_reference.h"
#include "core/gait/walker.h"
#include "core/integration/integrator.h"
#include "core/structure/partition.h"
#include "core/structure/reduction.h"
#include "core/tick/target_exchange.h"

namespace hyb {

class TransferSystem;
struct FixtureParams;
struct TwinParams;
struct ContinuationSettings;

/// What a scheme is made from beside its own settings.
struct SchemeContext {
  const Partition& partition;  // as cut, nothing reduced
  const Reduction& reduction;  // of the computed side
  const IntegratorSpec& integrator;
  double step_s;
  std::unique_ptr<Compensator> compensator;
  std::shared_ptr<TargetExchange> exchange;  // with the program that computes; null where none is served
  bool with_reference = true;                // the uncut structure is computed beside it
  /// The project's twin for small motions, at rest: a model of the rig. Throws InputError; empty: there is none.
  std::function<std::unique_ptr<TransferSystem>()> rig_model = {};
  std::span<const InterfaceAxis> sensors = {}, force_sensors = {};  // of the partition, as RigState::readings has them
  const FixtureParams* fixture = nullptr;                           // to be taken out of those; null: nothing is
  ExcitationValue excitation = {};                                  // says which loads there can be
};

/// A configured coupling scheme: settings that hold together, immutable and shared. What the rest of the program asks
/// of a scheme is answered here, so that nothing else knows one by its name.
class CouplingSpec {
 public:
  virtual ~CouplingSpec() = default;
  virtual std::string_view name() const noexcept = 0;
  /// Throws InputError with places in the project.
  virtual std::unique_ptr<CouplingScheme> make(SchemeContext context) const = 0;
  /// What it asks of the interface and of the integrator. Faults with places relative to the settings ("/ahead").
  virtual void check(std::size_t /*interfaces*/, const IntegratorSpec& /*integrator*/, Checks& /*checks*/) const {}
  /// What it asks of the cut, made as `cut` says and not reduced yet. Faults with places in the project.
  virtual void checkCut(const Partition& /*partition*/, const PartitionSpec& /*cut*/, Checks& /*checks*/) const {}
  /// What it asks of the twin's actuators and specimen, likewise.
  virtual void checkTwin(const Partition& /*partition*/, const TwinParams& /*twin*/, double /*step_s*/,
                         Checks& /*checks*/) const {}
  /// Who walks in its NS, ahead of the first step; none: nobody does. Throws InputError: the cut does not suit.
  virtual std::optional<Walker> walker(const Partition& /*partition*/, const IntegratorSpec& /*integrator*/,
                                       double /*tick_s*/) const {
    return {};
  }
  /// How long it stands before it walks, s; none: nobody walks.
  virtual std::optional<double> walkerApproach_s() const noexcept { return {}; }
  /// An excitation drives its NS; false: it moves by itself.
  virtual bool excited() const noexcept { return true; }
  /// What of the NS its integrator advances. `partition`: reduced as asked.
  virtual SystemMatrices integrated(const Partition& partition) const { return partition.numerical; }
  /// As of the schemes that are made.
  virtual std::vector<std::string> reads(std::size_t /*interfaces*/) const { return {}; }
  /// Stiffness, [i], N/m, of the springs through which it turns target forces into commands, as it knows them; empty:
  /// the target is the interface motion itself.
  virtual Eigen::VectorXd springs(std::size_t /*interfaces*/) const { return {}; }
  /// What the signals of each axis of a cut with these interface DOF are, as the schemes that are made have them.
  virtual std::vector<AxisSignals> axisSignals(const std::vector<Dof>& interface) const {
    return motionSignals(interface);
  }
  /// Further columns of the schemes that are made.
  virtual std::vector<Channel> channels(std::size_t /*interfaces*/) const { return {}; }
  /// The compensator gets the target of the next tick; rows keep that of their own.
  virtual bool ahead() const noexcept { return false; }
  /// The actuators go after the target of every tick, so that their delay can make the loop unstable. False: the
  /// command learns beside the test, and critical delay, margins and roots of a tracking loop say nothing of it.
  virtual bool tracks() const noexcept { return true; }
  /// Of one that does not track: a sentence on what can make it diverge; empty: nothing that is known.
  virtual std::string hazard() const { return {}; }
  /// Of one that does not track: a sentence on its stability, where there is no hazard.
  virtual std::string besideTracking() const {
    return "No actuator goes after the computed motion, so that no delay makes the test unstable; whether the command "
           "learns well is seen in the gap.";
  }
  /// Of one that closes the gap beside the rig: its loop around the model of the project. Throws InputError: there is
  /// no such model.
  virtual std::optional<GapLoop> gapLoop(const SchemeContext& /*context*/) const { return {}; }
  /// Why gap and tracking error say nothing of how good a test was, one sentence; empty: they do.
  virtual std::string unjudged() const { return {}; }
  /// The project's integrator advances its NS.
  virtual bool integrates() const noexcept { return site() == nullptr; }
  /// The excitation rests until then, s since Run: before, the scheme has other work to do.
  virtual double excitationFrom_s() const noexcept { return 0.0; }
  /// What it asks of the signals of the excitation, whose units these are; as check().
  virtual void checkSignals(const std::vector<Dof>& /*interface*/, const std::vector<std::string>& /*units*/,
                            Checks& /*checks*/) const {}
  /// What it asks of the tick and of the length of the test (0: until stopped), as check().
  virtual void checkLoop(double /*step_s*/, double /*duration_s*/, Checks& /*checks*/) const {}
  /// It takes the excitation of the project; else what acts on the computed side is its own.
  virtual bool usesExcitation() const noexcept { return true; }
  /// The path of periodic responses that it follows; null: it follows none.
  virtual const ContinuationSettings* continuation() const noexcept { return nullptr; }
  /// Orders of the harmonics that its commands are sums of, ascending; empty: they are no such sums.
  virtual std::vector<int> harmonicOrders() const { return {}; }
  /// First harmonic of commands that are sums of harmonics, Hz; 0: they are not, or the frequency changes.
  virtual double firstHarmonic_hz() const noexcept { return 0.0; }
  /// What its sweep would find on the uncut structure, over the range of the sweep at so many frequencies and at its
  /// own; none: it makes no sweep. `partition`: made as `cut` says and not reduced yet. Throws InputError.
  virtual std::optional<SweepReference> sweepReference(const Partition& /*partition*/, const PartitionSpec& /*cut*/,
                                                       std::size_t /*points*/) const {
    return {};
  }
  /// Where another program connects that computes the NS; null: the integrator does, here.
  virtual const SiteSpec* site() const noexcept { return nullptr; }
};
using CouplingSpecPtr = std::shared_ptr<const CouplingSpec>;

}  // namespace hyb
