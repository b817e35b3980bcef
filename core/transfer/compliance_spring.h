#pragma once
#include "core/structure/partition.h"
#include "core/transfer/params.h"

namespace hyb {

bool hasSprings(const TwinParams& params) noexcept;

/// The partition as the actuators of the twin meet it: where one pushes through a compliance spring, its axis is a DOF
/// of its own without mass, appended to those of the PS, and the specimen's stays inside. Without springs as it is.
/// Sound springs, one actuator per interface DOF or one for all.
Partition behindSprings(Partition partition, const TwinParams& params);

}  // namespace hyb
