#pragma once
#include <vector>

#include "core/project/project.h"

namespace hyb {

/// Columns of every row that coupling scheme and rig of a project add to those of the interface, in this order.
std::vector<Channel> furtherChannels(const Project& project, const Partition& partition);

}  // namespace hyb
