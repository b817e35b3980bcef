#pragma once
#include "core/structure/model.h"

namespace hyb {

/// Adds the damping of `spec` to C. Ratios of modes are those of the system itself, which must be held (no rigid-body
/// motion for rayleigh_ratios). Throws InputError ("/structure/damping/...").
void addDamping(const DampingSpec& spec, SystemMatrices& system);

/// Rayleigh factors of the uncut structure, so that both sides of a cut get the same: {mass factor (1/s), stiffness
/// factor (s)}. {0, 0} for other kinds.
std::pair<double, double> rayleighFactors(const DampingSpec& spec, const SystemMatrices& whole);

}  // namespace hyb
