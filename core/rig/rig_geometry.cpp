#include "core/rig/rig_geometry.h"

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "core/linalg/eliminate.h"

namespace hyb {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int kMostSteps = 25;
constexpr double kSolved = 1e-9;  // of the size of the mechanism: the error after this step is about its square

/// Rotation by `angle` about an axis of the base, 0 to 2.
Matrix3d turn(Index axis, double angle) noexcept {
  const Index next = (axis + 1) % 3, last = (axis + 2) % 3;
  const double c = std::cos(angle), s = std::sin(angle);
  Matrix3d matrix = Matrix3d::Zero();
  matrix(axis, axis) = 1.0;
  matrix(next, next) = matrix(last, last) = c;
  matrix(last, next) = s;
  matrix(next, last) = -s;
  return matrix;
}

Vector3d cross(const Vector3d& a, const Vector3d& b) noexcept {
  return {a.y() * b.z() - a.z() * b.y(), a.z() * b.x() - a.x() * b.z(), a.x() * b.y() - a.y() * b.x()};
}

/// The platform in a pose.
struct Placed {
  Matrix3d rotation;
  Matrix3d axes;  // in columns: axes about which rx, ry and rz turn it now; angular velocity = axes (rates)
  Vector3d point;

  Placed(const RigGeometry& geometry, const Pose& pose) noexcept {
    const Matrix3d rz = turn(2, pose[5]), rzy = rz * turn(1, pose[4]);
    rotation = rzy * turn(0, pose[3]);
    axes.col(0) = rzy.col(0);
    axes.col(1) = rz.col(1);
    axes.col(2) = Vector3d::UnitZ();
    point = geometry.point_m + pose.head<3>();
  }
  /// From the platform point to a point of the platform, which is drawn at `drawn_m`.
  Vector3d arm(const RigGeometry& geometry, const Vector3d& drawn_m) const noexcept {
    return rotation * (drawn_m - geometry.point_m);
  }
  Vector3d leg(const RigGeometry& geometry, const PlatformLeg& leg) const noexcept {
    return point + arm(geometry, leg.platform_m) - leg.base_m;
  }
};

/// d length / d pose over all components, [leg, 6].
using FullJacobian = Eigen::Matrix<double, Eigen::Dynamic, 6, 0, kMostLegs, 6>;
FullJacobian fullJacobian(const RigGeometry& geometry, const Pose& pose) noexcept {
  const Placed placed(geometry, pose);
  FullJacobian full(geometry.count(), 6);
  for (Index i = 0; i < full.rows(); ++i) {
    const PlatformLeg& leg = geometry.legs[static_cast<std::size_t>(i)];
    const Vector3d direction = placed.leg(geometry, leg).normalized(), arm = placed.arm(geometry, leg.platform_m);
    full.row(i).head<3>() = direction.transpose();
    full.row(i).tail<3>() = cross(arm, direction).transpose() * placed.axes;
  }
  return full;
}

double sizeOf(const RigGeometry& geometry) noexcept {
  double size = armOf(geometry);
  for (const PlatformLeg& leg : geometry.legs) size = std::max(size, (leg.platform_m - leg.base_m).norm());
  return size;
}

}  // namespace

void legLengths(const RigGeometry& geometry, const Pose& pose, LegValues& lengths_m) noexcept {
  const Placed placed(geometry, pose);
  lengths_m.resize(geometry.count());
  for (Index i = 0; i < lengths_m.size(); ++i)
    lengths_m[i] = placed.leg(geometry, geometry.legs[static_cast<std::size_t>(i)]).norm();
}

Vector3d placeOf(const RigGeometry& geometry, const Pose& pose, const Vector3d& drawn_m) noexcept {
  const Placed placed(geometry, pose);
  return placed.point + placed.arm(geometry, drawn_m);
}

void legJacobian(const RigGeometry& geometry, const Pose& pose, LegMatrix& jacobian) noexcept {
  const FullJacobian full = fullJacobian(geometry, pose);
  jacobian.resize(full.rows(), static_cast<Index>(geometry.moves.size()));
  for (Index m = 0; m < jacobian.cols(); ++m)
    jacobian.col(m) = full.col(static_cast<Index>(geometry.moves[static_cast<std::size_t>(m)]));
}

bool poseOfLegs(const RigGeometry& geometry, const LegValues& lengths_m, Pose& pose) noexcept {
  const double size = sizeOf(geometry), arm = armOf(geometry);
  Pose near = pose;
  LegValues missing;
  LegMatrix jacobian;
  for (int step = 0; step < kMostSteps; ++step) {
    legLengths(geometry, near, missing);
    missing = lengths_m - missing;
    legJacobian(geometry, near, jacobian);
    LegValues change = missing;
    if (!linalg::eliminate(jacobian, change)) return false;
    double moved = 0.0;
    for (Index m = 0; m < change.size(); ++m) {
      const PoseComponent component = geometry.moves[static_cast<std::size_t>(m)];
      near[static_cast<Index>(component)] += change[m];
      moved = std::max(moved, std::abs(change[m]) * (turns(component) ? arm : 1.0));
    }
    if (!near.allFinite()) return false;
    if (moved <= kSolved * size) {
      pose = near;
      return true;
    }
  }
  return false;
}

double conditionOf(const RigGeometry& geometry, const Pose& pose, const LegMatrix& jacobian,
                   LegMatrix& inverse) noexcept {
  const double arm = armOf(geometry);
  LegMatrix rest = jacobian;
  inverse.setIdentity(jacobian.rows(), jacobian.cols());
  if (!linalg::eliminate(rest, inverse)) inverse.setConstant(kNoValue);
  double inverse_square = 0.0;
  for (Index m = 0; m < inverse.rows(); ++m)
    inverse_square +=
        inverse.row(m).squaredNorm() * (turns(geometry.moves[static_cast<std::size_t>(m)]) ? arm * arm : 1.0);
  const FullJacobian full = fullJacobian(geometry, pose);
  double square = full.leftCols<3>().squaredNorm();
  if (std::ranges::any_of(geometry.moves, turns)) square += full.rightCols<3>().squaredNorm() / (arm * arm);
  return std::sqrt(square) * std::sqrt(inverse_square) / static_cast<double>(geometry.count());
}

double armOf(const RigGeometry& geometry) noexcept {
  double square = 0.0;
  for (const PlatformLeg& leg : geometry.legs) square += (leg.platform_m - geometry.point_m).squaredNorm();
  return square > 0.0 ? std::sqrt(square / static_cast<double>(geometry.count())) : 1.0;
}

Pose weightOn(const RigGeometry& geometry, const Pose& pose) noexcept {
  const Placed placed(geometry, pose);
  const Vector3d force = geometry.mass_kg * geometry.gravity_m_per_s2;
  Pose weight;
  weight.head<3>() = force;
  weight.tail<3>() = placed.axes.transpose() * cross(placed.arm(geometry, geometry.centre_m), force);
  return weight;
}

Pose inertiaOn(const RigGeometry& geometry, const Pose& pose, const Pose& rate, const Pose& acceleration) noexcept {
  const Placed placed(geometry, pose);
  const Vector3d arm = placed.arm(geometry, geometry.centre_m), turning = placed.axes * rate.tail<3>();
  // The axes of rx and ry turn themselves.
  const Vector3d by_z = rate[5] * placed.axes.col(2), by_zy = by_z + rate[4] * placed.axes.col(1),
                 turned = placed.axes * acceleration.tail<3>() + rate[3] * cross(by_zy, placed.axes.col(0)) +
                          rate[4] * cross(by_z, placed.axes.col(1)),
                 force = geometry.mass_kg *
                         (acceleration.head<3>() + cross(turned, arm) + cross(turning, cross(turning, arm)));
  const Matrix3d inertia = placed.rotation * geometry.inertia_kg_m2.asDiagonal() * placed.rotation.transpose();
  const Vector3d moment = cross(arm, force) + inertia * turned + cross(turning, inertia * turning);
  Pose forces;
  forces.head<3>() = force;
  forces.tail<3>() = placed.axes.transpose() * moment;
  return forces;
}

LegValues forcesOnMoves(const RigGeometry& geometry, const Pose& pose, const LegMatrix& jacobian,
                        const LegValues& cells) noexcept {
  if (!geometry.cells_in_legs) return cells;
  LegValues forces = jacobian.transpose() * cells;
  const Pose weight = weightOn(geometry, pose);
  for (Index m = 0; m < forces.size(); ++m)
    forces[m] -= weight[static_cast<Index>(geometry.moves[static_cast<std::size_t>(m)])];
  return forces;
}

PoseObstacle obstacleAt(const RigGeometry& geometry, const LegValues& lengths_m, double condition) noexcept {
  using Kind = PoseObstacle::Kind;
  for (Index i = 0; i < lengths_m.size(); ++i) {
    const PlatformLeg& leg = geometry.legs[static_cast<std::size_t>(i)];
    if (!(lengths_m[i] >= leg.shortest_m)) return {Kind::too_short, i, lengths_m[i]};
    if (!(lengths_m[i] <= leg.longest_m)) return {Kind::too_long, i, lengths_m[i]};
  }
  if (!(condition <= geometry.largest_condition)) return {Kind::singular, -1, condition};
  return {};
}

PoseObstacle obstacleAt(const RigGeometry& geometry, const Pose& pose) noexcept {
  LegValues lengths;
  LegMatrix jacobian, inverse;
  legLengths(geometry, pose, lengths);
  legJacobian(geometry, pose, jacobian);
  return obstacleAt(geometry, lengths, conditionOf(geometry, pose, jacobian, inverse));
}

}  // namespace hyb
