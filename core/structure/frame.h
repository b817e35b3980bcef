#pragma once
#include "core/structure/structure.h"

namespace hyb {

/// Mesh of the frame; names as in structure.h. Throws InputError ("/structure/members/2/from"), also for nodes that
/// nothing touches.
Model frameModel(const FrameStructure& frame);

}  // namespace hyb
