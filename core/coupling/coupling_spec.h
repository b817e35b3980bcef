#pragma once
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/checks.h"
#include "core/base/json_fwd.h"
#include "core/coupling/coupling.h"
#include "core/coupling/gap_loop.h"
#include "core/coupling/period_averages.h"
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

/// How far and how fast the limits let the command of an axis move.
struct TargetReach {
  double most = std::numeric_limits<double>::infinity();  // magnitude, in the unit of the axis
  double rate = std::numeric_limits<double>::infinity();  // per second
};

/// Inputs of a scheme besides its own settings.
struct SchemeContext {
  const Partition& partition;  // after the cut, not reduced
  const Reduction& reduction;  // of the computed side
  const IntegratorSpec& integrator;
  double step_s;
  std::unique_ptr<Compensator> compensator;
  std::shared_ptr<TargetExchange> exchange;  // with the program that computes; null if none is used
  bool with_reference = true;                // true: the uncut structure is computed in parallel
  /// The project's twin for small motions, at rest: a model of the rig. Throws InputError; empty if there is none.
  std::function<std::unique_ptr<TransferSystem>()> rig_model = {};
  std::span<const InterfaceAxis> sensors = {},
                                 force_sensors = {};  // of the partition, in the order of RigState::readings
  const FixtureParams* fixture = nullptr;             // removed from the forces; null: nothing is removed
  ExcitationValue excitation = {};                    // defines the possible loads
  std::vector<TargetReach> reach = {};                // [i]; empty: not known
};

/// A configured coupling scheme: valid settings, immutable and shared. The rest of the program uses schemes through
/// this interface and depends on no particular one.
class CouplingSpec {
 public:
  virtual ~CouplingSpec() = default;
  virtual std::string_view name() const noexcept = 0;
  /// Throws InputError with places in the project.
  virtual std::unique_ptr<CouplingScheme> make(SchemeContext context) const = 0;
  /// Requirements for the interface and the integrator. Faults with places relative to the settings ("/ahead").
  virtual void check(std::size_t /*interfaces*/, const IntegratorSpec& /*integrator*/, Checks& /*checks*/) const {}
  /// Requirements for the cut, made by `cut` and not yet reduced. Faults with places in the project.
  virtual void checkCut(const Partition& /*partition*/, const PartitionSpec& /*cut*/, Checks& /*checks*/) const {}
  /// Requirements for the twin's actuators and specimen, with the same places.
  virtual void checkTwin(const Partition& /*partition*/, const TwinParams& /*twin*/, double /*step_s*/,
                         Checks& /*checks*/) const {}
  /// Walker in its NS, before the first step; none: no walker. Throws InputError if the cut is not suitable.
  virtual std::optional<Walker> walker(const Partition& /*partition*/, const IntegratorSpec& /*integrator*/,
                                       double /*tick_s*/) const {
    return {};
  }
  /// Standing time before walking, s; none: no walker.
  virtual std::optional<double> walkerApproach_s() const noexcept { return {}; }
  /// True: an excitation drives its NS; false: it moves by itself.
  virtual bool excited() const noexcept { return true; }
  /// Part of the NS that its integrator advances. `partition`: reduced as required.
  virtual SystemMatrices integrated(const Partition& partition) const { return partition.numerical; }
  /// As in the schemes that are made.
  virtual std::vector<std::string> reads(std::size_t /*interfaces*/) const { return {}; }
  /// Assumed stiffness of the springs that convert target forces to commands, [i], N/m; empty: the target is the
  /// interface motion itself.
  virtual Eigen::VectorXd springs(std::size_t /*interfaces*/) const { return {}; }
  /// Kinds of the signals of each axis for a cut with these interface DOF, as in the schemes that are made.
  virtual std::vector<AxisSignals> axisSignals(const std::vector<Dof>& interface) const {
    return motionSignals(interface);
  }
  /// Further columns of the schemes that are made, for a cut that is not yet reduced.
  virtual std::vector<Channel> columns(const Partition& partition) const {
    return channels(partition.interface.size());
  }
  /// Those of them that do not depend on more than the number of interfaces.
  virtual std::vector<Channel> channels(std::size_t /*interfaces*/) const { return {}; }
  /// Names of the DOF with columns of their own (recorded_dofs.h), in the order of their numbers.
  virtual std::vector<std::string> recorded() const { return {}; }
  /// True if the compensator gets the target of the next tick; rows contain that of their own tick.
  virtual bool ahead() const noexcept { return false; }
  /// True if a force stage detects the contact of interface i, from 0.
  virtual bool detectsContact(std::size_t /*i*/) const noexcept { return false; }
  /// True if the actuators follow the target of every tick, so that their delay can make the loop unstable. False: the
  /// command is learnt in parallel with the test, and critical delay, margins and roots of a tracking loop do not
  /// apply.
  virtual bool tracks() const noexcept { return true; }
  /// For a scheme that does not track: a sentence on the possible cause of divergence; empty if none is known.
  virtual std::string hazard() const { return {}; }
  /// For a scheme that does not track: a sentence on its stability, if there is no hazard.
  virtual std::string besideTracking() const {
    return "No actuator follows the computed motion, so a delay cannot make the test unstable; the gap shows how well "
           "the "
           "command learns.";
  }
  /// For a scheme that closes the gap in parallel with the rig: its loop with the model of the project. Throws
  /// InputError if there is no such model.
  virtual std::optional<GapLoop> gapLoop(const SchemeContext& /*context*/) const { return {}; }
  /// Why gap and tracking error do not measure the quality of a test, one sentence; empty if they do.
  virtual std::string unjudged() const { return {}; }
  /// True if the project's integrator advances its NS.
  virtual bool integrates() const noexcept { return site() == nullptr; }
  /// Start of the excitation, s since Run: before it, the scheme does other work.
  virtual double excitationFrom_s() const noexcept { return 0.0; }
  /// Requirements for the signals of the excitation, with these units; as check().
  virtual void checkSignals(const std::vector<Dof>& /*interface*/, const std::vector<std::string>& /*units*/,
                            Checks& /*checks*/) const {}
  /// Requirements for the tick and the length of the test (0: until stopped), as check().
  virtual void checkLoop(double /*step_s*/, double /*duration_s*/, Checks& /*checks*/) const {}
  /// True if it uses the excitation of the project; otherwise it has its own loads on the computed side.
  virtual bool usesExcitation() const noexcept { return true; }
  /// The path of periodic responses that it follows; null: none.
  virtual const ContinuationSettings* continuation() const noexcept { return nullptr; }
  /// Orders of the harmonics whose sums are its commands, ascending; empty: commands are not such sums.
  virtual std::vector<int> harmonicOrders() const { return {}; }
  /// First harmonic of such commands, Hz; 0: there is none, or the frequency changes.
  virtual double firstHarmonic_hz() const noexcept { return 0.0; }
  /// Averages that it takes of the measured signals; none: it uses every tick.
  virtual std::optional<PeriodAverages> periodAverages() const { return {}; }
  /// Result of its sweep on the uncut structure, over the range of the sweep at this number of frequencies and at its
  /// own; none: it makes no sweep. `partition`: made by `cut` and not yet reduced. Throws InputError.
  virtual std::optional<SweepReference> sweepReference(const Partition& /*partition*/, const PartitionSpec& /*cut*/,
                                                       std::size_t /*points*/) const {
    return {};
  }
  /// Address for another program that computes the NS; null: the integrator computes it here.
  virtual const SiteSpec* site() const noexcept { return nullptr; }
};
using CouplingSpecPtr = std::shared_ptr<const CouplingSpec>;

}  // namespace hyb
