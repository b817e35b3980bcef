#pragma once
#include "core/structure/model.h"

namespace hyb {

/// Throws InputError ("/structure") that names the DOF of meshed structures that can move without resistance of a
/// spring, damper, nonlinear link or support. Each part that members connect is treated as one rigid body, so that the
/// result does not depend on the mesh.
void refuseMechanisms(const Model& model);

}  // namespace hyb
