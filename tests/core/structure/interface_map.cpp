// Interface motion in actuator axes and from sensors.
#include <Eigen/LU>
#include <complex>
#include <limits>

#include "core/structure/interface_map.h"
#include "tests/support/cut_models.h"
#include "tests/support/determinant.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kApart_m = 0.08;  // of the two actuators

Partition beamCut() { return cut(beamModel(cantilever(8)), by(CutByPosition{false, 0.5, true})); }

/// Two actuators beside the cut: z = y -+ d/2 alpha (Bartl et al., section 5).
std::vector<InterfaceAxis> pair(double apart_m = kApart_m) {
  const auto axis = [](const char* name, double arm) {
    return InterfaceAxis{name, Motion::translation, {{"b/4.y", 1.0}, {"b/4.rotation", arm}}};
  };
  return {axis("left", -0.5 * apart_m), axis("right", 0.5 * apart_m)};
}

}  // namespace

class InterfaceMapTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// f_q = T^T f_a and a = T q: the dynamic stiffness is that of the cut, seen from the axes.
  void axesChangeNoDynamics() {
    const Partition before = beamCut(), after = inActuatorAxes(before, pair());
    const Eigen::Matrix2d t{{1.0, -0.5 * kApart_m}, {1.0, 0.5 * kApart_m}};
    QVERIFY(names(after.interface) == (std::vector<std::string>{"left", "right"}));
    QVERIFY(names(after.cut_dofs) == names(before.interface));
    QVERIFY((after.motion_from_axes * t - Eigen::Matrix2d::Identity()).norm() < 1e-13);
    for (std::size_t i = 0; i < 2; ++i) {
      QVERIFY(after.reference.dofs[static_cast<std::size_t>(after.interface_in_reference[i])].name ==
              after.interface[i].name);
      QVERIFY(after.interface[i].motion == Motion::translation);
    }
    for (const std::complex<double> s : {std::complex<double>(0.0, 0.0), {-3.0, 500.0}, {10.0, 4000.0}}) {
      const Eigen::Matrix2cd expected = t.transpose() * coupled(after, s) * t, found = coupled(before, s);
      QVERIFY((expected - found).norm() < 1e-9 * found.norm());
      const Eigen::MatrixXcd d_before = dynamicStiffness(before.reference, s);
      const Eigen::MatrixXcd d_after = dynamicStiffness(after.reference, s);
      QVERIFY(std::abs(determinant(d_after) * t.determinant() * t.determinant() / determinant(d_before) - 1.0) < 1e-9);
      // A force on the uncut model and ground motion move the same DOF alike.
      const Eigen::VectorXcd force = Eigen::VectorXd::LinSpaced(before.reference.size(), -1.0, 2.0);
      const Eigen::VectorXcd x =
          linalg::ComplexLu(d_before).solve(before.reference_loads * force + before.reference.m_support);
      Eigen::VectorXcd y = linalg::ComplexLu(d_after).solve(after.reference_loads * force + after.reference.m_support);
      QVERIFY((after.physical_motion * y -
               [&] {
                 Eigen::VectorXcd of_ps = before.physical_motion * x;
                 of_ps(before.interface_in_physical) = t * of_ps(before.interface_in_physical).eval();
                 return of_ps;
               }())
                  .norm() < 1e-7 * x.norm());
      y(after.interface_in_reference) = after.motion_from_axes * y(after.interface_in_reference).eval();
      QVERIFY((y - x).norm() < 1e-7 * x.norm());
    }
    QVERIFY(sumError(after, &SystemMatrices::m, &LeftOut::m) < 1e-12);
    QVERIFY(sumError(after, &SystemMatrices::k, &LeftOut::k) < 1e-12);
    QVERIFY((after.numerical_loads * SparseMatrix(before.reference_loads) * before.reference.m_support -
             after.numerical.m_support)
                .norm() < 1e-12 * before.reference.m_support.norm());
    QVERIFY(inActuatorAxes(before, {}).cut_dofs.empty());
  }

  /// A nonlinear link may end where an axis is the degree of freedom itself.
  void nonlinearLinksFollowCopies() {
    Partition p = beamCut();
    const Eigen::Index y = p.interface_in_numerical[0];
    for (SystemMatrices* side : {&p.reference, &p.numerical})
      side->nonlinear = {{"stop", CubicSpring{0.0, 1e6}, -1, y}};
    const std::vector<InterfaceAxis> swapped{{"turn", Motion::rotation, {{"b/4.rotation", 2.0}}},
                                             {"push", Motion::translation, {{"b/4.y", 1.0}}}};
    QCOMPARE(inActuatorAxes(p, swapped).numerical.nonlinear[0].to, p.interface_in_numerical[1]);
    EXPECT_ISSUE(issuesOf([&] { inActuatorAxes(p, pair()); }), "/partition/actuators", "\"stop\" is nonlinear");
  }

  void refusesImpossibleAxes() {
    const Partition p = beamCut();
    const auto faults = [&](std::vector<InterfaceAxis> axes) { return issuesOf([&] { inActuatorAxes(p, axes); }); };
    EXPECT_ISSUE(faults({pair()[0]}), "/partition/actuators", "has 1 axes for 2");
    std::vector<InterfaceAxis> bad = pair();
    bad[1].terms[0].first = "b/4.z";
    bad[1].terms[1].second = std::numeric_limits<double>::infinity();
    EXPECT_ISSUE(faults(bad), "/partition/actuators/1/terms/b/4.z", "Did you mean \"b/4.y\"?");
    EXPECT_ISSUE(faults(bad), "/partition/actuators/1/terms/b/4.rotation", "not finite");
    bad = pair();
    bad[0].name = bad[1].name = "b/7.y";
    EXPECT_ISSUE(faults(bad), "/partition/actuators/1/name", "given twice");
    EXPECT_ISSUE(faults(bad), "/partition/actuators/0/name", "inside the structure");
    bad[0] = {"", Motion::translation, {}};
    EXPECT_ISSUE(faults(bad), "/partition/actuators/0/name", "is empty");
    EXPECT_ISSUE(faults(bad), "/partition/actuators/0/terms", "is empty");
    // Both actuators 25 m beside the cut on the same side: turning by -0.04 rad per metre moves neither.
    bad = pair();
    bad[0].terms[1].second = bad[1].terms[1].second = 25.0;
    EXPECT_ISSUE(faults(bad), "/partition/actuators", "do not move b/4.y - 0.04 b/4.rotation; change the terms");
    EXPECT_ISSUE(faults(pair(0.0)), "/partition/actuators", "do not move b/4.rotation; change the terms");
  }

  /// Least squares over three readings; terms may name axes or the DOF of the cut.
  void sensors() {
    const Partition cut_only = beamCut(), p = inActuatorAxes(cut_only, pair());
    const std::vector<InterfaceAxis> three{{"s1", Motion::translation, {{"left", 1.0}}},
                                           {"s2", Motion::translation, {{"b/4.y", 1.0}}},
                                           {"s3", Motion::translation, {{"b/4.y", 1.0}, {"b/4.rotation", 0.1}}}};
    const SensorMap map = sensorMap(p, three);
    const Eigen::Vector2d axes(0.3, -0.2);
    const double y = 0.5 * (axes[0] + axes[1]), rotation = (axes[1] - axes[0]) / kApart_m;
    QVERIFY((map.readings * axes - Eigen::Vector3d(axes[0], y, y + 0.1 * rotation)).norm() < 1e-13);
    QVERIFY((map.from_readings * map.readings - Eigen::Matrix2d::Identity()).norm() < 1e-12);
    QVERIFY(sensorMap(p, {}).readings == Eigen::Matrix2d::Identity());
    EXPECT_ISSUE(issuesOf([&] { sensorMap(p, {three[1]}); }), "/partition/sensors", "motion left - right");
    EXPECT_ISSUE(issuesOf([&] {
                   sensorMap(p, {{"s", Motion::translation, {{"up", 1.0}}}});
                 }),
                 "/partition/sensors/0/terms/up", "not a degree of freedom");
  }

  /// Accelerometers are motion where displacement sensors leave one untold, and only there.
  void accelerometers() {
    const Partition p = inActuatorAxes(beamCut(), pair());
    std::vector<InterfaceAxis> sensors{{"laser", Motion::translation, {{"left", 1.0}}},
                                       {"head 1", Motion::translation, {{"left", 1.0}}, true},
                                       {"head 2", Motion::translation, {{"right", 1.0}}, true}};
    QVERIFY(!hasAccelerometer({sensors[0]}) && hasAccelerometer(sensors));
    const SensorMap all = motionMap(p, sensors);
    QVERIFY((all.from_readings - Eigen::MatrixXd{{0.5, 0.5, 0.0}, {0.0, 0.0, 1.0}}).norm() < 1e-12);
    QVERIFY(untoldMotion(all, p).empty());
    QCOMPARE(untoldMotion(mapOfKind(all, sensors, SensorKind::displacement), p), std::string("right"));
    const SensorMap accelerations = mapOfKind(all, sensors, SensorKind::acceleration);
    QVERIFY((accelerations.from_readings - Eigen::MatrixXd{{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}).norm() < 1e-12);
    sensors.push_back({"laser 2", Motion::translation, {{"right", 2.0}}});
    const SensorMap lasers = motionMap(p, sensors);
    QVERIFY((lasers.from_readings - Eigen::MatrixXd{{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.5}}).norm() < 1e-12);
  }

  /// Bartl et al., section 4: sensors at -40 and +40 mm cannot tell z from a symmetric bending coordinate of value b.
  void namesWhatSensorsMiss() {
    const double b = 0.25;
    Partition p;
    p.interface = {{"z", Motion::translation}, {"alpha", Motion::rotation}, {"bending", Motion::translation}};
    const auto sensor = [&](const char* name, double at_m) {
      return InterfaceAxis{name, Motion::translation, {{"z", 1.0}, {"alpha", at_m}, {"bending", b}}};
    };
    EXPECT_ISSUE(issuesOf([&] {
                   sensorMap(p, {sensor("y1", -0.04), sensor("y2", 0.04)});
                 }),
                 "/partition/sensors", "cannot determine the motion -0.25 z + bending");
  }
};

HYB_SUITE(interface_map, InterfaceMapTest)
#include "interface_map.moc"
