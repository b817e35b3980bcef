#pragma once
#include <vector>

#include "core/project/project.h"

namespace hyb {

/// Columns that coupling scheme and rig of a project have in every row beside those of the interface, in this order.
std::vector<Channel> furtherChannels(const Project& project, const Partition& partition);

}  // namespace hyb
