/// Kinematics of legs against closed forms, finite differences and round trips.
#include "core/rig/rig_geometry.h"

#include <Eigen/Geometry>
#include <QtTest>
#include <cmath>
#include <random>

#include "core/base/allocation_guard.h"
#include "core/rig/reach.h"
#include "tests/support/stewart.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Component = PoseComponent;

PlatformLeg leg(Eigen::Vector3d base_m, Eigen::Vector3d platform_m) {
  PlatformLeg leg;
  leg.name = "leg";
  leg.base_m = std::move(base_m);
  leg.platform_m = std::move(platform_m);
  return leg;
}

/// Strokes, length - length as drawn.
LegValues strokes(const RigGeometry& geometry, const Pose& pose) {
  LegValues drawn, lengths;
  legLengths(geometry, Pose::Zero(), drawn);
  legLengths(geometry, pose, lengths);
  return lengths - drawn;
}

Pose poseOf(std::initializer_list<std::pair<Component, double>> values) {
  Pose pose = Pose::Zero();
  for (const auto& [component, value] : values) pose[static_cast<Eigen::Index>(component)] = value;
  return pose;
}

/// ESTwoActuators2d of OpenFresco, actuators on the left, one above the other at a distance L; La: their lengths.
constexpr double kLa = 1.3, kL = 0.8;
RigGeometry twoLegs() {
  RigGeometry geometry;
  geometry.legs = {leg({-kLa, 0, 0}, {0, 0, 0}), leg({-kLa, kL, 0}, {0, kL, 0})};
  geometry.moves = geometry.axes = {Component::x, Component::rz};
  return geometry;
}

/// Poses in the whole workspace: every leg within its bounds.
std::vector<Pose> workspace(const RigGeometry& geometry, int count) {
  std::mt19937_64 engine(4);
  const auto within = [&](double most) { return most * (2.0 * static_cast<double>(engine() >> 11) * 0x1p-53 - 1.0); };
  std::vector<Pose> poses;
  while (static_cast<int>(poses.size()) < count) {
    Pose pose;
    pose << within(0.2), within(0.2), within(0.1), within(0.35), within(0.35), within(0.6);
    while (obstacleAt(geometry, pose)) pose *= 0.9;
    poses.push_back(pose);
  }
  return poses;
}

}  // namespace

class RigGeometryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// One leg along x, and one that crosses the motion: l^2 = b^2 + (h + x)^2.
  void oneLeg() {
    RigGeometry geometry;
    geometry.legs = {leg({-1, 0, 0}, {0, 0, 0})};
    geometry.moves = geometry.axes = {Component::x};
    QVERIFY(std::abs(strokes(geometry, poseOf({{Component::x, 0.125}}))[0] - 0.125) < 1e-15);
    geometry.legs = {leg({-0.3, -0.4, 0}, {0, 0, 0})};
    for (const double x : {-0.2, 0.0, 0.07, 1.0}) {
      const Pose pose = poseOf({{Component::x, x}});
      const double length = std::hypot(0.4, 0.3 + x);
      QVERIFY(std::abs(strokes(geometry, pose)[0] - (length - 0.5)) < 1e-15);
      LegMatrix jacobian, inverse;
      legJacobian(geometry, pose, jacobian);
      QVERIFY(std::abs(jacobian(0, 0) - (0.3 + x) / length) < 1e-15);
      // Its direction has length 1, so the condition is the reciprocal of the share along x.
      QVERIFY(std::abs(conditionOf(geometry, pose, jacobian, inverse) - length / std::abs(0.3 + x)) < 1e-12);
    }
  }

  /// Published formulas of OpenFresco's experimental set-up TwoActuators (nonlinear geometry), in both directions.
  void openFrescoTwoActuators() {
    const RigGeometry geometry = twoLegs();
    for (const double x : {-0.2, 0.0, 0.15})
      for (const double r : {-0.3, 0.0, 0.02, 0.4}) {
        const LegValues moved = strokes(geometry, poseOf({{Component::x, x}, {Component::rz, r}}));
        QVERIFY(std::abs(moved[0] - x) < 1e-15);
        QVERIFY(std::abs(moved[1] - (std::hypot(x - kL * std::sin(r) + kLa, kL * std::cos(r) - kL) - kLa)) < 1e-14);
        Pose found = Pose::Zero();
        QVERIFY(poseOfLegs(geometry, LegValues(moved.array() + kLa), found));
        const double d0 = kLa + moved[0], d1 = kLa + moved[1],
                     angle = std::atan2(d0, kL) - std::acos((d1 * d1 - 2.0 * kL * kL - d0 * d0) /
                                                            (-2.0 * kL * std::sqrt(kL * kL + d0 * d0)));
        QVERIFY(std::abs(found[0] - x) < 1e-12);
        QVERIFY2(std::abs(found[5] - r) < 1e-12 && std::abs(angle - r) < 1e-9, qPrintable(QString::number(angle)));
        // Rates by its published formula, and forces that do the same work. (Its own moment takes the share of the
        // vertical force with the opposite sign, and does not balance the power of its rates.)
        LegMatrix jacobian;
        legJacobian(geometry, found, jacobian);
        const double by_x = (x - kL * std::sin(r) + kLa) / d1,
                     by_r = (-(x - kL * std::sin(r) + kLa) * kL * std::cos(r) -
                             (kL * std::cos(r) - kL) * kL * std::sin(r)) /
                            d1;
        QVERIFY((jacobian - Eigen::Matrix2d{{1.0, 0.0}, {by_x, by_r}}).norm() < 1e-11);
        const Eigen::Vector2d f(130.0, -70.0), force = jacobian.transpose() * f;
        QVERIFY((force - Eigen::Vector2d(f[0] + by_x * f[1], by_r * f[1])).norm() < 1e-9);
      }
  }

  /// ESThreeActuatorsJntOff of OpenFresco: a horizontal actuator and two vertical ones, all with joint offsets.
  void openFrescoThreeActuatorsWithJointOffsets() {
    const double la0 = 1.1, la1 = 1.4, la2 = 1.5, l0 = 0.2, l1 = 0.6, l2 = 0.5, l4 = 0.15, l5 = 0.3, l6 = 0.1;
    RigGeometry geometry;
    geometry.legs = {leg({-l0 - l1 - la0, l5, 0}, {-l0 - l1, l5, 0}), leg({-l1, l5 - l4 - la1, 0}, {-l1, l5 - l4, 0}),
                     leg({l2, l5 - l6 - la2, 0}, {l2, l5 - l6, 0})};
    geometry.moves = geometry.axes = {Component::x, Component::y, Component::rz};
    for (const double x : {-0.1, 0.08})
      for (const double y : {-0.12, 0.05})
        for (const double r : {-0.2, 0.0, 0.25}) {
          const double s = std::sin(r), c = 1.0 - std::cos(r);
          const Eigen::Vector3d expected(
              std::hypot(x + (l0 + l1) * c - l5 * s + la0, y - (l0 + l1) * s - l5 * c) - la0,
              std::hypot(x + l1 * c - (l5 - l4) * s, y - l1 * s - (l5 - l4) * c + la1) - la1,
              std::hypot(x - l2 * c - (l5 - l6) * s, y + l2 * s - (l5 - l6) * c + la2) - la2);
          const Pose pose = poseOf({{Component::x, x}, {Component::y, y}, {Component::rz, r}});
          const LegValues moved = strokes(geometry, pose);
          QVERIFY((moved - expected).norm() < 1e-14);
          Pose found = Pose::Zero();
          QVERIFY(poseOfLegs(geometry, LegValues(moved + Eigen::Vector3d(la0, la1, la2)), found));
          QVERIFY((found - pose).norm() < 1e-12);
        }
  }

  /// Pure heave: all legs alike, l^2 = r^2 + (h + z)^2; a turn about the vertical axis: all alike too.
  void sixLegsMoveAlikeByHeaveAndYaw() {
    const RigGeometry geometry = stewart();
    LegValues drawn;
    legLengths(geometry, Pose::Zero(), drawn);
    for (const double z : {-0.08, 0.0, 0.05}) {
      LegValues lengths;
      legLengths(geometry, poseOf({{Component::z, z}}), lengths);
      const double across = std::sqrt(drawn[0] * drawn[0] - kStewartHeight_m * kStewartHeight_m);
      QVERIFY((lengths.array() - std::hypot(across, kStewartHeight_m + z)).abs().maxCoeff() < 1e-15);
    }
    for (const double turn : {0.3, -0.3}) {
      const LegValues moved = strokes(geometry, poseOf({{Component::rz, turn}}));
      for (const Eigen::Index i : {0, 1}) {  // even legs move alike, odd legs as even legs for the opposite turn
        QVERIFY(std::abs(moved[i] - moved[i + 2]) < 1e-15 && std::abs(moved[i] - moved[i + 4]) < 1e-15);
        QVERIFY(std::abs(moved[i] - strokes(geometry, poseOf({{Component::rz, -turn}}))[1 - i]) < 1e-15);
      }
    }
  }

  /// The stated convention: first about x, then about the fixed y axis, then about the fixed z axis.
  void rotationsFollowTheStatedOrder() {
    RigGeometry geometry = stewart();
    geometry.point_m = {0.1, -0.2, 0.6};
    const Pose pose = workspace(stewart(), 1).front();
    const Eigen::Matrix3d rotation =
        (Eigen::AngleAxisd(pose[5], Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(pose[4], Eigen::Vector3d::UnitY()) *
         Eigen::AngleAxisd(pose[3], Eigen::Vector3d::UnitX()))
            .toRotationMatrix();
    LegValues lengths;
    legLengths(geometry, pose, lengths);
    for (Eigen::Index i = 0; i < 6; ++i) {
      const PlatformLeg& own = geometry.legs[static_cast<std::size_t>(i)];
      const Eigen::Vector3d joint = geometry.point_m + pose.head<3>() + rotation * (own.platform_m - geometry.point_m);
      QVERIFY(std::abs(lengths[i] - (joint - own.base_m).norm()) < 1e-15);
    }
  }

  void jacobianAgreesWithDifferences() {
    constexpr double kDifference = 1e-5;
    for (const RigGeometry& geometry : {stewart(), twoLegs()})
      for (const Pose& pose : workspace(stewart(), 20)) {
        LegMatrix jacobian;
        legJacobian(geometry, pose, jacobian);
        for (std::size_t m = 0; m < geometry.moves.size(); ++m) {
          Pose above = pose, below = pose;
          above[static_cast<Eigen::Index>(geometry.moves[m])] += kDifference;
          below[static_cast<Eigen::Index>(geometry.moves[m])] -= kDifference;
          const LegValues slope = (strokes(geometry, above) - strokes(geometry, below)) / (2.0 * kDifference);
          QVERIFY((slope - jacobian.col(static_cast<Eigen::Index>(m))).norm() < 1e-9);
        }
      }
  }

  /// From rest, over the whole workspace; bounded in steps and without memory.
  void poseComesBackFromItsLegs() {
    const RigGeometry geometry = stewart();
    const std::vector<Pose> poses = workspace(geometry, 300);
    double largest_turn = 0.0;
    const AllocationGuard guard;
    double worst = 0.0;
    bool all = true;
    for (const Pose& pose : poses) {
      LegValues lengths;
      legLengths(geometry, pose, lengths);
      Pose found = Pose::Zero();
      all = poseOfLegs(geometry, lengths, found) && all;
      worst = std::max(worst, (found - pose).norm());
      largest_turn = std::max(largest_turn, pose.tail<3>().norm());
    }
    QCOMPARE(guard.count(), std::uint64_t{0});
    QVERIFY(all);
    QVERIFY2(worst < 1e-12, qPrintable(QString::number(worst)));
    QVERIFY2(largest_turn > 0.4, qPrintable(QString::number(largest_turn)));
  }

  void legsOfNoPoseAreRefused() {
    const RigGeometry geometry = stewart();
    LegValues lengths = LegValues::Constant(6, 0.75);
    lengths[0] = 4.0;
    Pose pose = poseOf({{Component::z, 0.01}});
    const Pose before = pose;
    QVERIFY(!poseOfLegs(geometry, lengths, pose));
    QVERIFY(pose == before);
    lengths[0] = std::nan("");
    QVERIFY(!poseOfLegs(geometry, lengths, pose));
    QVERIFY(pose == before);
  }

  /// Forces along the legs do the same work as those on the pose, and the weight as it sinks.
  void powerBalances() {
    constexpr double kDifference_s = 1e-5;
    RigGeometry geometry = stewart();
    geometry.mass_kg = 25.0;
    geometry.centre_m = {0.05, -0.03, 0.8};
    Pose rate;
    rate << 0.2, -0.3, 0.25, 0.4, -0.5, 0.6;
    LegValues force(6);
    force << 310, -120, 45, 80, -250, 500;
    for (const Pose& pose : workspace(geometry, 50)) {
      LegMatrix jacobian;
      legJacobian(geometry, pose, jacobian);
      const Pose ahead = pose + kDifference_s * rate, behind = pose - kDifference_s * rate;
      const LegValues leg_rate = (strokes(geometry, ahead) - strokes(geometry, behind)) / (2.0 * kDifference_s);
      QVERIFY(std::abs(force.dot(leg_rate) - (jacobian.transpose() * force).dot(rate)) < 1e-6);
      const auto height = [&](const Pose& at) {
        const Eigen::Matrix3d rotation =
            (Eigen::AngleAxisd(at[5], Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(at[4], Eigen::Vector3d::UnitY()) *
             Eigen::AngleAxisd(at[3], Eigen::Vector3d::UnitX()))
                .toRotationMatrix();
        return (geometry.point_m + at.head<3>() + rotation * (geometry.centre_m - geometry.point_m)).z();
      };
      const double power = -25.0 * 9.80665 * (height(ahead) - height(behind)) / (2.0 * kDifference_s);
      QVERIFY(std::abs(weightOn(geometry, pose).dot(rate) - power) < 1e-6);
    }
  }

  /// Against point masses that move with the platform: sum of m a dr/dq, a and dr/dq by differences.
  void inertiaIsThatOfItsPoints() {
    constexpr double kDifference = 1e-4, kArm_m = 0.15;
    RigGeometry geometry = stewart();
    geometry.centre_m = {0.05, -0.03, 0.8};
    const Eigen::Vector3d pair_kg(1.5, 2.0, 3.5);  // on each side of the centre, along x, y and z
    geometry.mass_kg = 2.0 * pair_kg.sum();
    geometry.inertia_kg_m2 = 2.0 * kArm_m * kArm_m * (pair_kg.sum() - pair_kg.array()).matrix();
    Pose rate, acceleration;
    rate << 0.2, -0.3, 0.25, 1.4, -0.9, 1.6;
    acceleration << 3.0, -2.0, 4.0, 7.0, 5.0, -8.0;
    for (const Pose& pose : workspace(geometry, 20)) {
      Pose expected = Pose::Zero();
      const auto at = [&](double t) -> Pose { return pose + t * rate + 0.5 * t * t * acceleration; };
      for (Eigen::Index axis = 0; axis < 3; ++axis)
        for (const double side : {-1.0, 1.0}) {
          const Eigen::Vector3d drawn = geometry.centre_m + side * kArm_m * Eigen::Vector3d::Unit(axis);
          const auto place = [&](const Pose& of) { return placeOf(geometry, of, drawn); };
          const Eigen::Vector3d force = pair_kg[axis] *
                                        (place(at(kDifference)) - 2.0 * place(pose) + place(at(-kDifference))) /
                                        (kDifference * kDifference);
          for (Eigen::Index c = 0; c < 6; ++c) {
            const Pose step = kDifference * Pose::Unit(c);
            expected[c] += force.dot(place(pose + step) - place(pose - step)) / (2.0 * kDifference);
          }
        }
      const Pose found = inertiaOn(geometry, pose, rate, acceleration);
      QVERIFY2((found - expected).norm() < 1e-5 * expected.norm(),
               qPrintable(QString::number((found - expected).norm())));
    }
  }

  /// A platform as large as its base, with legs that are parallel: it can turn and shift freely.
  void parallelLegsAreSingular() {
    RigGeometry geometry = stewart();
    for (PlatformLeg& own : geometry.legs) own.platform_m.head<2>() = own.base_m.head<2>();
    const PoseObstacle obstacle = obstacleAt(geometry, Pose::Zero());
    QVERIFY(obstacle.kind == PoseObstacle::Kind::singular);
    QVERIFY(obstacleText(geometry, obstacle).find("condition number") != std::string::npos);
    QVERIFY(!obstacleAt(stewart(), Pose::Zero()));
  }

  /// The ends of heave are those of the legs: l^2 = across^2 + (h + z)^2.
  void reachOfHeaveIsThatOfTheLegs() {
    const RigGeometry geometry = stewart();
    LegValues drawn;
    legLengths(geometry, Pose::Zero(), drawn);
    const double across_2 = drawn[0] * drawn[0] - kStewartHeight_m * kStewartHeight_m;
    const auto height = [&](double length) { return std::sqrt(length * length - across_2) - kStewartHeight_m; };
    const ComponentReach reach = reachOf(geometry, Component::z);
    QVERIFY(std::abs(reach.to - height(geometry.legs[0].longest_m)) < 2e-4);
    QVERIFY(std::abs(reach.from - height(geometry.legs[0].shortest_m)) < 2e-4);
    QVERIFY(reach.beyond_to.kind == PoseObstacle::Kind::too_long);
    QVERIFY(reach.before_from.kind == PoseObstacle::Kind::too_short);
    // One leg across the motion: singular where it stands upright on it.
    RigGeometry one;
    one.legs = {leg({-0.3, -0.4, 0}, {0, 0, 0})};
    one.moves = one.axes = {Component::x};
    one.largest_condition = 4.0;
    const ComponentReach of_one = reachOf(one, Component::x);
    QVERIFY(of_one.before_from.kind == PoseObstacle::Kind::singular);
    QVERIFY(std::abs(of_one.from - (0.4 / std::sqrt(15.0) - 0.3)) < 2e-4);
    QVERIFY(!of_one.beyond_to);
  }

  void travelNamesAPoseOutOfReach() {
    const RigGeometry geometry = stewart();
    LegTravel travel = travelOf(geometry, LegValues::Constant(6, 0.02));
    QVERIFY(!travel.obstacle);
    QVERIFY((travel.to_m - travel.from_m).minCoeff() > 0.04);
    travel = travelOf(geometry, LegValues::Constant(6, 0.15));
    QVERIFY(travel.obstacle);
    QVERIFY(obstacleText(geometry, travel.obstacle).starts_with("leg \"leg-"));
    QVERIFY(poseText(geometry, travel.bad).find("0.15") != std::string::npos);
  }
};

HYB_SUITE(rig_geometry, RigGeometryTest)
#include "rig_geometry_test.moc"
