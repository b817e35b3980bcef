// Compliance springs of the twin: the specimen behind one, and what a load cell's noise does.
#include "core/base/json.h"
#include "core/rig/twin.h"
#include "core/structure/structure.h"
#include "core/transfer/servo_hydraulic.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kSprungTick_s = 1e-3, kSpecimen_n_per_m = 2e6, kSprung_n_per_m = 1e5;

/// One mass on a spring to the ground; all of it on the rig.
Partition oneSpecimen() {
  Partition cut;
  cut.interface = {{"a"}};
  cut.interface_in_reference = cut.interface_in_numerical = cut.interface_in_physical = {0};
  cut.physical.dofs = {{"a"}};
  cut.physical.m = Eigen::MatrixXd{{50.0}}.sparseView();
  cut.physical.c = Eigen::MatrixXd{{4000.0}}.sparseView();
  cut.physical.k = Eigen::MatrixXd{{kSpecimen_n_per_m}}.sparseView();
  cut.physical.m_support = cut.physical.c_support = cut.physical.k_support = Eigen::MatrixXd::Zero(1, 0);
  cut.numerical = cut.reference = cut.physical;
  return cut;
}

TwinParams sprungBy(ActuatorSpec actuator, bool noise_loads_piston = true) {
  actuator.spring = ComplianceSpring{kSprung_n_per_m, noise_loads_piston};
  TwinParams params;
  params.actuators = {actuator};
  return params;
}

struct SprungRun {
  std::vector<double> piston, force, specimen;
};
SprungRun driven(const TwinParams& params, double command_m, int ticks) {
  const auto twin = makeTwin(oneSpecimen(), params, kSprungTick_s);
  twin->open();
  RigState state{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
  const Command command{Eigen::VectorXd::Constant(1, command_m), Eigen::VectorXd::Zero(1)};
  SprungRun run;
  std::vector<double> columns(twin->channels().size());
  for (int k = 0; k < ticks; ++k) {
    (void)twin->read(state, k == 0 ? 0 : 1);
    twin->readChannels(columns);
    run.piston.push_back(state.measured[0]);
    run.force.push_back(state.force[0]);
    run.specimen.push_back(columns.back());
    (void)twin->write(command);
  }
  return run;
}

ActuatorSpec hydraulicOf10kg() { return {.model = servoHydraulic({.piston_mass_kg = 10.0})}; }

}  // namespace

class ComplianceSprings : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theSpecimenStandsBehind() {
    for (const ActuatorSpec& actuator : {ActuatorSpec{}, hydraulicOf10kg()}) {
      const TwinParams params = sprungBy(actuator);
      QCOMPARE(twinChannels(params, 1).back().name, std::string("specimen_1"));
      const SprungRun run = driven(params, 2e-3, 2000);
      const double piston = run.piston.back(), rests = piston * kSprung_n_per_m / (kSprung_n_per_m + kSpecimen_n_per_m);
      compareRelative(run.specimen.back(), rests, 1e-6, "specimen, m");
      compareRelative(run.force.back(), -kSpecimen_n_per_m * rests, 1e-6, "force on the NS, N");
      for (std::size_t k = 0; k < run.force.size(); ++k)  // the load cell reads the spring
        compare(run.force[k], kSprung_n_per_m * (run.specimen[k] - run.piston[k]), 1e-6, "force, N");
    }
  }

  /// The factors are the specimen's, not the spring's.
  void factorsLeaveTheSpringAlone() {
    TwinParams params = sprungBy({});
    params.specimen.stiffness_factor = 3.0;
    const SprungRun run = driven(params, 2e-3, 2000);
    compareRelative(run.specimen.back(), 2e-3 * kSprung_n_per_m / (kSprung_n_per_m + 3.0 * kSpecimen_n_per_m), 1e-6,
                    "specimen, m");
  }

  /// A law at the interface acts on the specimen.
  void lawsActOnTheSpecimen() {
    TwinParams params = sprungBy({});
    params.laws = {{parseSpecimenLaw(
        Json{{"law", "cubic"}, {"interface", 1}, {"cubic_n_per_m3", 1e14}, {"damping_n_s_per_m", 0.0}})}};
    const SprungRun run = driven(params, 2e-3, 3000);
    const double x = run.specimen.back();
    compareRelative(kSprung_n_per_m * (2e-3 - x), kSpecimen_n_per_m * x + 1e14 * x * x * x, 1e-3, "balance, N");
  }

  void noiseLoadsAPistonThatYields() {
    const auto spread = [](const TwinParams& params) {
      const SprungRun run = driven(params, 0.0, 4000);
      double sum = 0.0;
      for (const double x : run.piston) sum += x * x;
      return std::sqrt(sum / static_cast<double>(run.piston.size()));
    };
    TwinParams noisy = sprungBy(hydraulicOf10kg());
    noisy.force_sensor.noise_rms = 5.0;
    QVERIFY(spread(noisy) > 1e-9);
    TwinParams apart = sprungBy(hydraulicOf10kg(), false);
    apart.force_sensor.noise_rms = 5.0;
    QCOMPARE(spread(apart), 0.0);
    TwinParams given = sprungBy({});  // its motion is given
    given.force_sensor.noise_rms = 5.0;
    QCOMPARE(spread(given), 0.0);
  }

  /// An end stop is the piston's.
  void limitsAreThePistons() {
    ActuatorSpec actuator = hydraulicOf10kg();
    actuator.stroke_m = 1e-3;
    const SprungRun run = driven(sprungBy(actuator), 3e-3, 2000);
    compare(run.piston.back(), 1e-3, 1e-12, "piston, m");
    compareRelative(run.specimen.back(), 1e-3 / 21.0, 1e-3, "specimen, m");
  }

  void refusesASpringThatIsNone() {
    TwinParams params = sprungBy({});
    params.actuators[0].spring->stiffness_n_per_m = 0.0;
    try {
      makeTwin(oneSpecimen(), params, kSprungTick_s);
      QFAIL("accepted");
    } catch (const InputError& error) {
      QCOMPARE(error.issues().front().where, std::string("/rig/actuators/0/spring/stiffness_n_per_m"));
    }
  }
};

HYB_SUITE(compliance_springs, ComplianceSprings)
#include "compliance_springs.moc"
