#pragma once
#include "core/transfer/specimen_law.h"

namespace hyb {

/// Smooth hysteresis, as in the nonlinear link of that name.
SpecimenLawPtr boucWenLaw(const BoucWenSpring& spring, double damping_n_s_per_m = 0.0);
SpecimenLawPtr parseBoucWen(const Json& settings);

}  // namespace hyb
