#pragma once
#include <Eigen/Core>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace hyb {

/// Component of the pose of a platform: three translations of the platform point, three rotations.
enum class PoseComponent : unsigned char { x, y, z, rx, ry, rz };
inline constexpr std::array<std::string_view, 6> kPoseComponents = {"x", "y", "z", "rx", "ry", "rz"};
constexpr std::string_view name(PoseComponent component) noexcept {
  return kPoseComponents[static_cast<std::size_t>(component)];
}
constexpr bool turns(PoseComponent component) noexcept { return component >= PoseComponent::rx; }

inline constexpr int kMostLegs = 6;
/// [x y z rx ry rz], m and rad; 0: as drawn. x, y, z: motion of the platform point along the axes of the base. The
/// platform turns first by rx about the x axis of the base, then by ry about y, then by rz about z: R = Rz Ry Rx.
using Pose = Eigen::Matrix<double, 6, 1>;
using LegValues = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostLegs, 1>;                       // [leg]
using LegMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostLegs, kMostLegs>;  // [leg, move]

/// One actuator between the joint on the base and the joint on the platform, which both turn freely.
struct PlatformLeg {
  std::string name;
  Eigen::Vector3d base_m = Eigen::Vector3d::Zero(), platform_m = Eigen::Vector3d::Zero();  // joints as drawn
  double shortest_m = 0.0, longest_m = std::numeric_limits<double>::infinity();            // between the joints
};

/// Parallel mechanism that moves the interface. All points are in the axes of the base, with the platform as drawn:
/// pose 0, which is interface position 0.
struct RigGeometry {
  std::vector<PlatformLeg> legs;     // 1 to kMostLegs
  std::vector<PoseComponent> moves;  // as many as legs: motions that the legs control; guides hold the others at 0
  std::vector<PoseComponent> axes;   // [i]: the component that is interface axis i; other moves are commanded to 0
  Eigen::Vector3d point_m = Eigen::Vector3d::Zero();  // platform point
  double largest_condition = 50.0;                    // of the scaled Jacobian; a pose above it counts as singular
  bool cells_in_legs = true;  // each force is that of a leg; false: those of a load cell on the platform, [move]
  double mass_kg = 0.0;       // of the platform with all that it carries: its weight is removed from forces of legs
  Eigen::Vector3d centre_m = Eigen::Vector3d::Zero();  // centre of mass, as drawn
  Eigen::Vector3d gravity_m_per_s2 = Eigen::Vector3d(0, 0, -9.80665);
  Eigen::Vector3d inertia_kg_m2 = Eigen::Vector3d::Zero();  // about the centre, along the axes of the base as drawn
  /// Cut-off of the filter that makes the acceleration of the measured pose, with which the inertia force of the mass
  /// is removed too; 0: it is not removed.
  double acceleration_hz = 0.0;

  Eigen::Index count() const noexcept { return static_cast<Eigen::Index>(legs.size()); }
};

// Kinematics. Real-time safe: no function allocates or throws.

/// Lengths of the legs between their joints, m: |point + translation + R (platform joint - point) - base joint|.
void legLengths(const RigGeometry& geometry, const Pose& pose, LegValues& lengths_m) noexcept;
/// Where the point of the platform that is drawn at `drawn_m` is in this pose, m.
Eigen::Vector3d placeOf(const RigGeometry& geometry, const Pose& pose, const Eigen::Vector3d& drawn_m) noexcept;
/// J = d length / d pose over `moves`: rates of legs = J (rates of the pose), m or m/rad. Its transpose leads from
/// forces along the legs to the forces that do the same work with the rates of the pose.
void legJacobian(const RigGeometry& geometry, const Pose& pose, LegMatrix& jacobian) noexcept;
/// Newton's method from `pose`, for the pose whose legs have these lengths; components outside `moves` remain. At most
/// 25 steps. False: there is no such pose near it, and `pose` is unchanged.
[[nodiscard]] bool poseOfLegs(const RigGeometry& geometry, const LegValues& lengths_m, Pose& pose) noexcept;
/// |A| |J^-1| / legs with Frobenius norms, rotations scaled by armOf(), A = J with the columns of all components (only
/// translations if no leg controls a rotation). At least 1; infinite or NaN if J is singular. The inverse of the
/// unscaled J is returned in `inverse`.
double conditionOf(const RigGeometry& geometry, const Pose& pose, const LegMatrix& jacobian,
                   LegMatrix& inverse) noexcept;
/// Root mean square distance of the platform joints from the platform point, m; 1 if all are there.
double armOf(const RigGeometry& geometry) noexcept;
/// Force of the weight on each component of the pose, N or N m. It acts on the legs like a force of the specimen.
Pose weightOn(const RigGeometry& geometry, const Pose& pose) noexcept;

/// Force that accelerates the mass, on each component of the pose: m a of its centre, and I alpha + omega x I omega,
/// with all terms of a large motion. The legs feel its opposite. `rate` and `acceleration` of the components.
Pose inertiaOn(const RigGeometry& geometry, const Pose& pose, const Pose& rate, const Pose& acceleration) noexcept;
/// Forces on the moves, [move], from those of the load cells at a pose with this Jacobian, without the weight.
LegValues forcesOnMoves(const RigGeometry& geometry, const Pose& pose, const LegMatrix& jacobian,
                        const LegValues& cells) noexcept;

/// Why a pose cannot be used.
struct PoseObstacle {
  enum class Kind : unsigned char { none, too_short, too_long, singular, no_pose };
  Kind kind = Kind::none;
  Eigen::Index leg = -1;  // of too_short and too_long
  double value = 0.0;     // length, m, or condition
  explicit operator bool() const noexcept { return kind != Kind::none; }
};
/// What stands against a pose with these lengths and condition; the first leg beyond its bounds comes before a large
/// condition.
PoseObstacle obstacleAt(const RigGeometry& geometry, const LegValues& lengths_m, double condition) noexcept;
PoseObstacle obstacleAt(const RigGeometry& geometry, const Pose& pose) noexcept;

}  // namespace hyb
