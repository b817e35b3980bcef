#pragma once
#include <memory>
#include <vector>

#include "core/rig/axis_signals.h"
#include "core/rig/rig.h"

namespace hyb {

/// The rig is in control, and the twin runs in parallel on the same commands. Readings, status, interlocks and faults
/// are those of the rig. The twin only adds columns: twin_measured_i, twin_force_i and shadow_gap_i, the rig's
/// displacement minus the twin's.
std::unique_ptr<Rig> makeShadowRig(std::unique_ptr<Rig> rig, std::unique_ptr<Rig> twin,
                                   std::vector<AxisSignals> signals = {});

/// Its further columns after those of the rig.
std::vector<Channel> shadowChannels(const std::vector<AxisSignals>& signals);

}  // namespace hyb
