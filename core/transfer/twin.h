#pragma once
#include <memory>

#include "core/loop/rig.h"
#include "core/structure/partition.h"
#include "core/transfer/params.h"

namespace hyb {

/// The digital twin: actuators drive the interface DOF of the specimen (mass-spring-damper chain of the physical part),
/// sensors read displacement and force. Deterministic for a seed. Exact in time between commands as long as no limit
/// acts; where one does, the tick is integrated in substeps. Throws InputError (pointers under /rig) on values that
/// make no sense or a twin that its rate makes unstable.
std::unique_ptr<Rig> makeTwin(const Partition& partition, const TwinParams& params, double step_s);

/// True displacement and force of the twin (before the sensors), for tests and studies. [i]; null if the rig is no
/// twin.
const RigState* trueState(const Rig& rig) noexcept;

}  // namespace hyb
