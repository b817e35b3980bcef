#pragma once
#include "core/structure/model.h"

namespace hyb {

/// Modal damping is a full matrix; it is refused beyond this number of DOF.
inline constexpr Eigen::Index kMostModallyDamped = 1500;

/// Throws InputError ("/structure/damping/ratios/0"): factors negative or not finite, ratios outside 0 <= ratio < 1,
/// Rayleigh damping without exactly two ratios or frequencies.
void checkDamping(const DampingSpec& spec);

/// Adds the damping of `spec` to C. Modal ratios refer to the modes of the system itself. Modal damping does not damp
/// rigid-body motion and DOF without mass. Throws InputError ("/structure/damping/...") as checkDamping and
/// rayleighFactors do, and for too many DOF.
void addDamping(const DampingSpec& spec, SystemMatrices& system);

/// Damping of a side in its modes with the interface held, over its motion relative to its static one:
///   C = B^T M_bb Phi diag(2 zeta w) Phi^T M_bb B,   B = [K_bb^-1 K_bi, 1]
/// A rigid-body motion is not damped. [n, n]; the last ratio is used for all further modes. Throws InputError as
/// addDamping does, and if the side floats with its interface held.
SparseMatrix clampedModalDamping(const std::vector<double>& ratios, const SystemMatrices& side,
                                 const std::vector<Eigen::Index>& interface);

/// Rayleigh factors of the uncut structure, so that both sides of a cut use the same: {mass factor (1/s), stiffness
/// factor (s)}. {0, 0} for other kinds. Throws InputError: no two different frequencies above 0, or ratios that require
/// a negative factor, which feeds energy into slow or fast modes.
std::pair<double, double> rayleighFactors(const DampingSpec& spec, const SystemMatrices& whole);

}  // namespace hyb
