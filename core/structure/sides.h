#pragma once
#include "core/structure/partition.h"

namespace hyb {

/// `matrix` of a side at the DOF it has in `whole`, by name; [n, n] of the whole.
SparseMatrix spread(const SparseMatrix& matrix, const SystemMatrices& side, const SystemMatrices& whole);

/// The chosen DOF of a system over all DOF; nonlinear links follow.
SystemMatrices select(const SystemMatrices& whole, const std::vector<Eigen::Index>& dofs);

/// Partition from the whole structure and both sides, all over the same n DOF. The masks say which DOF a side has;
/// those of both are the interface. Ground loads of the whole act on the NS.
Partition join(const SystemMatrices& whole, const SystemMatrices& numerical, const SystemMatrices& physical,
               const std::vector<bool>& in_ns, const std::vector<bool>& in_ps);

/// Splits damping `c` of the whole between the sides: blocks that touch inner DOF of the PS go there, the rest to the
/// NS. What couples inner DOF of both sides is left out.
void shareDamping(const SparseMatrix& c, Partition& partition);

/// What both sides miss of the reference, the supports and ground loads that the rig cannot bring in; throws InputError
/// for a part that floats when the interface is held.
void finish(Partition& partition);

}  // namespace hyb
