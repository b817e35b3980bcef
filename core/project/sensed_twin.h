#pragma once
#include "core/project/project.h"

namespace hyb {

/// Parameters of the project's twin including its sensors: displacement and force sensors of the partition, and strain
/// gauges inside the specimen. `partition`: in actuator axes, unreduced. Throws InputError with places in the project.
TwinParams sensedTwin(const Project& project, const Partition& partition);

}  // namespace hyb
