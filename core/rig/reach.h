#pragma once
#include <string>

#include "core/rig/rig_geometry.h"

namespace hyb {

/// Positions of one component of the pose, from rest outwards, that legs and condition allow; the others are 0.
struct ComponentReach {
  double from = 0.0, to = 0.0;          // m or rad
  PoseObstacle before_from, beyond_to;  // what ends it; none: it ends at the bound of the search
};
/// To 1e-4 of the size of the mechanism (rotations: 1e-4 rad), up to a motion of its size or to a right angle.
ComponentReach reachOf(const RigGeometry& geometry, PoseComponent component);

/// Shortest and longest leg, [leg], m, over poses whose components are at most `most` [move] from 0, from a grid of
/// three places for each component, and the first of these poses that cannot be used.
struct LegTravel {
  LegValues from_m, to_m;
  Pose bad = Pose::Zero();
  PoseObstacle obstacle;  // at `bad`
};
LegTravel travelOf(const RigGeometry& geometry, const LegValues& most);

/// Texts: "z = 0.12 m, ry = 0.1 rad", components that are not 0, or "at rest"; "leg \"1\" would be 0.9012 m long, and
/// its longest length is 0.9 m".
std::string poseText(const RigGeometry& geometry, const Pose& pose);
std::string obstacleText(const RigGeometry& geometry, const PoseObstacle& obstacle);

}  // namespace hyb
