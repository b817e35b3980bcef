#include <cmath>

#include "core/transfer/actuator.h"
#include "tests/support/suite.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;

class TestActuatorLimits : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void capacityFallsWithTheLoad() {
    ActuatorSpec actuator;
    QCOMPARE(velocityCapacity(actuator, 1e9), std::numeric_limits<double>::infinity());
    actuator.velocity_limit_m_per_s = 0.5;
    QCOMPARE(velocityCapacity(actuator, 1e9), 0.5);
    actuator.force_limit_n = 100.0;
    QCOMPARE(velocityCapacity(actuator, 0.0), 0.5);
    QCOMPARE(velocityCapacity(actuator, 75.0), 0.25);
    QCOMPARE(velocityCapacity(actuator, 100.0), 0.0);
    QCOMPARE(velocityCapacity(actuator, 500.0), 0.0);
    QCOMPARE(velocityCapacity(actuator, -50.0), 0.5);  // the load helps
    actuator.velocity_limit_m_per_s = std::numeric_limits<double>::infinity();
    QCOMPARE(velocityCapacity(actuator, 100.0), 0.0);
    QCOMPARE(velocityCapacity(actuator, 99.0), std::numeric_limits<double>::infinity());
  }

  void withinTheLimitsNothingChangesBitForBit() {
    TwinParams limited = twoActuators();
    for (ActuatorSpec& actuator : limited.actuators) {
      actuator.stroke_m = 0.025;
      actuator.velocity_limit_m_per_s = 0.5;
      actuator.force_limit_n = 250.0;
    }
    TwinBench a(limited, 1e-3), b(twoActuators(), 1e-3);
    for (int k = 0; k < 1000; ++k) {
      for (TwinBench* twin : {&a, &b}) {
        twin->tick();
        twin->command.position << 2e-3 * std::sin(0.05 * k), -1.5e-3 * std::sin(0.06 * k);
      }
      QVERIFY(a.status == RigStatus::ok);
      QVERIFY(a.state.measured == b.state.measured && a.state.force == b.state.force);
    }
  }

  void theEndStopHoldsAndLetsGo_data() {
    QTest::addColumn<ActuatorSpec>("actuator");
    QTest::newRow("servo") << servoActuator(28.0, 0.0015);
    QTest::newRow("pure delay") << lateBy(0.0015);
    QTest::newRow("ideal") << ActuatorSpec{};
    QTest::newRow("first-order lag") << ActuatorSpec{.model = firstOrder(), .delay_s = 0.0015};
  }
  void theEndStopHoldsAndLetsGo() {
    QFETCH(ActuatorSpec, actuator);
    actuator.stroke_m = 0.01;
    TwinParams params;
    params.actuators = {actuator};
    TwinBench twin(params, 1e-3);
    bool saturated = false;
    for (int k = 0; k < 600; ++k) {
      twin.tick();
      saturated = saturated || twin.status == RigStatus::saturated;
      QVERIFY(twin.state.measured.cwiseAbs().maxCoeff() <= 0.01);
      if (k == 299) QVERIFY(twin.state.measured == Eigen::Vector2d(0.01, -0.01) && twin.status == RigStatus::saturated);
      twin.command.position << (k < 300 ? 0.02 : 0.003), (k < 300 ? -0.02 : -0.003);
    }
    QVERIFY(saturated);
    QVERIFY(twin.status == RigStatus::ok);
    QVERIFY((twin.state.measured - Eigen::Vector2d(0.003, -0.003)).cwiseAbs().maxCoeff() < 1e-9);
  }

  void theSpeedStaysWithinTheLimit_data() { theEndStopHoldsAndLetsGo_data(); }
  void theSpeedStaysWithinTheLimit() {
    QFETCH(ActuatorSpec, actuator);
    actuator.velocity_limit_m_per_s = 0.05;
    TwinParams params;
    params.actuators = {actuator};
    TwinBench twin(params, 1e-3);
    double last = 0.0, fastest = 0.0;
    for (int k = 0; k < 500; ++k) {
      twin.tick();
      fastest = std::max(fastest, std::abs(twin.state.measured[0] - last) / 1e-3);
      last = twin.state.measured[0];
      twin.command.position.setConstant(0.01);
    }
    QVERIFY(fastest <= 0.05 * (1.0 + 1e-9));  // rounding of sums
    QVERIFY(fastest > 0.05 * (1.0 - 1e-6));
    QVERIFY(std::abs(last - 0.01) < 1e-9);  // arrives all the same
    QVERIFY(twin.status == RigStatus::ok);
  }

  /// Opposite commands leave m3 at rest: each actuator pushes a spring of 9000 N/m and stalls where that holds F0.
  void theActuatorStallsAtItsForceLimit() {
    TwinParams params = twoActuators();
    for (ActuatorSpec& actuator : params.actuators) {
      actuator.velocity_limit_m_per_s = 0.2;
      actuator.force_limit_n = 18.0;
    }
    params.actuators[1] = params.actuators[0];
    TwinBench twin(params, 1e-3);
    for (int k = 0; k < 2000; ++k) {
      twin.tick();
      twin.command.position << 0.005, -0.005;
    }
    QVERIFY(twin.status == RigStatus::saturated);
    // The last bit of speed, v0 sqrt(1 - F/F0), comes to rest at F0 but for what the damper carries.
    QVERIFY2(std::abs(twin.state.measured[0] - 0.002) < 1e-5, qPrintable(QString::number(twin.state.measured[0])));
    QVERIFY(std::abs(twin.state.force[0]) <= 18.0 * (1.0 + 1e-2));
    twin.command.position.setZero();  // back is free: the spring helps
    for (int k = 0; k < 500; ++k) twin.tick();
    QVERIFY(std::abs(twin.state.measured[0]) < 1e-9);
  }

  /// Where one actuator is cut back, the other goes on as if nothing were.
  void aLimitOfOneLeavesTheOtherAlone() {
    TwinParams params = twoActuators();
    params.actuators[0].stroke_m = 1e-3;
    TwinBench limited(params, 1e-3), free(twoActuators(), 1e-3);
    for (int k = 0; k < 400; ++k) {
      for (TwinBench* twin : {&limited, &free}) {
        twin->tick();
        twin->command.position.setConstant(2e-3 * std::sin(0.05 * k));
      }
      QVERIFY(std::abs(limited.state.measured[1] - free.state.measured[1]) < 1e-15);
    }
  }

  void aCommandBeyondAllBoundsEndsInAFault() {
    TwinBench twin(twoActuators(), 1e-3);
    RigStatus worst = RigStatus::ok;
    for (int k = 0; k < 100; ++k) {
      twin.tick();
      if (twin.status == RigStatus::fault) worst = twin.status;
      QVERIFY(twin.state.measured.allFinite() && twin.state.force.allFinite());
      twin.command.position.setConstant(k % 2 == 0 ? 1.7e308 : -1.7e308);
    }
    QVERIFY(worst == RigStatus::fault);
  }
};

HYB_SUITE(actuator_limits, TestActuatorLimits)
#include "actuator_limits.moc"
