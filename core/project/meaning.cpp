#include "core/project/meaning.h"

#include "core/base/numbers.h"
#include "core/base/words.h"
#include "core/project/additions.h"
#include "core/project/command_bounds.h"
#include "core/project/face_spec.h"
#include "core/project/further_channels.h"
#include "core/project/interface_sensing.h"
#include "core/project/reading.h"
#include "core/project/rig_legs.h"
#include "core/project/schema.h"
#include "core/project/sensed_twin.h"
#include "core/rig/twin.h"
#include "core/structure/interface_map.h"
#include "core/structure/modes.h"
#include "core/structure/reduction.h"
#include "core/transfer/transfer_system.h"

namespace hyb {
namespace {

constexpr std::size_t kNamed = 12;  // names shown of a long list
constexpr Reduction kSomeModes{Reduction::Method::craig_bampton, 20};
constexpr double kFewestTrialTicks = 16.0;
constexpr double kUsualTick_s = 1e-3;       // used if the rate is unknown
constexpr Eigen::Index kLargestTwin = 300;  // DOF of a specimen whose full matrices can be computed within a tick

/// As written in a project.
std::string textOf(const Reduction& reduction) {
  const std::string method = "{\"method\": \"" + std::string(name(reduction.method)) + "\"";
  if (reduction.method != Reduction::Method::craig_bampton) return method + "}";
  return method + ", \"modes\": " + std::to_string(reduction.modes) + "}";
}

class MeaningCheck {
 public:
  MeaningCheck(const std::set<std::string>& broken, Project& project, std::vector<Issue>& issues)
      : broken_(broken), project_(project), issues_(issues), findings_(issues) {}

  void run() {
    if (good("structure")) {
      checkMatrixFiles();
      findings_.collect([&] { model_ = buildModel(project_.structure); });
    }
    if (model_ && good("partition")) {
      findings_.collect([&] { whole_ = cut(*model_, project_.partition); });
      if (whole_) collectAxes([&] { partition_ = inActuatorAxes(*whole_, project_.partition.actuators); });
    }
    if (good("excitation")) {
      checkSignals(project_, good("loop") ? std::optional(project_.loop.rate_hz) : std::nullopt, findings_);
      resolveLoads(pointer(model_), pointer(whole_), project_, findings_);
    }
    if (good("compensation")) checkCompensation();
    if (good("loop")) checkTimes();
    if (good("coupling") && good("integrator") && partition_) checkCoupling();
    if (good("loop") && good("integrator") && partition_ && suits_ &&
        (!good("coupling") || project_.coupling->integrates()))
      checkRate();
    if (good("coupling") && partition_) project_.axes = project_.coupling->axisSignals(partition_->interface);
    if (good("coupling") && good("rig") && partition_) checkCommands();
    if (good("coupling") && !project_.coupling->tracks()) checkBesideTracking();
    if (good("safety") && partition_) checkLimits();
    if (good("rig") && partition_ && project_.rig.geometry) checkGeometry(project_, *partition_, findings_);
    if (good("rig") && partition_)
      checkRig(project_, partition_->interface.size(),
               good("loop") ? std::optional(project_.loop.rate_hz) : std::nullopt, findings_);
    if (good("rig") && good("coupling") && good("safety") && partition_ && findings_.clean("/rig/actuators"))
      checkLimitedSignals();
    if (good("rig") && good("coupling") && partition_) checkColumnsRead();
    if (good("rig") && good("coupling") && good("loop") && partition_ && suits_) checkSpecimen();
    if (good("coupling") && !project_.coupling->excited()) checkBesideExcitation();
    if (good("rig")) tellOfSuspensions();
    if (good("rig") && !project_.twin.laws.empty()) tellOfLaws();
    if (good("rig") && good("loop") && partition_ && findings_.clean("/loop/rate_hz")) checkTwin();
    if (good("rig") && good("loop") && partition_ && findings_.clean("")) checkAdditions();
    if (good("compensation") && good("loop")) tellOfTrials();
    if (good("analysis"))
      checkFace(project_.document, partition_ ? partition_->interface.size() : 0, project_.excitation.signals.size(),
                good("loop") ? project_.loop.duration_s : 0.0, findings_);
    if (broken_.empty() && issues_.empty()) {
      boundCommands(project_);
      if (project_.rig.geometry) note(reachWords(project_).sentences);
    }
    if (model_) note(model_->notes);
    if (whole_) note(whole_->left_out.remarks);
  }

 private:
  bool good(const char* section) const { return !broken_.contains(section); }
  template <typename T>
  static const T* pointer(const std::optional<T>& value) {
    return value ? &*value : nullptr;
  }
  void note(const std::vector<std::string>& remarks) {
    project_.notes.insert(project_.notes.end(), remarks.begin(), remarks.end());
  }

  /// Faults of axes name a term by its DOF. In the document it is an entry of a list.
  void collectAxes(const std::function<void()>& work) {
    try {
      work();
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues()) {
        std::string where = issue.where;
        const auto translate = [&](const std::vector<InterfaceAxis>& axes, const std::string& list) {
          for (std::size_t a = 0; a < axes.size(); ++a)
            for (std::size_t t = 0; t < axes[a].terms.size(); ++t) {
              const std::string terms = list + std::to_string(a) + "/terms/";
              if (issue.where == terms + axes[a].terms[t].first) where = terms + std::to_string(t) + "/dof";
            }
        };
        translate(project_.partition.actuators, "/partition/actuators/");
        translate(project_.partition.sensors, "/partition/sensors/");
        translate(project_.partition.force_sensors, "/partition/force_sensors/");
        findings_.say(where, issue.message);
      }
    }
  }

  void checkMatrixFiles() {
    const Json& structure = project_.document.at("structure");
    for (const char* key : {"mass", "damping", "stiffness"})
      if (structure.contains(key) && structure.at(key).is_object() && structure.at(key).contains("variable") &&
          !structure.at(key).contains("file"))
        findings_.say("/structure/" + std::string(key) + "/variable",
                      "belongs to a MAT file, but the matrix is given here; remove it.");
  }

  /// Methods are checked even if the cut is not known, with as many axes as their lists have.
  void checkCompensation() {
    const Json section = sectionWithDefaults(project_.document, "compensation");
    const Axes axes = partition_ ? Axes{partition_->interface.size()} : axesAsked(section);
    Checks checks;
    const CompensationMethodPtr method =
        parseCompensation(section, "/compensation",
                          {axes, good("loop") ? 1.0 / project_.loop.rate_hz : kUsualTick_s, project_.folder}, checks);
    std::vector<PlacedAddition> additions;
    if (!section.is_array() || section.size() == axes.count)
      additions = parseAdditions(section, "/compensation", axes, checks);
    findings_.collect([&] { checks.throwIfAny(); });
    if (method) project_.compensation.method = method;
    if (const std::string left_out = method ? leftOutWords(*method) : ""; !left_out.empty())
      note({left_out + " Its interface, parameters and real-time behaviour are checked when a test is armed."});
    if (!additions.empty()) {
      tellOfAdditions(additions);
      project_.compensation.method = withAdditions(project_.compensation.method, std::move(additions));
    }
    Eigen::VectorXd& added_s = project_.compensation.added_delay_s;
    added_s.setZero(static_cast<Eigen::Index>(axes.count));
    for (std::size_t i = 0; i < axes.count; ++i) {
      const Json& settings = section.is_array() ? section[std::min(i, section.size() - 1)] : section;
      read(settings, "added_delay_s", added_s[static_cast<Eigen::Index>(i)]);
    }
  }

  /// Note on additions that the analyses leave out.
  void tellOfAdditions(std::span<const PlacedAddition> additions) {
    std::string all;
    for (const PlacedAddition& addition : additions) all += (all.empty() ? "" : ", ") + describe(addition);
    note({"Additions change the command behind the compensation (" + all +
          "). Critical delay, roots, margins and the sampled loop do not include them: they describe the initial "
          "state, before learning."});
  }

  /// Requirements of the additions on the transfer system.
  void checkAdditions() {
    if (project_.coupling->springs(partition_->interface.size()).size() > 0 &&
        !additionsOf(*project_.compensation.method).empty())
      findings_.say("/compensation",
                    "adds learnt values to the command. Its convergence is known for tests with a motion target only; "
                    "use the scheme \"tracking\", or remove the additions.");
    for (const PlacedAddition& addition : additionsOf(*project_.compensation.method))
      findings_.collect([&] {
        const auto made = addition.spec->make(additionContext(project_, *partition_, addition));
        learns_for_good_ = learns_for_good_ || (addition.spec->adapts() && made->learnt() == 0);
      });
  }

  void checkTimes() {
    const LoopConfig& loop = project_.loop;
    if (loop.duration_s <= 0.0) return;
    const auto before = [&](double time_s, const std::string& where, double end_s, const std::string& length) {
      if (!(time_s < end_s))
        findings_.say(where, numberText(time_s) + " s is not before the end of the test (" + numberText(end_s) +
                                 " s); set it earlier, or lengthen " + length + ".");
    };
    const std::string length = loop.trials.count > 0 ? "/loop/trials/length_s" : "/loop/duration_s";
    const double from_s = good("coupling") ? project_.coupling->excitationFrom_s() : 0.0;
    const double excited_s = loop.excitation_s() - from_s;
    if (excited_s > 0.0 && loop.soft_start_s + loop.soft_end_s > excited_s)
      findings_.say("/loop/soft_end_s", "soft start and soft end take " +
                                            numberText(loop.soft_start_s + loop.soft_end_s) + " s of a test of " +
                                            numberText(excited_s) + " s; shorten them, or lengthen " + length + ".");
    if (good("analysis") && project_.analysis.start_s < from_s)
      note({"Figures and verdict start at " + numberText(project_.analysis.start_s) +
            " s, during the identification of the response to the commands; set /analysis/start_s to " +
            numberText(from_s) + " s or later."});
    if (loop.measured_from_s >= 0.0) before(loop.measured_from_s, "/loop/measured_from_s", loop.excitation_s(), length);
    if (good("analysis")) before(project_.analysis.start_s, "/analysis/start_s", loop.duration_s, length);
    if (loop.trials.count > 0) checkTrials();
  }

  void checkTrials() {
    const LoopConfig& loop = project_.loop;
    const TrialSpec& trials = loop.trials;
    if (std::abs(loop.duration_s - trials.duration_s()) > 0.5 / loop.rate_hz)
      findings_.say("/loop/duration_s",
                    "is " + numberText(loop.duration_s) + " s, but the trials with their pauses take " +
                        numberText(trials.duration_s()) + " s (/loop/trials); set it to 0 to use that duration.");
    const double least_s = std::max(1.0 / loop.rate_hz, good("safety") ? loop.stop_ramp_s : 0.0);
    if (trials.count > 1 && trials.pause_s < least_s)
      findings_.say("/loop/trials/pause_s",
                    "is " + numberText(trials.pause_s) + " s; the command needs " + numberText(least_s) +
                        " s to come to rest (/safety/stop_ramp_s), and the specimen needs more; lengthen the pause.");
    if (trials.length_s < kFewestTrialTicks / loop.rate_hz)
      findings_.say("/loop/trials/length_s", "is " + numberText(trials.length_s) +
                                                 " s, which is at this rate fewer than " +
                                                 numberText(kFewestTrialTicks) + " ticks; lengthen it.");
    if (good("coupling") && project_.coupling->site() != nullptr)
      findings_.say("/loop/trials",
                    "need a numerical substructure in HybridBench, but another program computes it (/coupling/scheme); "
                    "repeat the test in that program, and remove the trials.");
    if (project_.document.contains(Json::json_pointer("/analysis/face")))
      findings_.say("/loop/trials",
                    "repeat a test, but FACE (/analysis/face) needs tests that run once; remove one of the two.");
  }

  /// Trials keep the learnt values and can restore the best ones.
  void tellOfTrials() {
    const CompensationMethod& method = *project_.compensation.method;
    if (!method.notLoaded().empty()) return;  // what it learns is not known here
    if (project_.loop.trials.count < 2 || (!learns_for_good_ && (!method.adapts() || method.make()->learnt() > 0)))
      return;
    note(
        {"The trials keep the learnt values, but some cannot be restored. For these the last trial counts, even if "
         "another trial was better."});
  }

  void checkCoupling() {
    Checks checks;
    project_.coupling->check(partition_->interface.size(), project_.integrator, checks);
    if (good("loop")) project_.coupling->checkLoop(1.0 / project_.loop.rate_hz, project_.loop.duration_s, checks);
    if (good("excitation")) {
      std::vector<std::string> units;
      for (const SignalSpec& signal : project_.excitation.signals) units.push_back(signal.units);
      project_.coupling->checkSignals(partition_->interface, units, checks);
    }
    findings_.collect([&] { checks.throwIfAny(); }, "/coupling");
    Checks of_cut;
    findings_.collect([&] {
      project_.coupling->checkCut(*partition_, project_.partition, of_cut);
      of_cut.throwIfAny();
    });
    suits_ = of_cut.ok();
    if (project_.coupling->site() != nullptr && project_.document.contains("integrator"))
      note({"Another program computes the numerical substructure. The integrator of this project is not used."});
  }

  /// Each actuator must accept the command of the scheme for its axis: a motion, the force beside it, or a voltage.
  void checkCommands() {
    const std::vector<ActuatorSpec>& actuators = project_.twin.actuators;
    for (std::size_t a = 0; a < actuators.size() && a < project_.axes.size(); ++a) {
      const AxisSignals& axis = project_.axes[a];
      const SignalKind takes = actuators[a].model->command(axis.motion);
      if (takes == axis.command) continue;
      std::vector<std::string> fitting;
      for (const ActuatorEntry& entry : actuatorModels())
        if (parseActuator(withDefaults({{"model", entry.name}}, projectSchema().at("definitions").at("actuator")))
                .model->command(axis.motion) == axis.command)
          fitting.emplace_back(entry.name);
      findings_.say("/rig/actuators/" + std::to_string(a) + "/model",
                    "takes a " + std::string(facts(takes).name) + ", and the coupling scheme \"" +
                        std::string(project_.coupling->name()) + "\" commands a " +
                        std::string(facts(axis.command).name) + "; take " + quotedList(fitting, "or") +
                        ", or another scheme (/coupling/scheme).");
    }
  }

  /// Settings that need a target for the actuators.
  void checkBesideTracking() {
    note({"No actuator follows a computed motion. The critical delay assumes actuators that do."});
    const std::string scheme = "the coupling scheme \"" + std::string(project_.coupling->name()) + "\"";
    if (good("compensation") &&
        (project_.compensation.method->acts() || !project_.compensation.added_delay_s.isZero(0.0)))
      findings_.say("/compensation", "compensates the delay of actuators that follow a target, but with " + scheme +
                                         " there are none; set the method to \"none\", and remove the other settings.");
    if (good("excitation") && !project_.coupling->usesExcitation() && !project_.excitation.loads.empty())
      findings_.say("/excitation/loads",
                    "have no effect with " + scheme + ", which has its own loads (/coupling/loads); remove them.");
    if (!good("loop")) return;
    const std::string why =
        "the forces of the simulated whole structure, which " + scheme + " does not use; run on measured forces.";
    if (project_.loop.force_source == ForceSource::emulated)
      findings_.say("/loop/force_source", "is \"emulated\": " + why);
    if (project_.loop.measured_from_s >= 0.0) findings_.say("/loop/measured_from_s", "starts on " + why);
    if (project_.loop.trials.count > 0)
      findings_.say("/loop/trials",
                    "repeat a test, but " + scheme +
                        " needs a single test; remove them, or choose another scheme (/coupling/scheme).");
    if (project_.document.contains(Json::json_pointer("/analysis/face")))
      findings_.say("/analysis/face", "assesses the delay of actuators, but with " + scheme +
                                          " no actuator follows a target; remove it.");
  }

  /// Requirements of the scheme on the twin.
  void checkSpecimen() {
    if (project_.rig.use == RigUse::rig) return;
    findings_.collect([&] {
      Checks checks;
      project_.coupling->checkTwin(*partition_, project_.twin, 1.0 / project_.loop.rate_hz, checks);
      checks.throwIfAny();
    });
  }

  /// Settings that need an excited structure.
  void checkBesideExcitation() {
    const std::string scheme = "the coupling scheme \"" + std::string(project_.coupling->name()) + "\"";
    if (good("excitation") && !project_.excitation.signals.empty())
      findings_.say("/excitation/signals",
                    "have no effect: " + scheme + " moves without excitation; remove them and their loads.");
    if (!good("loop")) return;
    const std::string why = "the forces of the simulated whole structure, which " + scheme +
                            " does not have; run on "
                            "measured forces.";
    if (project_.loop.force_source == ForceSource::emulated)
      findings_.say("/loop/force_source", "is \"emulated\": " + why);
    if (project_.loop.measured_from_s >= 0.0) findings_.say("/loop/measured_from_s", "starts on " + why);
  }

  /// Signals of the rig, besides motion and force, that the scheme reads must exist.
  void checkColumnsRead() {
    const std::vector<Channel> there = furtherChannels(project_, *partition_);
    for (const std::string& name : project_.coupling->reads(partition_->interface.size()))
      if (std::ranges::find(there, name, &Channel::name) == there.end())
        findings_.say(
            "/coupling/scheme",
            "is \"" + std::string(project_.coupling->name()) + "\", which reads \"" + name +
                "\" of the rig, but the rig has no such signal. On the twin, add a compliance spring (\"spring\" of "
                "each actuator in /rig/actuators). On a rig, add a monitor channel of that name, in SI.");
  }

  /// At least ten ticks per period of the lowest mode. Further requirements of the scheme come from the integrator.
  void checkRate() {
    const double step_rate_hz = project_.loop.rate_hz / project_.integrator.ticks_per_step;
    double lowest_hz = 0.0;
    findings_.collect([&] { lowest_hz = lowestModes(partition_->reference, 1).frequency_hz[0]; });
    if (!(lowest_hz <= 0.1 * step_rate_hz)) {
      findings_.say("/loop/rate_hz",
                    numberText(step_rate_hz) +
                        " steps per second are too slow for the structure, whose lowest natural "
                        "frequency is " +
                        numberText(lowest_hz) +
                        " Hz; at least ten steps per period are needed. Raise the rate, or make the structure softer "
                        "or heavier.");
      return;
    }
    if (!good("coupling")) return;  // the part that is integrated is not known
    const double tick_s = 1.0 / project_.loop.rate_hz;
    findings_.collect([&] {
      const SystemMatrices integrated =
          project_.coupling->integrated(reduceSides(*partition_, project_.partition.numerical, {}));
      if (isSymmetric(partition_->reference) && !isSymmetric(integrated))
        throw InputError("/partition",
                         "gives the numerical substructure a damping matrix that is not symmetric, although that of "
                         "the structure is. The integrator of the coupling scheme \"" +
                             std::string(project_.coupling->name()) +
                             "\" needs a symmetric one. Choose another cut, or a scheme that does not integrate the "
                             "interface, such as \"force\" (/coupling/scheme).");
      makeIntegrator(project_.integrator, integrated, tick_s);
    });
    if (findings_.clean("/integrator") && findings_.clean("/partition/reduction"))
      findings_.collect([&] { makeIntegrator(project_.integrator, partition_->reference, tick_s); });
  }

  /// What the linear model of the specimen omits if the specimen has laws.
  void tellOfLaws() {
    std::string laws;
    for (const SpecimenLawSpec& law : project_.twin.laws) laws += (laws.empty() ? "" : ", ") + describe(law);
    note({"The specimen has laws in addition to its linear model (" + laws +
          "). Critical delay, roots and margins do not include them. There is no reference motion, because the uncut "
          "model lacks the laws."});
    const std::string why = "forces of the simulated whole structure, which lacks the specimen's laws (" + laws +
                            "); use measured forces, or remove the laws from /rig/specimen.";
    if (!good("loop")) return;
    if (project_.loop.force_source == ForceSource::emulated)
      findings_.say("/loop/force_source", "is \"emulated\": " + why);
    if (project_.loop.measured_from_s >= 0.0) findings_.say("/loop/measured_from_s", "starts on emulated " + why);
  }

  /// Counts, sensors, delays and stability of the simulated rig.
  void checkTwin() {
    collectAxes([&] {
      const Partition reduced = reduceSides(*partition_, {}, project_.partition.physical);
      requireFewerModes(reduced);
      makeTwin(reduced, sensedTwin(project_, *partition_), 1.0 / project_.loop.rate_hz);
      if (good("coupling") && isSensed(project_)) interfaceSensing(project_, *partition_);
    });
  }

  /// Refuses a specimen that is too large for the twin, or has internal modes that are too fast for a tick, as a fine
  /// mesh has. Offers the largest useful number of modes.
  void requireFewerModes(const Partition& reduced) {
    const std::string where = "/partition/reduction/physical";
    if (reduced.physical.size() > kLargestTwin)
      throw InputError(where, "is needed: the specimen has " + std::to_string(reduced.physical.size()) +
                                  " degrees of freedom, but the digital twin supports at most " +
                                  std::to_string(kLargestTwin) + "; give " +
                                  textOf(fittingReduction().value_or(kSomeModes)) + ".");
    const double hz = fastestSpecimenRoot(reduced, project_.twin.specimen) / kTwoPi,
                 allowed_hz = fastestRoot(1.0 / project_.loop.rate_hz) / kTwoPi;
    if (hz <= allowed_hz) return;
    // The mesh is too fine if fewer modes help. If only static condensation would help, a value is wrong, and the twin
    // names it.
    if (const std::optional<Reduction> remedy = fittingReduction();
        remedy && remedy->method == Reduction::Method::craig_bampton)
      throw InputError(where, "is needed: the specimen has internal modes up to " + numberText(hz) +
                                  " Hz, but the rate allows only " + numberText(allowed_hz) + " Hz; give " +
                                  textOf(*remedy) + ".");
  }

  /// A reduction of the specimen whose roots a tick can follow; none if even the fastest of a few modes is too fast.
  std::optional<Reduction> fittingReduction() const {
    const double rate_hz = project_.loop.rate_hz;
    const auto fits = [&](const Reduction& reduction) {
      return fastestSpecimenRoot(reduceSides(*partition_, {}, reduction), project_.twin.specimen) <=
             fastestRoot(1.0 / rate_hz);
    };
    const double worth_hz = 0.1 * rate_hz;  // faster modes have fewer than ten ticks per cycle
    const Eigen::VectorXd clamped_hz =
        clampedFrequencies(partition_->physical, partition_->interface_in_physical, kLargestTwin / 2);
    const auto below = static_cast<int>((clamped_hz.array() < worth_hz).count());
    int modes = std::clamp(2 * below, 1, static_cast<int>(std::max<Eigen::Index>(clamped_hz.size(), 1)));
    for (; modes > 0; modes /= 2)
      if (const Reduction reduction{Reduction::Method::craig_bampton, modes}; fits(reduction)) return reduction;
    const Reduction statics{Reduction::Method::static_condensation, 0};
    return fits(statics) ? std::optional(statics) : std::nullopt;
  }

  /// Limits on further signals of scheme and rig.
  void checkLimitedSignals() {
    for (std::size_t l = 0; l < project_.limits.size(); ++l) {
      Limit& limit = project_.limits[l];
      if (!limit.quantity->of_column) continue;
      std::vector<std::string> known;
      for (const Channel& channel : furtherChannels(project_, *partition_)) {
        known.push_back(channel.name);
        if (channel.name == limit.channel) limit.channel_units = channel.units;
      }
      if (std::find(known.begin(), known.end(), limit.channel) == known.end())
        findings_.say("/safety/limits/" + std::to_string(l) + "/channel",
                      unknownName(limit.channel, "further signal of this project", known));
    }
  }

  /// Parts that the analyses treat as linear.
  void tellOfSuspensions() {
    for (std::size_t i = 0; i < project_.twin.actuators.size(); ++i)
      if (project_.twin.actuators[i].model->law())
        note({"Actuator " + std::to_string(i + 1) +
              " has a stiffening suspension. Critical delay, roots and margins use its stiffness at rest."});
  }

  void checkLimits() {
    const auto count = static_cast<int>(partition_->interface.size());
    for (std::size_t l = 0; l < project_.limits.size(); ++l)
      if (project_.limits[l].interface > count)
        findings_.say("/safety/limits/" + std::to_string(l) + "/interface",
                      "there is no interface " + std::to_string(project_.limits[l].interface) + "; the cut has " +
                          std::to_string(count) + ". Give its number from 1, or 0 for each of them.");
      else if (project_.limits[l].quantity->ofAxis())
        checkKind(project_.limits[l], "/safety/limits/" + std::to_string(l));
  }

  /// A threshold in metres does not apply to a rotation.
  void checkKind(const Limit& limit, const std::string& where) {
    for (std::size_t i = 0; i < project_.axes.size(); ++i) {
      const AxisSignals& axis = project_.axes[i];
      const auto number = static_cast<int>(i) + 1;
      const bool watched = std::any_of(project_.limits.begin(), project_.limits.end(), [&](const Limit& other) {
        return other.quantity == limit.quantity && other.covers(number, axis);
      });
      if ((limit.interface != 0 && limit.interface != number) || watched) continue;
      const SignalKind kind = limit.quantity->signal(axis);
      const std::string there = "interface " + std::to_string(number) + " (" + axis.name + "), where it is on a " +
                                std::string(facts(kind).name) + " in " + std::string(limit.quantity->unitOf(kind));
      const std::string key = quotedList({std::string(limit.quantity->thresholdOf(kind))});
      if (limit.interface > 0)
        findings_.say(where + "/" + std::string(limit.thresholdKey()),
                      "does not apply to " + there + "; give " + key + " instead.");
      else
        note({"The limit on " + words(*limit.quantity) + " in " + std::string(limit.unit()) + " does not cover " +
              there + "; add a limit with " + key + " for it."});
    }
  }

  const std::set<std::string>& broken_;
  Project& project_;
  std::vector<Issue>& issues_;
  Findings findings_;
  std::optional<Model> model_;
  bool suits_ = true;                           // the cut suits the coupling scheme
  bool learns_for_good_ = false;                // an addition learns, but cannot store its learnt values
  std::optional<Partition> whole_, partition_;  // by interface DOF; by actuator axes
};

}  // namespace

void Findings::say(const std::string& where, std::string message) {
  for (const Issue& issue : issues_)
    if (issue.where == where && issue.message == message) return;
  issues_.push_back({where, std::move(message)});
}

void Findings::collect(const std::function<void()>& work, const std::string& prefix) {
  try {
    work();
  } catch (const InputError& error) {
    for (const Issue& issue : error.issues()) say(prefix + issue.where, issue.message);
  }
}

bool Findings::clean(const std::string& prefix) const {
  return std::none_of(issues_.begin(), issues_.end(), [&](const Issue& i) { return i.where.starts_with(prefix); });
}

std::string someOf(const std::vector<std::string>& words, const std::string& joint) {
  if (words.size() <= kNamed) return quotedList(words, joint);
  std::string text;
  for (std::size_t i = 0; i < kNamed; ++i) text += "\"" + words[i] + "\", ";
  return text + "... (" + std::to_string(words.size()) + " in all)";
}

std::string unknownName(const std::string& name, const std::string& what, const std::vector<std::string>& known) {
  return "\"" + name + "\" is no " + what + ". " + hint(name, known) +
         (known.empty() ? "There is none yet: add one first." : "There are " + someOf(known, "and") + ".");
}

void checkMeaning(const std::set<std::string>& broken, Project& project, std::vector<Issue>& issues) {
  MeaningCheck(broken, project, issues).run();
}

}  // namespace hyb
