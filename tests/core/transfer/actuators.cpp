#include "core/transfer/actuator.h"

#include <cmath>
#include <complex>
#include <numbers>

#include "core/base/json.h"
#include "core/transfer/actuator_like.h"
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

}  // namespace

class TestActuators : public QObject {
  Q_OBJECT
 private Q_SLOTS:
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
