#pragma once
#include "core/transfer/specimen_law.h"

namespace hyb {

/// Force, in addition to the linear spring, of a suspension that stiffens on both sides of a point beside its rest
/// position, over the position y = x + x0: k3 (y^3 - x0^3). Null: k3 is 0.
SpecimenLawPtr suspension(double cubic_n_per_m3, double offset_m);
/// Its stiffness at rest in addition to that of the linear spring, N/m.
constexpr double suspensionStiffness(double cubic_n_per_m3, double offset_m) noexcept {
  return 3.0 * cubic_n_per_m3 * offset_m * offset_m;
}
/// Adds the faults of its settings.
void checkSuspension(Checks& checks, double cubic_n_per_m3, double offset_m);

}  // namespace hyb
