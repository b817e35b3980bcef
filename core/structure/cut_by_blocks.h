#pragma once
#include "core/structure/partition.h"

namespace hyb {

// Cuts through matrices instead of between elements, for any structure. Throw InputError ("/partition/...").

/// DOF inside the PS, at the interface, and the rest. Faults: unknown or repeated names, share outside 0..1, mass or
/// stiffness between the inner DOF of both sides (names the worst pair), nonlinear links inside the PS.
Partition cutDofs(const Model& model, const CutByDofs& spec);

/// PS (and NS) from given matrices. Faults: unknown or repeated names, wrong sizes, values that are not finite, mass or
/// stiffness unsymmetric or with a negative motion (named), more in the PS than in the reference, DOF on no side.
Partition cutMatrices(const Model& model, const CutByMatrices& spec);

/// cutMatrices() for the matrices of CutByStoreys. Faults: floors not one above the other, unknown names, storeys that
/// are not the lowest ones, a dashpot that would be negative.
Partition cutStoreys(const Model& model, const CutByStoreys& spec);

}  // namespace hyb
