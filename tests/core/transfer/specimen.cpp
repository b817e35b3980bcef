#include <cmath>
#include <complex>
#include <numbers>

#include "core/linalg/dense.h"
#include "tests/support/suite.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Vector2c = Eigen::Vector2cd;

Partition threeMassCut() { return cut(threeMass(), threeMassPartition()); }

/// Dynamic stiffness of the PS seen from its interface.
Eigen::MatrixXcd condensed(const Partition& partition, std::complex<double> s) {
  const Eigen::MatrixXcd d = dynamicStiffness(partition.physical, s);
  const std::vector<Eigen::Index>& i = partition.interface_in_physical;
  std::vector<Eigen::Index> j;
  for (Eigen::Index dof = 0; dof < d.rows(); ++dof)
    if (std::find(i.begin(), i.end(), dof) == i.end()) j.push_back(dof);
  return d(i, i) - d(i, j) * linalg::ComplexLu(d(j, j)).solve(d(j, i));
}

}  // namespace

class TestSpecimen : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// F = -D_P(i w) x for harmonic motion. What is left is the held command or the slope of the rate: w dt/2 = 2.5e-4 at
  /// 8 Hz and 1e-5 s, on the parts that it enters.
  void forceFollowsTheDynamicStiffness_data() {
    QTest::addColumn<ActuatorSpec>("actuator");
    QTest::addColumn<double>("interface_mass_kg");
    QTest::addColumn<double>("tolerance");
    const ActuatorSpec servo = servoActuator(28.0, 0.001), delay = lateBy(0.001), ideal;
    QTest::newRow("servo") << servo << 0.0 << 1e-7;
    QTest::newRow("pure delay") << delay << 0.0 << 1e-7;
    QTest::newRow("ideal") << ideal << 0.0 << 3e-4;
    QTest::newRow("leg") << ActuatorSpec{.model = electricLeg(), .delay_s = 0.001} << 0.0 << 1e-6;
    QTest::newRow("first-order lag") << ActuatorSpec{.model = firstOrder(), .delay_s = 0.001} << 0.0 << 3e-4;
    QTest::newRow("pure delay, mass at the interface") << delay << 1.0 << 3e-4;
    QTest::newRow("ideal, mass at the interface") << ideal << 1.0 << 6e-4;
    QTest::newRow("servo, mass at the interface") << servo << 1.0 << 3e-3;  // times (28/8)^2: the servo's own stiffness
  }
  void forceFollowsTheDynamicStiffness() {
    QFETCH(ActuatorSpec, actuator);
    QFETCH(double, interface_mass_kg);
    QFETCH(double, tolerance);
    const double dt = 1e-5, w = 2.0 * std::numbers::pi * 8.0;
    Partition partition = threeMassCut();
    for (const Eigen::Index dof : partition.interface_in_physical)
      partition.physical.m.coeffRef(dof, dof) += interface_mass_kg;
    TwinParams params;
    params.actuators = {actuator};
    TwinBench twin(params, dt, partition);
    Vector2c motion = Vector2c::Zero(), force = Vector2c::Zero();
    for (int k = 0; k < 275000; ++k) {  // m3 on its springs decays with 13.6 1/s: e^-34 after 2.5 s
      twin.tick();
      if (k >= 250000) {  // two periods
        const std::complex<double> turn = std::polar(1.0, -w * twin.time());
        motion += turn * twin.state.measured;
        force += turn * twin.state.force;
      }
      const double t = twin.time();
      twin.command.position << 1e-3 * std::sin(w * t), 0.4e-3 * std::cos(w * t);
      twin.command.rate << 1e-3 * w * std::cos(w * t), -0.4e-3 * w * std::sin(w * t);
    }
    const Vector2c expected = -condensed(partition, {0.0, w}) * motion;
    const double error = (force - expected).norm() / expected.norm();
    QVERIFY2(error < tolerance, qPrintable(QString::number(error)));
  }

  /// Motion that is straight between ticks is answered exactly: a ten times finer tick changes nothing.
  void straightMotionIsAnsweredExactly() {
    const double delay_s = 0.002;
    TwinParams params;
    params.actuators = {lateBy(delay_s)};
    TwinBench coarse(params, 1e-3), fine(params, 1e-4);
    // Position and rate straight from one millisecond to the next, each on its own.
    const auto knot = [](int k, double f) { return k < 0 ? 0.0 : 1e-3 * std::sin(f * k); };
    const auto straight = [&](int tenths, double f) {
      const int k = tenths / 10;
      const double share = (tenths % 10) / 10.0;
      return (1.0 - share) * knot(k, f) + share * knot(k + 1, f);
    };
    for (int k = 0; k < 200; ++k) {
      coarse.tick();
      coarse.command.position << knot(k, 0.1), knot(k, 0.13);
      coarse.command.rate << 50.0 * knot(k, 0.11), 50.0 * knot(k, 0.07);
      for (int sub = 0; sub < 10; ++sub) {
        fine.tick();
        if (sub == 0) QVERIFY((coarse.state.force - fine.state.force).cwiseAbs().maxCoeff() < 1e-11);
        const int tenths = 10 * k + sub;
        fine.command.position << straight(tenths, 0.1), straight(tenths, 0.13);
        fine.command.rate << 50.0 * straight(tenths, 0.11), 50.0 * straight(tenths, 0.07);
      }
    }
  }

  void factorsScaleTheSpecimen() {
    Partition scaled = threeMassCut();
    scaled.physical.m *= 1.1;
    scaled.physical.c *= 0.8;
    scaled.physical.k *= 1.05;
    TwinParams params = twoActuators(), plain = twoActuators();
    params.specimen = {1.1, 0.8, 1.05};
    TwinBench a(params, 1e-3), b(plain, 1e-3, scaled);
    for (int k = 0; k < 100; ++k) {
      for (TwinBench* twin : {&a, &b}) {
        twin->tick();
        twin->command.position << 1e-3, 0.0;
      }
      QVERIFY(a.state.force == b.state.force);
    }
  }

  /// All physical DOF at the interface: nothing inside to integrate.
  void aSpringBetweenTwoInterfacesHasNoInside() {
    const Partition partition = cut(threeMass(), {CutByElements{{"k31"}}, {}, {}, {}, {}});
    TwinParams params;
    params.actuators = {{.model = idealActuator()}};
    TwinBench twin(params, 1e-3, partition);
    for (int k = 0; k < 5; ++k) {
      twin.tick();
      twin.command.position << 1e-3, 0.0;
    }
    QVERIFY(std::abs(twin.state.force[0] + 9.0) < 1e-12 && std::abs(twin.state.force[1] - 9.0) < 1e-12);
  }

  /// After a safe stop the actuators stand still and m3 rings down on its springs: F = k (x3 - x).
  void theInsideRingsDownAfterASafeStop() {
    TwinBench twin(twoActuators(), 1e-3);
    for (int k = 0; k < 200; ++k) {
      twin.tick();
      twin.command.position.setConstant(2e-3 * std::sin(2.0 * std::numbers::pi * 8e-3 * k));
    }
    const Eigen::VectorXd held = twin.state.measured;
    twin.rig().safeStop();
    twin.tick();
    const double loudest = twin.state.force.cwiseAbs().maxCoeff();
    QVERIFY(loudest > 0.1);
    for (int k = 0; k < 2000; ++k) twin.tick();
    QVERIFY(twin.state.measured == held);
    const double mean = held.mean();
    QVERIFY(std::abs(twin.state.force[0] - 9000.0 * (mean - held[0])) < 1e-9);
  }
};

HYB_SUITE(specimen, TestSpecimen)
#include "specimen.moc"
