#pragma once
#include "core/base/checks.h"
#include "core/structure/partition.h"

namespace hyb {

/// Index of the DOF called `name`; -1 and a fault with the most similar name if there is none.
Eigen::Index dofCalled(const std::string& name, const std::vector<Dof>& dofs, const std::string& where, Checks& checks);

/// A motion as a sum over DOF, scaled to a largest share of 1: "B.y - 0.04 B.rotation".
std::string motionText(const Eigen::VectorXd& motion, const std::vector<Dof>& dofs);

/// Indices 0..n-1 that are not in `chosen`, ascending.
std::vector<Eigen::Index> others(const std::vector<Eigen::Index>& chosen, Eigen::Index n);

/// DOF that are connected to `start` through the groups; [n].
std::vector<bool> reached(std::vector<bool> start, const std::vector<std::vector<Eigen::Index>>& groups);

/// `matrix` of a side placed at its DOF in `whole`, by name; [n, n] of the whole.
SparseMatrix spread(const SparseMatrix& matrix, const SystemMatrices& side, const SystemMatrices& whole);

/// Partition from the whole structure and both sides, all over the same n DOF. The masks mark the DOF of each side; DOF
/// of both are the interface. Ground loads of the whole act on the NS.
Partition join(const SystemMatrices& whole, const SystemMatrices& numerical, const SystemMatrices& physical,
               const std::vector<bool>& in_ns, const std::vector<bool>& in_ps);

/// DOF inside the PS (J), at the interface (I) and inside the NS (N).
struct Regions {
  std::vector<Eigen::Index> physical, interface, numerical;
};
/// Splits a symmetric, semi-definite matrix in two: blocks with J belong to the PS, those with N to the NS. The PS part
/// of the interface block is A_IJ A_JJ^+ A_JI + share R, with the rest that neither side needs, R = A_II - A_IJ A_JJ^+
/// A_JI - A_IN A_NN^+ A_NI. A_JN is in neither. If R is not semi-definite without it (modal damping of the whole
/// structure), both sides share its positive part, so that neither adds energy. If A_JJ itself has a negative part, the
/// NS gets its share.
struct Halves {
  SparseMatrix numerical, physical;  // [n, n] both
};
Halves halve(const SparseMatrix& a, const Regions& regions, double share);

/// Adds damping outside the elements to all three systems: Rayleigh factors of the uncut structure on each side; modal
/// damping of the uncut structure divided by `share` (couplings between inner DOF of both sides are left out), or modal
/// damping of each side by its own modes.
void addDamping(const DampingSpec& spec, Partition& partition, double share);

/// Throws InputError for a part that floats while the interface is held, and for one on the rig that is not connected
/// to it. Dampers and nonlinear links hold a part as springs do; call it before damping of the whole is added.
void checkHeld(const Partition& partition);

/// Computes the part of the reference that both sides leave out, and the supports and ground loads that the rig cannot
/// apply.
void finish(Partition& partition);

}  // namespace hyb
