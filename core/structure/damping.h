#pragma once
#include "core/structure/model.h"

namespace hyb {

/// Modal damping is a full matrix; beyond this many DOF it is refused.
inline constexpr Eigen::Index kMostModallyDamped = 1500;

/// Throws InputError ("/structure/damping/ratios/0"): factors negative or not finite, ratios outside 0 <= ratio < 1,
/// not two ratios or frequencies for Rayleigh damping.
void checkDamping(const DampingSpec& spec);

/// Adds the damping of `spec` to C. Ratios of modes are those of the system itself; modal damping leaves rigid-body
/// motion undamped, and DOF without mass. Throws InputError ("/structure/damping/...") as checkDamping and
/// rayleighFactors do, and for too many DOF.
void addDamping(const DampingSpec& spec, SystemMatrices& system);

/// Damping of a side in its modes with the interface held, over its motion relative to its static one:
///   C = B^T M_bb Phi diag(2 zeta w) Phi^T M_bb B,   B = [K_bb^-1 K_bi, 1]
/// so that a motion of the whole as a rigid body is not damped. [n, n]; the last ratio holds for all further modes.
/// Throws InputError as addDamping does, and where the side floats with its interface held.
SparseMatrix clampedModalDamping(const std::vector<double>& ratios, const SystemMatrices& side,
                                 const std::vector<Eigen::Index>& interface);

/// Rayleigh factors of the uncut structure, so that both sides of a cut get the same: {mass factor (1/s), stiffness
/// factor (s)}. {0, 0} for other kinds. Throws InputError: no two different frequencies above 0, or ratios that would
/// need a negative factor, which feeds energy into slow or fast modes.
std::pair<double, double> rayleighFactors(const DampingSpec& spec, const SystemMatrices& whole);

}  // namespace hyb
