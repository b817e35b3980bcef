#pragma once
#include "core/structure/structure.h"

namespace hyb {

/// Mesh of the frame; names as in structure.h. Throws InputError ("/structure/members/2/from"), also for nodes without
/// a member or spring.
Model frameModel(const FrameStructure& frame);

}  // namespace hyb
