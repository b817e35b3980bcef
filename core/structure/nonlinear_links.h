#pragma once
#include "core/structure/structure.h"

namespace hyb {

/// Adds nonlinear links: one element each with the stiffness at rest, or, for plain matrices, adds that stiffness to K.
/// Throws InputError ("/structure/nonlinear/0/from").
void addNonlinearLinks(const std::vector<NonlinearSpec>& links, Model& model);

}  // namespace hyb
