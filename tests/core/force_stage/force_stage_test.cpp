/// Stages between the measured force and the NS, and passivity control as one of them. Insam 2022, row V-23 of the
/// note's table D18; V-24, V-25 and V-29 stand in tests/papers.
#include <algorithm>
#include <array>

#include "core/base/allocation_guard.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/coupling/tracking.h"
#include "core/force_stage/passivity.h"
#include "core/project/schema.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"
#include "tests/support/three_mass.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kStageTick_s = 1e-3;

StageInput inputOf(double on_ps_n, double measured_rate, double target_rate) {
  const auto one = [](double value) { return Eigen::VectorXd::Constant(1, value); };
  return {one(-on_ps_n), one(measured_rate), one(target_rate)};
}
/// Stages of a project with these settings; the others have their defaults.
std::vector<ForceStageSpecPtr> stagesFrom(const Json& list) {
  Json stages = Json::array();
  for (const Json& settings : list)
    stages.push_back(withDefaults(settings, projectSchema().at("definitions").at("force_stage")));
  return parseForceStages({{"force_stages", std::move(stages)}});
}
/// What the stage takes off the force in this tick, N.
double dampingOf(ForceStage& stage, const StageInput& input) {
  Eigen::VectorXd force = input.force;
  stage.update(input, force);
  return input.force[0] - force[0];
}
/// As ForceStage::channels() lists them.
struct Shown {
  double damping, force, power, fed_j, taken_j;
};
Shown shown(const ForceStage& stage) {
  std::array<double, 5> v{};
  stage.readChannels(v);
  return {v[0], v[1], v[2], v[3], v[4]};
}

Json threeMassWith(const Json& stages) {
  Json document = templateDocument("three-mass");
  document["coupling"] = {{"scheme", "tracking"}, {"force_stages", stages}};
  return document;
}

/// Targets of a tracking scheme whose measured motion lags behind, on a spring.
std::vector<double> targetsOf(ForceStages stages, bool ahead, ForceSource source) {
  const Partition partition = cut(threeMass(), threeMassPartition());
  const auto scheme = makeTracking(partition, {.scheme = Scheme::rk4, .load = LoadOverTick::hold}, kStageTick_s,
                                   makeNoCompensator(), ahead, std::move(stages));
  scheme->reset();
  scheme->setForceSource(source);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(2);
  CouplingOutput output;
  output.command.position = output.command.rate = output.target = output.target_rate = output.reference = zero;
  RigState state{zero, zero};
  ExcitationValue excitation;
  excitation.support_m = excitation.support_mps = excitation.support_mps2 =
      Eigen::VectorXd::Zero(static_cast<Eigen::Index>(partition.reference.supports.size()));
  excitation.force_n = Eigen::VectorXd::Zero(partition.reference.size());
  std::vector<double> targets;
  std::vector<Eigen::VectorXd> commands(20, zero);
  for (int k = 0; k < 600; ++k) {
    state.measured = commands[static_cast<std::size_t>(k) % commands.size()];
    state.force = -3000.0 * state.measured;
    excitation.force_n.setConstant(5.0 * std::sin(0.02 * k));
    const AllocationGuard guard;
    scheme->update(state, excitation, output);
    if (guard.count() != 0) throw std::logic_error("the tick allocates");
    commands[static_cast<std::size_t>(k) % commands.size()] = output.command.position;
    targets.push_back(output.target[0]);
  }
  return targets;
}

ForceStages passivity(double gain_kg_per_s) {
  const std::vector<ForceStageSpecPtr> specs{parsePassivity({{"gain_kg_per_s", gain_kg_per_s}})};
  return {specs, 2, kStageTick_s};
}

}  // namespace

class ForceStageTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Energy fed in per cycle: pi k A^2 sin phi by a spring that lags, - pi m w^2 A^2 sin phi by a mass; none without
  /// lag.
  void v23EnergyOfALag_data() {
    QTest::addColumn<double>("stiffness");
    QTest::addColumn<double>("mass");
    QTest::addColumn<double>("lag");
    QTest::newRow("spring") << 8650.0 << 0.0 << 0.2;
    QTest::newRow("mass") << 0.0 << 2.0 << 0.2;
    QTest::newRow("no lag") << 8650.0 << 2.0 << 0.0;
  }
  void v23EnergyOfALag() {
    QFETCH(double, stiffness);
    QFETCH(double, mass);
    QFETCH(double, lag);
    constexpr double kAmplitude = 0.003, kOmega = kTwoPi * 4.0;
    constexpr int kCycle = 250;  // ticks
    const auto stage = makePassivity({.gain_kg_per_s = 0.0}, 1, kStageTick_s);
    for (int k = 0; k < 4 * kCycle; ++k) {
      const double phase = kOmega * k * kStageTick_s, late = phase - lag;
      const double force_n = (stiffness - mass * kOmega * kOmega) * kAmplitude * std::sin(late);
      dampingOf(*stage, inputOf(force_n, kAmplitude * kOmega * std::cos(late), kAmplitude * kOmega * std::cos(phase)));
    }
    const double expected = kPi * (stiffness - mass * kOmega * kOmega) * kAmplitude * kAmplitude * std::sin(lag);
    QVERIFY(std::abs(shown(*stage).fed_j / 4.0 - expected) <= 0.01 * std::abs(expected) + 1e-12);
  }

  void theLargestDampingHolds_data() {
    QTest::addColumn<bool>("before");
    QTest::newRow("magnitude before") << true;
    QTest::newRow("magnitude after") << false;
  }
  /// A throughput that changes its sign all the time: without the clamp the damping has no bound.
  void theLargestDampingHolds() {
    QFETCH(bool, before);
    const auto stage = makePassivity(
        {.throughput_time_s = 0.01, .magnitude_first = before, .damping_limit_kg_per_s = 50.0}, 1, kStageTick_s);
    double largest = 0.0;
    for (int k = 0; k < 5000; ++k) {
      const double phase = 0.05 * k;
      dampingOf(*stage, inputOf(20.0 * std::sin(phase - 0.4), 0.05 * std::cos(phase - 0.4), 0.05 * std::cos(phase)));
      largest = std::max(largest, shown(*stage).damping);
    }
    QCOMPARE(largest, 50.0);
  }

  void whatIsNotANumberStaysOutside() {
    const auto stage = makePassivity({}, 1, kStageTick_s);
    for (int k = 0; k < 100; ++k) dampingOf(*stage, inputOf(20.0, 0.06, 0.05));
    const Shown before = shown(*stage);
    Eigen::VectorXd force = Eigen::VectorXd::Constant(1, std::numeric_limits<double>::quiet_NaN());
    stage->update(inputOf(force[0], 0.06, 0.05), force);
    QVERIFY(std::isnan(force[0]));
    QCOMPARE(shown(*stage).fed_j, before.fed_j);
    QVERIFY(std::isfinite(dampingOf(*stage, inputOf(20.0, 0.06, 0.05))));
  }

  void trackingDampsMeasuredForcesAlone_data() {
    QTest::addColumn<bool>("ahead");
    QTest::newRow("usual") << false;
    QTest::newRow("ahead") << true;
  }
  /// The motion stays smaller where energy is taken out; emulated forces go through as they are.
  void trackingDampsMeasuredForcesAlone() {
    QFETCH(bool, ahead);
    const auto largest = [](const std::vector<double>& values) {
      return std::abs(*std::max_element(values.begin(), values.end(),
                                        [](double a, double b) { return std::abs(a) < std::abs(b); }));
    };
    const auto measured = [&](ForceStages stages) {
      return targetsOf(std::move(stages), ahead, ForceSource::measured);
    };
    const auto emulated = [&](ForceStages stages) {
      return targetsOf(std::move(stages), ahead, ForceSource::emulated);
    };
    QVERIFY(measured(passivity(0.0)) == measured({}));
    QVERIFY(largest(measured(passivity(1600.0))) < 0.9 * largest(measured({})));
    QVERIFY(emulated(passivity(1600.0)) == emulated({}));
  }

  /// In contact the reading with its offset, in flight the constant; found by the motion, from either side, and by the
  /// force, each with its hysteresis.
  void forceInContact() {
    const auto got = [](ForceStages& stages, double x_m, double reading_n) {
      Eigen::VectorXd force = Eigen::VectorXd::Constant(1, reading_n);
      stages.see(Eigen::VectorXd::Constant(1, x_m), force);
      return force[0];
    };
    const auto stagesOf = [](Json settings) {
      settings["stage"] = "contact-force";
      settings["offset_n"] = -7.0;
      settings["flight_n"] = -3.5;
      return ForceStages(stagesFrom(Json::array({settings})), 1, kStageTick_s);
    };
    for (const double side : {1.0, -1.0}) {
      ForceStages by_motion =
          stagesOf({{"gap_m", 0.01}, {"hysteresis_m", 1e-3}, {"side", side > 0 ? "below" : "above"}});
      QCOMPARE(got(by_motion, side * -0.0099, 20.0), -3.5);
      QCOMPARE(got(by_motion, side * -0.0100, 20.0), 13.0);
      QCOMPARE(got(by_motion, side * -0.0091, 20.0), 13.0);
      QCOMPARE(got(by_motion, side * -0.0089, 20.0), -3.5);
      QCOMPARE(got(by_motion, side * -0.0095, 20.0), -3.5);
    }
    ForceStages by_force = stagesOf({{"found_by", "force"}, {"threshold_n", 2.0}, {"hysteresis_n", 1.0}});
    QCOMPARE(got(by_force, 0.0, 5.4), -3.5);  // 1.9 N from flight
    QCOMPARE(got(by_force, 0.0, 5.6), -1.4);
    QCOMPARE(got(by_force, 0.0, 4.6), -2.4);
    QCOMPARE(got(by_force, 0.0, 4.4), -3.5);
    QVERIFY(std::isnan(got(by_force, 0.0, std::numeric_limits<double>::quiet_NaN())));
    std::array<double, 2> shows{};
    by_force.readChannels(shows);
    QCOMPARE(shows[0], 0.0);
    QCOMPARE(shows[1], -3.5);
  }

  /// Wherever it is listed, passivity control works with what it makes of the reading.
  void passivityControlSeesTheForceInContact() {
    const Json damping{{"stage", "passivity"}},
        contact{{"stage", "contact-force"}, {"gap_m", 0.0}, {"offset_n", -40.0}};
    const auto after = [&](const Json& list, double reading_n) {
      ForceStages stages(stagesFrom(list), 1, kStageTick_s);
      Eigen::VectorXd force;
      for (int k = 0; k < 1000; ++k) {
        force = Eigen::VectorXd::Constant(1, reading_n);
        stages.see(Eigen::VectorXd::Constant(1, -6e-5 * k - 1e-3), force);
        stages.update(Eigen::VectorXd::Constant(1, -0.05), false, force);
      }
      return force[0];
    };
    const double plain = after(Json::array({damping}), 20.0);
    QVERIFY(std::abs(plain - 20.0) > 0.5);
    QVERIFY(std::abs(after(Json::array({contact, damping}), 60.0) - plain) < 1e-12);
    QCOMPARE(after(Json::array({damping, contact}), 60.0), after(Json::array({contact, damping}), 60.0));
  }

  void aProjectThatAsksForTooMuchIsTold() {
    const auto issuesWith = [](const Json& stages) { return validate(threeMassWith(stages)); };
    QVERIFY(issuesWith({{{"stage", "passivity"}}}).empty());
    QVERIFY(
        issuesWith({{{"stage", "passivity"}, {"interface", 1}}, {{"stage", "passivity"}, {"interface", 2}}}).empty());
    EXPECT_ISSUE(issuesWith({{{"stage", "passivity"}, {"interface", 3}}}), "/coupling/force_stages/0/interface", "2");
    EXPECT_ISSUE(issuesWith({{{"stage", "passivity"}, {"interface", 1}}, {{"stage", "passivity"}}}),
                 "/coupling/force_stages/1/interface", "same force");
    const Json contact{{"stage", "contact-force"}, {"found_by", "force"}, {"threshold_n", 2}, {"hysteresis_n", 1}};
    QVERIFY(issuesWith({contact, {{"stage", "passivity"}}}).empty());
    EXPECT_ISSUE(issuesWith({{{"stage", "contact-force"}, {"found_by", "force"}, {"hysteresis_n", 2}}}),
                 "/coupling/force_stages/0/hysteresis_n", "less than the threshold");
    EXPECT_ISSUE(issuesWith({{{"stage", "pasivity"}}}), "/coupling/force_stages/0/stage", "passivity");
    EXPECT_ISSUE(issuesWith({{{"stage", "passivity"}, {"error_time_s", 0}}}), "/coupling/force_stages/0/error_time_s",
                 "greater than 0");
  }

  /// What can be tuned says where its words stand in the project, of the compensation as of a stage.
  void tunablesNameTheirPlaceInTheProject() {
    const Json document = threeMassWith({{{"stage", "passivity"}, {"interface", 2}}});
    const Project project = parseProject(document);
    const auto scheme = project.coupling->make({cut(threeMass(), threeMassPartition()),
                                                {},
                                                project.integrator,
                                                kStageTick_s,
                                                project.compensation.method->make(),
                                                nullptr});
    const std::vector<Tunable> tunables = scheme->tunables();
    QCOMPARE(tunables.back().name, std::string("passivity_gain_2"));
    QCOMPARE(tunables.back().field, std::string("/coupling/force_stages/0/gain_kg_per_s"));
    QVERIFY(tunables.front().field.starts_with("/compensation/"));
    scheme->tune(tunables.size() - 1, 0.0);
    QCOMPARE(scheme->channels().back().name, std::string("passivity_energy_2"));
  }
};

HYB_SUITE(force_stage, ForceStageTest)
#include "force_stage_test.moc"
