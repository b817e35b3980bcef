#pragma once
#include "core/structure/structure.h"

namespace hyb {

/// Adds nonlinear links: an element each with the stiffness at rest, or, in plain matrices, that stiffness in K.
/// Throws InputError ("/structure/nonlinear/0/from").
void addNonlinearLinks(const std::vector<NonlinearSpec>& links, Model& model);

}  // namespace hyb
