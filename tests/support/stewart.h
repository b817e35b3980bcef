#pragma once
#include <cmath>
#include <numbers>
#include <string>

#include "core/rig/rig_geometry.h"

namespace hyb::test {

inline constexpr double kStewartHeight_m = 0.7;

/// Six equal legs of 180 mm stroke in three pairs: joints of the base on a circle of 0.45 m, of the platform on one of
/// 0.28 m, 0.7 m above it.
inline RigGeometry stewart() {
  constexpr double kDegree = std::numbers::pi / 180.0;
  RigGeometry geometry;
  for (int i = 0; i < 6; ++i) {
    const double side = i % 2 == 0 ? -1.0 : 1.0, base = (120.0 * (i / 2) + 12.0 * side) * kDegree,
                 platform = (120.0 * (i / 2) + 50.0 * side) * kDegree;
    PlatformLeg leg;
    leg.name = "leg-" + std::to_string(i + 1);
    leg.base_m = {0.45 * std::cos(base), 0.45 * std::sin(base), 0.0};
    leg.platform_m = {0.28 * std::cos(platform), 0.28 * std::sin(platform), kStewartHeight_m};
    leg.shortest_m = 0.667;
    leg.longest_m = 0.847;
    geometry.legs.push_back(leg);
    geometry.moves.push_back(static_cast<PoseComponent>(i));
  }
  geometry.axes = geometry.moves;
  geometry.point_m = {0.0, 0.0, kStewartHeight_m};
  return geometry;
}

}  // namespace hyb::test
