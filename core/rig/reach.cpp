#include "core/rig/reach.h"

#include <cmath>

#include "core/base/figure_text.h"
#include "core/base/numbers.h"

namespace hyb {
namespace {

using Eigen::Index;

constexpr int kPlaces = 200;    // of the search outwards
constexpr double kFine = 1e-4;  // of the size of the mechanism, or rad

const char* poseUnit(PoseComponent component) { return turns(component) ? " rad" : " m"; }

/// Outermost usable value in the direction of `sign`, and what stands behind it.
double outermost(const RigGeometry& geometry, Index component, double sign, double furthest, PoseObstacle& beyond) {
  Pose pose = Pose::Zero();
  const auto at = [&](double value) {
    pose[component] = sign * value;
    return obstacleAt(geometry, pose);
  };
  double good = 0.0, bad = 0.0;
  for (int p = 1; p <= kPlaces && !beyond; ++p) {
    good = bad;
    bad = furthest * p / kPlaces;
    beyond = at(bad);
  }
  if (!beyond) return sign * furthest;
  const double fine = kFine * (component >= 3 ? 1.0 : furthest);
  while (bad - good > fine) {
    const double middle = 0.5 * (good + bad);
    if (const PoseObstacle obstacle = at(middle)) {
      bad = middle;
      beyond = obstacle;
    } else {
      good = middle;
    }
  }
  return sign * good;
}

}  // namespace

ComponentReach reachOf(const RigGeometry& geometry, PoseComponent component) {
  double furthest = 0.25 * kTwoPi;
  if (!turns(component)) {
    LegValues drawn;
    legLengths(geometry, Pose::Zero(), drawn);
    furthest = drawn.maxCoeff();
  }
  const auto at = static_cast<Index>(component);
  ComponentReach reach;
  if (const PoseObstacle here = obstacleAt(geometry, Pose::Zero())) {
    reach.before_from = reach.beyond_to = here;
    return reach;
  }
  reach.from = outermost(geometry, at, -1.0, furthest, reach.before_from);
  reach.to = outermost(geometry, at, 1.0, furthest, reach.beyond_to);
  return reach;
}

LegTravel travelOf(const RigGeometry& geometry, const LegValues& most) {
  const auto moves = static_cast<Index>(geometry.moves.size());
  LegTravel travel;
  legLengths(geometry, Pose::Zero(), travel.from_m);
  travel.to_m = travel.from_m;
  int poses = 1;
  for (Index m = 0; m < moves; ++m) poses *= 3;
  LegValues lengths;
  for (int p = 0; p < poses; ++p) {
    Pose pose = Pose::Zero();
    for (Index m = 0, rest = p; m < moves; ++m, rest /= 3)
      pose[static_cast<Index>(geometry.moves[static_cast<std::size_t>(m)])] =
          most[m] * static_cast<double>(rest % 3 == 2 ? -1 : rest % 3);
    legLengths(geometry, pose, lengths);
    travel.from_m = travel.from_m.cwiseMin(lengths);
    travel.to_m = travel.to_m.cwiseMax(lengths);
    if (travel.obstacle) continue;
    travel.obstacle = obstacleAt(geometry, pose);
    travel.bad = pose;
  }
  return travel;
}

std::string poseText(const RigGeometry& geometry, const Pose& pose) {
  std::string text;
  for (const PoseComponent component : geometry.moves)
    if (const double value = pose[static_cast<Index>(component)]; value != 0.0)
      text +=
          (text.empty() ? "" : ", ") + std::string(name(component)) + " = " + figureText(value) + poseUnit(component);
  return text.empty() ? "at rest" : text;
}

std::string obstacleText(const RigGeometry& geometry, const PoseObstacle& obstacle) {
  using Kind = PoseObstacle::Kind;
  if (obstacle.leg >= 0) {
    const PlatformLeg& leg = geometry.legs[static_cast<std::size_t>(obstacle.leg)];
    const bool is_short = obstacle.kind == Kind::too_short;
    return "leg \"" + leg.name + "\" would be " + figureText(obstacle.value, 6) + " m long, and its " +
           (is_short ? "shortest length is " + figureText(leg.shortest_m, 6)
                     : "longest length is " + figureText(leg.longest_m, 6)) +
           " m";
  }
  if (obstacle.kind == Kind::singular)
    return "the legs hardly control the platform there: the condition number is " +
           (std::isfinite(obstacle.value) ? figureText(obstacle.value) : "infinite") + ", and its bound is " +
           figureText(geometry.largest_condition);
  return obstacle.kind == Kind::no_pose ? "no pose of the platform has the measured leg lengths" : "";
}

}  // namespace hyb
