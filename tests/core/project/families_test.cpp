#include "core/project/families.h"
#include "core/project/coupling_schemes.h"

#include <algorithm>
#include <array>

#include "core/base/allocation_guard.h"
#include "core/compensation/feedback.h"
#include "core/force_stage/force_stage.h"
#include "core/loop/safety.h"
#include "core/project/reading.h"
#include "core/project/schema.h"
#include "core/rig/rig_spec.h"
#include "core/structure/interface_map.h"
#include "core/transfer/command_response.h"
#include "core/transfer/transfer_system.h"
#include "resources/resources.h"
#include "tests/support/accepted_plug_ins.h"
#include "tests/support/family_example.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kStep_s = 1e-3;

/// A sine on each axis; what is measured is not a number, so that nothing adapts.
InterfaceState sineAt(std::size_t axes, int tick, double omega) {
  const auto n = static_cast<Eigen::Index>(axes);
  const double t_s = tick * kStep_s;
  return {Eigen::VectorXd::Constant(n, 1e-3 * std::sin(omega * t_s)),
          Eigen::VectorXd::Constant(n, 1e-3 * omega * std::cos(omega * t_s)),
          Eigen::VectorXd::Constant(n, std::numeric_limits<double>::quiet_NaN())};
}
/// The same with a specimen that lags and is too small.
InterfaceState laggingAt(std::size_t axes, int tick, double omega) {
  InterfaceState state = sineAt(axes, tick, omega);
  state.measured.setConstant(0.9e-3 * std::sin(omega * (tick * kStep_s - 6e-3)));
  return state;
}

Command zeroCommand(std::size_t axes) {
  const auto n = static_cast<Eigen::Index>(axes);
  return {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
}

std::vector<double> adaptedOf(const Compensator& compensator) {
  std::vector<double> values(compensator.adapted().size());
  compensator.readAdapted(values);
  return values;
}

/// Everything that the safety chain sees at two interfaces is `value`, with either sign; counts where it is a number.
struct Seen {
  explicit Seen(double value) : values(Eigen::Vector2d(value, -value)), further{-value} {
    sample.command = sample.command_step = sample.command_rate = &values;
    sample.measured = sample.velocity = sample.force = sample.gap = &values;
    sample.further = further;
    sample.energy_error_j = -value;
    sample.energy_growth_per_s = value;
    if (std::isfinite(value))
      sample.missed_ticks = sample.link_errors = sample.stale_ticks = static_cast<std::int64_t>(value);
    sample.finite = isFinite(sample);
  }
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;
  Eigen::VectorXd values;
  std::array<double, 1> further;
  SafetySample sample;
};

}  // namespace

/// What holds for every member of every family; nothing here names one.
class FamiliesTest : public QObject {
  Q_OBJECT

  static CompensationMethodPtr parsed(const Json& section, std::size_t axes = 2) {
    Checks checks;
    const CompensationMethodPtr method =
        parseCompensation(section, "/compensation", {{axes}, kStep_s, kPlugIns}, checks);
    checks.throwIfAny();
    return loadedMethod(method);
  }
  /// Command over target, as it starts; of one with a feedback, the motion that it asks for over the target.
  static std::complex<double> responseOf(const CompensationMethod& method, std::size_t axis, double omega) {
    const auto sumOf = [&](const std::vector<double>& taps) {
      std::complex<double> response = taps.empty() ? 1.0 : 0.0;
      for (std::size_t j = 0; j < taps.size(); ++j)
        response += taps[j] * std::exp(std::complex<double>(0.0, -omega * kStep_s * static_cast<double>(j)));
      return response;
    };
    return sumOf(method.taps(axis)) / sumOf(feedbackOf(method, axis).measured);
  }
  /// Command as taps and feedback say, from rest; [tick], of one axis.
  static std::vector<double> toldCommands(const CompensationMethod& method, const std::vector<InterfaceState>& states) {
    const std::vector<double> taps = method.taps(0);
    const CommandFeedback taken = feedbackOf(method, 0);
    std::vector<double> told;
    for (std::size_t k = 0; k < states.size(); ++k) {
      double command = 0.0;
      for (std::size_t j = 0; j < std::min(taps.size(), k + 1); ++j) command += taps[j] * states[k - j].target[0];
      for (std::size_t j = 0; j < std::min(taken.measured.size(), k + 1); ++j)
        command -= taken.measured[j] * states[k - j].measured[0];
      for (std::size_t j = 0; j < std::min(taken.command.size(), k); ++j) command -= taken.command[j] * told[k - 1 - j];
      told.push_back(command);
    }
    return told;
  }
  static void methods() {
    QTest::addColumn<QString>("name");
    for (const CompensationEntry& entry : compensationMethods())
      QTest::newRow(entry.name.data()) << QString::fromUtf8(entry.name.data(), static_cast<int>(entry.name.size()));
  }
  /// The method of this row, as its schema's defaults make it.
  static Json settings() {
    QFETCH(QString, name);
    return exampleOf(branchOf("compensation", name.toStdString()));
  }

 private Q_SLOTS:
  void everyMemberHasABranchAndAHelpPage() {
    for (const Family& family : families())
      for (const FamilyMember& member : family.members) {
        const Json& branch = branchOf(std::string(family.name), member.name);
        QVERIFY(branch.contains("title"));
        for (const auto& [key, property] : branch.at("properties").items()) {
          const Json& field = resolvedNode(property);
          QVERIFY2(field.contains("title") && field.contains("description"), key.c_str());
        }
        const std::string page = helpText(member.page), title = branch.at("title");
        const bool of_its_own = member.page == std::string(family.name) + "/" + std::string(member.name);
        QVERIFY2(of_its_own || page.find(title) != std::string::npos, title.c_str());
      }
  }

  void defaultsParse_data() { methods(); }
  void defaultsParse() {
    const Json section = settings();
    const auto issues = checkSchema(section, projectSchema().at("definitions").at("compensation"));
    QVERIFY2(issues.empty(), issues.empty() ? "" : issues.front().message.c_str());
    const CompensationMethodPtr method = parsed(section);
    QVERIFY(method);
    QVERIFY(method->make());
    (void)boundedTunables(method->make()->tunables(), "/compensation", section);
    for (const Tunable& tunable : method->make()->tunables()) {
      const Json& field = resolvedNode(branchOf("compensation", section.at("method").get<std::string>())
                                           .at("properties")
                                           .at(tunable.field.substr(1)));
      QVERIFY2(field.contains("description"), tunable.field.c_str());
    }
  }

  void resetEqualsFresh_data() { methods(); }
  void resetEqualsFresh() {
    const CompensationMethodPtr method = parsed(settings());
    const auto used = method->make(), fresh = method->make();
    Command a = zeroCommand(2), b = zeroCommand(2);
    for (int k = 0; k < 500; ++k) used->update(laggingAt(2, k, 40.0), a);
    used->reset();
    for (int k = 0; k < 500; ++k) {
      used->update(laggingAt(2, k, 30.0), a);
      fresh->update(laggingAt(2, k, 30.0), b);
      QVERIFY(a.position == b.position && a.rate == b.rate);
    }
  }

  void restartKeepsWhatWasAdapted_data() { methods(); }
  void restartKeepsWhatWasAdapted() {
    const CompensationMethodPtr method = parsed(settings());
    const auto compensator = method->make();
    const std::vector<double> first = adaptedOf(*compensator);
    Command command = zeroCommand(2);
    for (int k = 0; k < 2000; ++k) compensator->update(laggingAt(2, k, 40.0), command);
    const std::vector<double> learnt = adaptedOf(*compensator);
    QCOMPARE(learnt != first, method->adapts());
    compensator->restart();
    QVERIFY(adaptedOf(*compensator) == learnt);
  }

  void whatWasLearntIsPutBack_data() { methods(); }
  void whatWasLearntIsPutBack() {
    const CompensationMethodPtr method = parsed(settings());
    const auto used = method->make(), other = method->make();
    Command command = zeroCommand(2);
    for (int k = 0; k < 2000; ++k) used->update(laggingAt(2, k, 40.0), command);
    std::vector<double> learnt(used->learnt()), again(learnt);
    used->readLearnt(learnt);
    other->setLearnt(learnt);
    other->readLearnt(again);
    QVERIFY(again == learnt);
    if (!learnt.empty()) QVERIFY(adaptedOf(*other) == adaptedOf(*used));
  }

  void whatIsNotANumberAdaptsNothing_data() { methods(); }
  void whatIsNotANumberAdaptsNothing() {
    const auto compensator = parsed(settings())->make();
    const std::vector<double> first = adaptedOf(*compensator);
    Command command = zeroCommand(2);
    for (int k = 0; k < 1000; ++k) compensator->update(sineAt(2, k, 40.0), command);
    QVERIFY(adaptedOf(*compensator) == first);
    QVERIFY(command.position.allFinite() && command.rate.allFinite());
  }

  void responseIsThatOfTheRunningMethod_data() { methods(); }
  void responseIsThatOfTheRunningMethod() {
    const CompensationMethodPtr method = parsed(settings());
    const auto compensator = method->make();
    const bool returns = !feedbackOf(*method, 0).measured.empty();
    if (returns) {
      std::vector<InterfaceState> states;
      for (int k = 0; k < 1000; ++k) states.push_back(laggingAt(2, k, 30.0));
      states.front().measured.setZero();  // at rest
      const std::vector<double> told = toldCommands(*method, states);
      Command command = zeroCommand(2);
      for (std::size_t k = 0; k < told.size(); ++k) {
        compensator->update(states[k], command);
        for (const double position : command.position) QVERIFY(std::abs(position - told[k]) < 1e-12);
      }
    }
    for (const double omega : {6.0, 30.0, 90.0}) {
      if (returns) break;
      compensator->reset();
      Command command = zeroCommand(2);
      int tick = 0;
      for (; tick < 1000; ++tick) compensator->update(sineAt(2, tick, omega), command);
      for (std::size_t i = 0; i < 2; ++i) {
        const std::complex<double> response = responseOf(*method, i, omega);
        const double expected =
            1e-3 * (response * std::exp(std::complex<double>(0.0, omega * (tick - 1) * kStep_s))).imag();
        const double scale = 1e-3 * std::abs(response);
        QVERIFY(std::abs(command.position[static_cast<Eigen::Index>(i)] - expected) < 1e-9 * scale);
      }
    }
    // Its lead is that of slow motion.
    constexpr double kSlow = 0.1;
    for (std::size_t i = 0; i < 2; ++i)
      QVERIFY(std::abs(std::arg(responseOf(*method, i, kSlow)) / kSlow - method->lead_s(i)) < 0.02 * kStep_s);
  }

  void oneForEachAxisIsTheSameAsOneForAll_data() { methods(); }
  void oneForEachAxisIsTheSameAsOneForAll() {
    const Json one = settings();
    const auto all = parsed(one)->make(), each = parsed(Json::array({one, one}))->make();
    QCOMPARE(each->adapted().size(), all->adapted().size());
    Command a = zeroCommand(2), b = zeroCommand(2);
    for (int k = 0; k < 2000; ++k) {
      InterfaceState state = laggingAt(2, k, 40.0);
      state.measured[1] *= 1.2;
      all->update(state, a);
      each->update(state, b);
      QVERIFY(a.position == b.position && a.rate == b.rate);
    }
    const std::vector<double> together = adaptedOf(*all), apart = adaptedOf(*each);
    QVERIFY(together == apart);
    std::set<std::string> names;
    for (const Tunable& tunable : each->tunables()) QVERIFY2(names.insert(tunable.name).second, tunable.name.c_str());
  }

  void allocatesNothing_data() { methods(); }
  void allocatesNothing() {
    const Json one = settings();
    for (const Json& section : {one, Json(Json::array({one, one}))}) {
      const auto compensator = parsed(section)->make();
      Command command = zeroCommand(2);
      std::vector<double> adapted(compensator->adapted().size());
      const std::vector<Tunable> tunables = compensator->tunables();
      InterfaceState state = laggingAt(2, 0, 40.0);
      const AllocationGuard guard;
      for (int k = 0; k < 1000; ++k) {
        state.target.setConstant(1e-3 * std::sin(0.04 * k));
        state.target_rate.setConstant(0.04 * std::cos(0.04 * k));
        state.measured.setConstant(0.9e-3 * std::sin(0.04 * k - 0.2));
        compensator->update(state, command);
        compensator->readAdapted(adapted);
        for (std::size_t t = 0; t < tunables.size(); ++t) compensator->tune(t, tunables[t].value);
        if (k == 500) compensator->restart();
      }
      QCOMPARE(guard.count(), std::uint64_t{0});
    }
  }

  void limitsAskForWhatTheirBranchDescribes() {
    for (const LimitQuantity& quantity : limitQuantities()) {
      const Json& branch = branchOf("limit", quantity.name);
      const Json example = exampleOf(branch);
      QVERIFY2(checkSchema(example, projectSchema().at("definitions").at("limit")).empty(), example.dump().c_str());
      QCOMPARE(branch.at("properties").contains("interface"), quantity.ofAxis());
      QVERIFY(quantity.of_column || quantity.threshold.empty() == quantity.unit.empty());
      QVERIFY(!quantity.ofAxis() || quantity.threshold.empty());
      // One word for it in the form, in the list of limits and in what is told of it.
      QCOMPARE(QString::fromStdString(words(quantity)),
               QString::fromStdString(branch.at("title").get<std::string>()).toLower());
      // Each key is that of some kind of signal, with its unit, and is what the limit is read from.
      for (const auto& [key, property] : branch.at("properties").items()) {
        if (!key.starts_with("threshold")) continue;
        Json settings = example;
        for (const auto& field : example.items())
          if (field.key().starts_with("threshold")) settings.erase(field.key());
        settings[key] = 3.0;
        Json document = templateDocument("three-mass");
        document["safety"]["limits"] = Json::array({settings});
        Project project;
        parseSections(document,
                      {"structure", "partition", "excitation", "integrator", "coupling", "compensation", "rig",
                       "recording", "loop", "analysis", "meta"},
                      project);
        const Limit& limit = project.limits.at(0);
        QCOMPARE(limit.threshold, 3.0);
        QVERIFY2(limit.thresholdKey() == key, key.c_str());
        if (quantity.ofAxis())
          QCOMPARE(resolvedNode(property).at("x-unit").get<std::string>(), std::string(limit.unit()));
      }
      if (!quantity.isCondition())
        QVERIFY(std::ranges::any_of(example.items(), [](const auto& f) { return f.key().starts_with("threshold"); }));
      QVERIFY(limitQuantity(quantity.name) == &quantity);
    }
    QVERIFY_THROWS_EXCEPTION(InputError, limitQuantity("happiness"));
  }

  /// Built for the cut of the first template that suits; nothing outside computes.
  void schemesAreParsedAndMade() {
    for (const CouplingEntry& entry : couplingSchemes()) {
      Json settings = exampleOf(branchOf("coupling", entry.name));
      settings["scheme"] = entry.name;
      const auto setInterfaces = [&](std::size_t count) {
        if (settings.contains("stiffness_n_per_m"))
          settings["stiffness_n_per_m"] = std::vector<double>(count * count, 1.0);
      };
      setInterfaces(1);
      const CouplingSpecPtr asked = entry.parse(settings);
      const auto partitionOf = [](const Project& candidate) {
        return inActuatorAxes(cut(buildModel(candidate.structure), candidate.partition), candidate.partition.actuators);
      };
      const auto suits = [&](const Project& candidate) {
        Checks checks;
        asked->checkCut(partitionOf(candidate), {}, checks);
        return checks.ok();
      };
      Project project = parseProject(templateDocument("three-mass"));
      for (const Template& other : templates())
        if (!suits(project)) project = parseProject(templateDocument(other.name));
      QVERIFY2(suits(project), std::string(entry.name).c_str());
      if (asked->axisSignals(partitionOf(project).interface).front().command == SignalKind::force)
        project = parseProject(templateDocument("lumped-aff"));  // whose actuators take one: a model may be made of it
      const Partition partition = partitionOf(project);
      const std::size_t n = partition.interface.size();
      setInterfaces(n);
      QVERIFY2(checkSchema(settings, projectSchema().at("definitions").at("coupling")).empty(),
               settings.dump().c_str());
      const CouplingSpecPtr spec = entry.parse(settings);
      QVERIFY(spec->name() == entry.name);
      Checks checks;
      spec->check(n, project.integrator, checks);
      checks.throwIfAny();
      const auto exchange = spec->site() != nullptr ? std::make_shared<TargetExchange>(n) : nullptr;
      const auto scheme =
          spec->make({partition, {}, project.integrator, kStep_s, noCompensation()->make(), exchange, false, [&] {
                        return std::make_unique<TransferSystem>(partition, linearised(project.twin), kStep_s);
                      }});
      QCOMPARE(scheme->interfaces(), n);
      const std::vector<AxisSignals> axes = scheme->axisSignals(), announced = spec->axisSignals(partition.interface);
      QCOMPARE(axes.size(), n);
      QCOMPARE(announced.size(), n);
      for (std::size_t i = 0; i < n; ++i)
        QVERIFY(axes[i].name == announced[i].name && axes[i].motion == announced[i].motion &&
                axes[i].target == announced[i].target && axes[i].command == announced[i].command);
      const std::vector<Channel> own = scheme->channels(), named = spec->channels(n);
      QVERIFY(std::ranges::equal(own, named, {}, &Channel::name, &Channel::name));
      QVERIFY(scheme->reads() == spec->reads(n));
      std::vector<double> columns(own.size());
      scheme->readChannels(columns);
      if (exchange)
        QVERIFY_THROWS_EXCEPTION(
            InputError, spec->make({partition, {}, project.integrator, kStep_s, noCompensation()->make(), nullptr}));
    }
  }

  /// Of a specimen that lags and feeds energy in, at two interfaces: as new after a restart, bounded by what it is
  /// told, no allocation, and where it is on one interface the other's force goes through.
  void stagesAreParsedAndChangeTheForce() {
    for (const ForceStageEntry& entry : forceStages())
      for (const int interface : {0, 1, 2}) {
        Json settings = exampleOf(branchOf("force_stage", entry.name));
        settings["stage"] = entry.name;
        settings["interface"] = interface;
        QVERIFY2(checkSchema(settings, projectSchema().at("definitions").at("force_stage")).empty(), entry.name.data());
        const ForceStageSpecPtr spec = entry.parse(settings);
        QCOMPARE(spec->interface(), interface);
        const auto used = spec->make(2, kStep_s), fresh = spec->make(2, kStep_s);
        std::vector<double> shown(used->channels().size());
        const std::vector<Tunable> tunables = used->tunables();
        for (const Tunable& tunable : tunables) {
          QVERIFY(branchOf("force_stage", entry.name).at("properties").contains(tunable.field.substr(1)));
        }
        StageInput input{Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2)};
        Eigen::VectorXd force = input.force, force_fresh = force, measured = force;
        bool changed = false;
        const auto tick = [&](ForceStage& stage, int k, Eigen::VectorXd& given) {
          const double phase = 0.03 * k;
          input.force.setConstant(-20.0 * std::sin(phase - 0.4));
          input.measured_rate.setConstant(0.05 * std::cos(phase - 0.4));
          input.target_rate.setConstant(0.05 * std::cos(phase));
          measured.setConstant(0.02 * std::sin(phase - 0.4));
          given = input.force;
          stage.correct(measured, given);
          stage.update(input, given);
        };
        const AllocationGuard guard;
        for (int k = 0; k < 1000; ++k) {
          tick(*used, k, force);
          used->readChannels(shown);
          for (std::size_t t = 0; t < tunables.size(); ++t) used->tune(t, tunables[t].value);
          for (Eigen::Index i = 0; i < 2; ++i) {
            const bool own = interface == 0 || i == interface - 1;
            if (force[i] != input.force[i]) changed = true;
            QVERIFY(own || force[i] == input.force[i]);
          }
        }
        used->restart();
        for (int k = 0; k < 1000; ++k) {
          tick(*used, k, force);
          tick(*fresh, k, force_fresh);
          QVERIFY(force == force_fresh);
        }
        QCOMPARE(guard.count(), std::uint64_t{0});
        QVERIFY(changed);
      }
  }

  /// With nothing but an address, and with channels that say nothing of the protocol.
  void protocolsAreParsedAndAnswer() {
    for (const ProtocolEntry& entry : rigProtocols()) {
      const Json& branch = branchOf("connection", entry.name);
      Json connection = exampleOf(branch);
      if (branch.at("properties").contains("address")) connection["address"] = "tcp://rig:5000";
      QVERIFY2(checkSchema(connection, projectSchema().at("definitions").at("connection")).empty(), entry.name.data());
      RigSpec rig;
      rig.connection.address = connection.value("address", std::string());
      rig.connection.protocol = entry.parse(connection, Json::array());
      QVERIFY(rig.connection.protocol->name() == entry.name);
      Checks checks;
      rig.connection.protocol->check(rig, 1000.0, checks);
      if (!checks.ok()) QVERIFY_THROWS_EXCEPTION(InputError, checks.throwIfAny());
      rig.channels.resize(1);
      rig.connection.protocol = entry.parse(connection, Json::array({{{"name", "x"}}}));
      rig.connection.protocol->check(rig, std::nullopt, checks);
      if (const auto ticks = branch.at("properties").find("timeout_ticks"); ticks != branch.at("properties").end())
        QCOMPARE(rig.connection.protocol->timeoutTicks(), ticks->at("default").get<int>());
      else
        QCOMPARE(rig.connection.protocol->timeoutTicks(), 0);
      const std::string missing(rig.connection.protocol->missingStop());
      const bool named = std::ranges::any_of(branch.at("properties").items(), [&](const auto& field) {
        return missing.find('"' + field.key() + '"') != std::string::npos;
      });
      QCOMPARE(named, !missing.empty());
    }
  }

  /// Of what the chain sees, whatever a quantity reads: below its threshold, beyond it, and not a number.
  void limitsActInTheTickOfTheCrossing() {
    for (const LimitQuantity& quantity : limitQuantities()) {
      const double threshold = quantity.isCondition() ? 0.0 : 7.0;
      for (const int interface : quantity.ofAxis() ? std::vector<int>{0, 1, 2} : std::vector<int>{0}) {
        SafetyChain chain({{&quantity, interface, threshold, Action::ramp}}, std::vector<AxisSignals>(2), 1);
        const auto acts = [&](const Seen& seen) {
          return chain.check(seen.sample, 1, [](const Event&) noexcept {}) == Action::ramp;
        };
        QVERIFY2(!acts(Seen(0.0)), quantity.name.data());
        if (!quantity.isCondition()) {
          QVERIFY2(!acts(Seen(6.0)), quantity.name.data());
          QCOMPARE(acts(Seen(7.0)), quantity.counted);
          QVERIFY2(acts(Seen(8.0)), quantity.name.data());
          QVERIFY(chain.monitors()[0].value.load() == 8.0);
        } else if (quantity.status != RigStatus::ok) {
          Seen seen(0.0);
          seen.sample.rig_status = quantity.status;
          QVERIFY2(acts(seen), quantity.name.data());
          QVERIFY(chain.unwatched(quantity.status) == nullptr);
          QVERIFY(SafetyChain({}, {}, 1).unwatched(quantity.status) == &quantity);
        }
        QVERIFY(!acts(Seen(0.0)));
        // Whole numbers and statuses are always numbers.
        const bool measured = !quantity.counted || (quantity.isCondition() && quantity.status == RigStatus::ok);
        QCOMPARE(acts(Seen(std::numeric_limits<double>::quiet_NaN())), measured);
        if (quantity.ofAxis()) {
          Seen other(0.0);
          other.values[1] = 8.0;  // at the second interface alone
          QCOMPARE(acts(other), interface != 1);
        }
      }
    }
  }

  void limitsAllocateNothing() {
    std::vector<Limit> limits;
    for (const LimitQuantity& quantity : limitQuantities()) limits.push_back({&quantity, 0, 7.0, Action::indicate});
    SafetyChain chain(std::move(limits), std::vector<AxisSignals>(2), 1);
    const Seen below(1.0), beyond(8.0), broken(std::numeric_limits<double>::quiet_NaN());
    int events = 0;
    const AllocationGuard guard;
    for (int k = 0; k < 100; ++k)
      for (const Seen* seen : {&below, &beyond, &broken})
        chain.check(seen->sample, 1, [&](const Event&) noexcept { ++events; });
    QCOMPARE(guard.count(), std::uint64_t{0});
    QVERIFY(events > 0);
  }

  void aListThatDoesNotFitIsAFault() {
    const Json none = {{"method", "none"}};
    QVERIFY_THROWS_EXCEPTION(InputError, parsed(Json::array({none})));
    QVERIFY_THROWS_EXCEPTION(InputError, parsed(Json::array({none, none, none})));
    QVERIFY_THROWS_EXCEPTION(InputError, parsed({{"method", "perfect"}}));
  }
};

HYB_SUITE(families, FamiliesTest)
#include "families_test.moc"
