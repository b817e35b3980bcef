#pragma once
#include "core/transfer/specimen_law.h"

namespace hyb {

/// What a suspension that stiffens to both sides of a place off its rest has beside its linear spring, over the place
/// y = x + x0: k3 (y^3 - x0^3). Null: k3 is 0.
SpecimenLawPtr suspension(double cubic_n_per_m3, double offset_m);
/// Its stiffness at rest beside the linear spring's, N/m.
constexpr double suspensionStiffness(double cubic_n_per_m3, double offset_m) noexcept {
  return 3.0 * cubic_n_per_m3 * offset_m * offset_m;
}
/// Adds the faults of its settings.
void checkSuspension(Checks& checks, double cubic_n_per_m3, double offset_m);

}  // namespace hyb
