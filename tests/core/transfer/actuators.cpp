#include "core/transfer/actuator.h"

#include <cmath>
#include <complex>
#include <numbers>

#include "core/base/json.h"
#include "core/project/project.h"
#include "core/transfer/actuator_like.h"
#include "core/transfer/command_response.h"
#include "core/transfer/servo_hydraulic.h"
#include "tests/support/compare.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double pi = std::numbers::pi;

/// Displacement of the servo, t after its command stepped from 0 to 1.
double stepResponse(const ServoParams& servo, double gain, double t) {
  if (t <= 0.0) return 0.0;
  const double w = 2.0 * pi * servo.natural_frequency_hz, z = servo.damping_ratio;
  const double root = std::sqrt(1.0 - z * z);
  return gain * (1.0 - std::exp(-z * w * t) * (std::cos(w * root * t) + z / root * std::sin(w * root * t)));
}

/// A mass of 20 kg on spring and damper, all of it on the rig.
Partition pushedMass() {
  Partition cut;
  cut.interface = {{"a"}};
  cut.interface_in_reference = cut.interface_in_numerical = cut.interface_in_physical = {0};
  cut.physical.dofs = {{"a"}};
  cut.physical.m = Eigen::MatrixXd{{20.0}}.sparseView();
  cut.physical.c = Eigen::MatrixXd{{300.0}}.sparseView();
  cut.physical.k = Eigen::MatrixXd{{5e5}}.sparseView();
  cut.physical.m_support = cut.physical.c_support = cut.physical.k_support = Eigen::MatrixXd::Zero(1, 0);
  cut.numerical = cut.reference = cut.physical;
  return cut;
}

HydraulicParams dampedPiston() {
  HydraulicParams params;
  params.piston_mass_kg = 5.0;
  params.piston_damping_n_s_per_m = 800.0;
  params.piston_stiffness_n_per_m = 2e6;
  return params;
}

/// Motion of the mass over the command: feedback(gain a1b0/S, feedback(1/((s + a3) (E + P)), a2 s)), E of the specimen
/// and P of the piston (Araya 2023, section 4.3).
std::complex<double> hydraulicResponse(const HydraulicParams& p, double gain, std::complex<double> s) {
  const std::complex<double> valve = s * s + p.b1 * s + p.b2, specimen = 20.0 * s * s + 300.0 * s + 5e5,
                             piston =
                                 p.piston_mass_kg * s * s + p.piston_damping_n_s_per_m * s + p.piston_stiffness_n_per_m;
  return gain * p.a1b0 / (valve * ((s + p.a3) * (specimen + piston) + p.a2 * s) + p.a1b0);
}

}  // namespace

class TestActuators : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void pistonDampingAndStiffnessHaveTheClosedForm() {
    TwinParams params;
    for (const double mass_kg : {0.0, 5.0}) {
      HydraulicParams p = dampedPiston();
      p.piston_mass_kg = mass_kg;
      params.actuators = {{.model = servoHydraulic(p), .gain = 1.03}};
      const ActuatorTransfer transfer = transferOf(params.actuators[0]);
      QCOMPARE(transfer.denominator.size(), std::size_t{mass_kg > 0.0 ? 6U : 5U});
      for (const std::complex<double> s :
           {std::complex<double>(0.0, 0.0), {0.0, 25.0}, {0.0, 400.0}, {-30.0, 500.0}, {20.0, 3000.0}}) {
        const std::complex<double> expected = hydraulicResponse(p, 1.03, s),
                                   found = commandResponse(pushedMass(), params, s)(0, 0);
        compare(std::abs(found / expected - 1.0), 0.0, 1e-12, "response");
        const std::complex<double> load = (s * s + p.b1 * s + p.b2) * (s + p.a3) / p.a1b0;
        compare(std::abs(evaluate(transfer.load, s).value / load - 1.0), 0.0, 1e-12, "compliance");
      }
    }
    // Without a specimen, at rest.
    const ActuatorTransfer free = transferOf(params.actuators[0]);
    compareRelative(free.numerator[0] / free.denominator[0], 1.03 / (1.0 + 3.3 * 9.9976e4 * 2e6 / 2.1283e13), 1e-14,
                    "gain at rest");
  }

  /// A sine in steady state: the closed form times that of the held command, which is all that the tick adds.
  void pistonDampingAndStiffnessActInTheTwin() {
    constexpr double tick_s = 2.5e-4;
    constexpr int settle = 8000, whole = 4000;
    TwinParams params;
    params.actuators = {{.model = servoHydraulic(dampedPiston()), .gain = 1.03}};
    HydraulicParams without = dampedPiston();
    without.piston_damping_n_s_per_m = without.piston_stiffness_n_per_m = 0.0;
    for (const double frequency_hz : {4.0, 20.0, 60.0}) {
      const double w = 2.0 * pi * frequency_hz, half = 0.5 * w * tick_s;
      TwinBench bench(params, tick_s, pushedMass());
      std::complex<double> motion = 0.0, force = 0.0;
      for (int k = 0; k < settle + whole; ++k) {
        bench.tick();
        const std::complex<double> turn = std::polar(1.0, w * bench.time());
        if (k >= settle) {
          motion += 2.0 / whole / turn * bench.state.measured[0];
          force += 2.0 / whole / turn * bench.state.force[0];
        }
        bench.command.position[0] = 1e-3 * turn.real();
      }
      const std::complex<double> s(0.0, w), held = std::polar(1e-3 * std::sin(half) / half, -half);
      compare(std::abs(motion / (held * hydraulicResponse(dampedPiston(), 1.03, s)) - 1.0), 0.0, 1e-8, "motion");
      QVERIFY(std::abs(motion / (held * hydraulicResponse(without, 1.03, s)) - 1.0) > 0.05);
      // The load cell reads the specimen alone.
      compare(std::abs(force / (-(20.0 * s * s + 300.0 * s + 5e5) * motion) - 1.0), 0.0, 1e-5, "force");
    }
  }

  /// As before these settings: the law of the piston and the transfer function, to the last bit.
  void withoutPistonDampingAndStiffnessTheBitsAreTheSame() {
    for (const double mass_kg : {0.0, 1.0, 7.3}) {
      HydraulicParams p;
      p.piston_mass_kg = mass_kg;
      const ActuatorModelPtr model = servoHydraulic(p);
      const Eigen::RowVectorXd law = model->block(1.0, 1e-3).law;
      for (Eigen::Index k = 0; k < law.size(); ++k) QVERIFY(law[k] == (k == 5 ? 1.0 : 0.0) && !std::signbit(law[k]));
      std::vector<double> valve{p.b2, p.b1, 1.0};
      for (double& coefficient : valve) coefficient *= 1.0 / p.a1b0;
      std::vector<double> denominator = product(valve, {0.0, p.a2, p.a3 * mass_kg, mass_kg});
      denominator[0] += 1.0;
      while (denominator.back() == 0.0) denominator.pop_back();
      QVERIFY(model->transfer().denominator == denominator);
      QVERIFY(model->transfer().load == product(valve, {p.a3, 1.0}));
    }
    const Json without = templateDocument("benchmark-2020-sample")["rig"]["actuators"][0];
    Json zero = without;
    zero.update({{"piston_damping_n_s_per_m", 0}, {"piston_stiffness_n_per_m", 0}});
    QVERIFY(transferOf(parseActuator(zero)).denominator == transferOf(parseActuator(without)).denominator);
  }

  void faultsOfThePistonAreNamed() {
    for (const char* key : {"piston_damping_n_s_per_m", "piston_stiffness_n_per_m"}) {
      const std::string where = std::string("/rig/actuators/0/") + key;
      Json document = templateDocument("benchmark-2020-sample");
      Json& setting = document["rig"]["actuators"][0][key];
      setting = 1e5;
      QVERIFY(validate(document).empty());
      for (const Json& wrong : {Json(-1.0), Json(1e13), Json("1"), Json()}) {
        setting = wrong;
        const std::vector<Issue> issues = validate(document);
        QVERIFY2(!issues.empty() && issues.front().where == where, qPrintable(shown(issues)));
      }
    }
    HydraulicParams wrong;
    wrong.piston_damping_n_s_per_m = -1.0;
    wrong.piston_stiffness_n_per_m = std::numeric_limits<double>::quiet_NaN();
    Checks checks;
    servoHydraulic(wrong)->check(checks, 0.0, 1e-3);
    const std::vector<Issue> issues = issuesOf([&] { checks.throwIfAny(); });
    QCOMPARE(issues.size(), std::size_t{2});
    EXPECT_ISSUE(issues, "/piston_damping_n_s_per_m", "at least 0 N s/m");
    EXPECT_ISSUE(issues, "/piston_stiffness_n_per_m", "at least 0 N/m");
  }

  void servoStepResponseIsExact_data() {
    QTest::addColumn<double>("delay_ms");
    for (const double delay_ms : {0.0, 0.25, 0.5, 0.999, 1.0, 2.7, 3.0, 12.3})
      QTest::addRow("%g ms", delay_ms) << delay_ms;
  }
  void servoStepResponseIsExact() {
    QFETCH(double, delay_ms);
    TwinParams params = twoActuators();
    for (ActuatorSpec& actuator : params.actuators) actuator.delay_s = delay_ms * 1e-3;
    params.actuators[1].gain = 0.9;
    const ServoParams servos[] = {{28.0, 0.7}, {26.6, 0.7}};
    TwinBench twin(params, 1e-3);
    // Two steps, so that the state at the switch is not rest.
    for (int k = 0; k < 200; ++k) {
      twin.tick();
      for (Eigen::Index i = 0; i < 2; ++i) {
        const double t = twin.time() - delay_ms * 1e-3, gain = params.actuators[static_cast<std::size_t>(i)].gain;
        const double expected = stepResponse(servos[i], gain, t) - 2.5 * stepResponse(servos[i], gain, t - 0.013);
        QVERIFY2(std::abs(twin.state.measured[i] - expected) < 1e-12,
                 qPrintable(QString("tick %1: %2").arg(k).arg(twin.state.measured[i] - expected)));
      }
      twin.command.position.setConstant(k < 13 ? 1.0 : -1.5);
    }
  }

  /// Reference note, section 6: delay from z to x with the held command, servo 28 and 26.6 Hz, 70 %, 0.5 ms.
  void heldSineLagsAsPublished_data() {
    QTest::addColumn<double>("frequency_hz");
    QTest::addColumn<double>("delay_1_ms");
    QTest::addColumn<double>("delay_2_ms");
    QTest::newRow("5 Hz") << 5.0 << 9.044 << 9.477;
    QTest::newRow("8 Hz") << 8.0 << 9.172 << 9.625;
    QTest::newRow("10 Hz") << 10.0 << 9.283 << 9.752;
  }
  void heldSineLagsAsPublished() {
    QFETCH(double, frequency_hz);
    QFETCH(double, delay_1_ms);
    QFETCH(double, delay_2_ms);
    TwinBench twin(twoActuators(), 1e-3);
    const double w = 2.0 * pi * frequency_hz;
    std::complex<double> answer[2];
    for (int k = 0; k < 3000; ++k) {  // the start has decayed by e^-120 after 1 s; then whole periods
      twin.tick();
      if (k >= 1000)
        for (Eigen::Index i = 0; i < 2; ++i) answer[i] += twin.state.measured[i] * std::polar(1.0, -w * twin.time());
      twin.command.position.setConstant(1e-3 * std::sin(w * twin.time()));
    }
    const auto delay_ms = [&](int i) { return -(std::arg(answer[i]) + 0.5 * pi) / w * 1e3; };
    // Half a unit of the last digit given, and a little for the images of the held command.
    QVERIFY2(std::abs(delay_ms(0) - delay_1_ms) < 6e-4, qPrintable(QString::number(delay_ms(0), 'f', 5)));
    QVERIFY2(std::abs(delay_ms(1) - delay_2_ms) < 6e-4, qPrintable(QString::number(delay_ms(1), 'f', 5)));
  }

  void pureDelayInterpolatesBetweenCommands_data() {
    QTest::addColumn<double>("delay_ms");
    for (const double delay_ms : {1.0, 1.5, 2.0, 6.475, 9.25}) QTest::addRow("%g ms", delay_ms) << delay_ms;
  }
  void pureDelayInterpolatesBetweenCommands() {
    QFETCH(double, delay_ms);
    TwinParams params;
    params.actuators = {lateBy(delay_ms * 1e-3)};
    TwinBench twin(params, 1e-3);
    const auto zigzag = [](double t) { return t < 0.0 ? 0.0 : (t < 0.02 ? t : 0.04 - t); };  // straight between ticks
    for (int k = 0; k < 40; ++k) {
      twin.tick();
      QVERIFY(std::abs(twin.state.measured[0] - zigzag(twin.time() - delay_ms * 1e-3)) < 1e-15);
      twin.command.position.setConstant(zigzag(twin.time()));
    }
  }

  /// The rate travels by itself: with u = 0 and a constant u', only the dampers of 30 N s/m answer at first.
  void pureDelayCarriesTheRateOfItsOwn() {
    TwinParams params;
    params.actuators = {lateBy(2e-5)};
    TwinBench twin(params, 1e-5);
    twin.command.rate << 0.1, 0.1;
    for (int k = 0; k < 4; ++k) twin.tick();
    QCOMPARE(twin.state.measured[0], 0.0);
    // After one tick on the move m3 has taken up 60/2.2 * 1e-5 of the speed.
    QVERIFY(std::abs(twin.state.force[0] + 3.0) < 3.0 * 1e-3);
  }

  void idealReachesItsCommandWithinTheTick() {
    TwinParams params;
    params.actuators = {{.model = idealActuator()}};
    TwinBench twin(params, 1e-3);
    double last = 0.0;
    for (int k = 0; k < 50; ++k) {
      twin.tick();
      QCOMPARE(twin.state.measured[0], last);
      QCOMPARE(twin.state.measured[1], -last);
      last = 1e-3 * std::sin(0.3 * k);
      twin.command.position << last, -last;
    }
  }

  /// Each actuator keeps its own model; none feels the specimen.
  void modelsMix() {
    TwinParams mixed = twoActuators(), delays = twoActuators();
    mixed.actuators[1] = lateBy(0.0033);
    delays.actuators = {mixed.actuators[1]};
    TwinBench both(mixed, 1e-3), servo(twoActuators(), 1e-3), delay(delays, 1e-3);
    for (int k = 0; k < 200; ++k) {
      for (TwinBench* twin : {&both, &servo, &delay}) {
        twin->tick();
        twin->command.position << 1e-3 * std::sin(0.1 * k), 1e-3 * std::sin(0.07 * k);
        twin->command.rate << 0.1 * std::cos(0.1 * k), 0.07 * std::cos(0.07 * k);
      }
      QVERIFY(std::abs(both.state.measured[0] - servo.state.measured[0]) < 1e-16);
      QCOMPARE(both.state.measured[1], delay.state.measured[1]);
    }
  }

  void oneActuatorStandsForAll() {
    TwinParams one = twoActuators(), two = twoActuators();
    one.actuators.resize(1);
    two.actuators[1] = two.actuators[0];
    TwinBench a(one, 1e-3), b(two, 1e-3);
    for (int k = 0; k < 100; ++k) {
      for (TwinBench* twin : {&a, &b}) {
        twin->tick();
        twin->command.position << 1e-3, -2e-3;
      }
      QVERIFY(a.state.measured == b.state.measured && a.state.force == b.state.force);
    }
  }

  /// Of one and of two poles: the settings of a project whose actuator answers so; none for any other.
  void actuatorsStandForTransferFunctions() {
    for (const ActuatorTransfer& transfer :
         {ActuatorTransfer{{45.0}, {50.0, 1.0}}, {{3.1e4}, {3e4, 250.0, 1.0}}, {{6e4}, {3e4, 700.0, 2.0}}}) {
      const std::optional<Json> settings = actuatorLike(transfer);
      QVERIFY(settings.has_value());
      const ActuatorSpec actuator = parseActuator(*settings);
      for (const double w : {0.0, 20.0, 150.0, 600.0}) {
        const std::complex<double> s(0.0, w), expected = response(transfer, s);
        QVERIFY(std::abs(actuator.gain * response(transferOf({.model = actuator.model}), s) - expected) <
                1e-12 * std::abs(expected));
      }
    }
    QVERIFY(!actuatorLike({{1.0, 2.0}, {3e4, 250.0, 1.0}}) && !actuatorLike({{1.0}, {1.0, 3.0, 3.0, 1.0}}));
    QVERIFY(!actuatorLike({{1.0}, {-5.0, 1.0}}) && !actuatorLike({{1.0}, {100.0, -5.0, 1.0}}));
  }

  void delaysSplitIntoTicks() {
    QCOMPARE(splitDelay(0.003, 0.001).ticks, std::size_t{3});  // 2.9999999999999996 by division
    QCOMPARE(splitDelay(0.003, 0.001).fraction, 0.0);
    QCOMPARE(splitDelay(0.0005, 0.001).ticks, std::size_t{0});
    QCOMPARE(splitDelay(0.0005, 0.001).fraction, 0.5);
    QCOMPARE(splitDelay(0.0, 0.001).fraction, 0.0);
  }
};

HYB_SUITE(actuators, TestActuators)
#include "actuators.moc"
