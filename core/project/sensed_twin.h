#pragma once
#include "core/project/project.h"

namespace hyb {

/// The parameters of the project's twin with what its sensors read: displacement and force sensors of the partition,
/// and of those the strain gauges inside the specimen. `partition`: in actuator axes, not reduced. Throws InputError
/// with places in the project.
TwinParams sensedTwin(const Project& project, const Partition& partition);

}  // namespace hyb
