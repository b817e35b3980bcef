#pragma once
#include <string>
#include <vector>

#include "core/project/command_bounds.h"
#include "core/project/project.h"

namespace hyb {

/// The section /rig/geometry.
RigGeometry parseGeometry(const Json& section);

/// For a valid project with a geometry: reach of each interface axis with the others at 0, limits of the interface that
/// exceed it, and lengths of the legs within these limits. `all` is false if the limits exceed the reach.
struct ReachWords {
  std::vector<std::string> sentences;
  bool all = true;
};
ReachWords reachWords(const Project& project);

/// Number of actuators on the rig: legs of its geometry, or interface axes.
std::size_t actuatorCount(const Project& project, std::size_t interfaces);
/// changeBounds(), for each actuator. A leg moves at most as far as all translations together, plus each rotation on
/// the arm of its joint, so no command within the bounds of the interface exceeds its own.
std::vector<ChangeBounds> actuatorBounds(const Project& project);
/// Effective channels of the rig of a project: rigChannels().
std::vector<ChannelSpec> projectChannels(const Project& project, std::size_t interfaces);

}  // namespace hyb
