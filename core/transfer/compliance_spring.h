#pragma once
#include "core/structure/partition.h"
#include "core/transfer/params.h"

namespace hyb {

bool hasSprings(const TwinParams& params) noexcept;

/// The partition with the compliance springs of the twin's actuators: the axis of an actuator with a spring is a
/// separate DOF without mass, appended to those of the PS, and that of the specimen is an inner one. Unchanged without
/// springs. Requires valid springs, one actuator per interface DOF or one for all.
Partition behindSprings(Partition partition, const TwinParams& params);

}  // namespace hyb
