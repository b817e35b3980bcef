#pragma once
#include "core/transfer/specimen_law.h"

namespace hyb {

/// Hardening or softening spring, as in the nonlinear link of that name.
SpecimenLawPtr cubicLaw(const CubicSpring& spring, double damping_n_s_per_m = 0.0);
SpecimenLawPtr parseCubic(const Json& settings);

}  // namespace hyb
