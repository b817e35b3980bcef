#pragma once
#include "core/structure/model.h"

namespace hyb {

/// Throws InputError ("/structure") that names the DOF of meshed structures that move without any spring, damper,
/// nonlinear link or support holding them. Each part that members join is taken as one rigid body, so that the answer
/// does not depend on the mesh.
void refuseMechanisms(const Model& model);

}  // namespace hyb
