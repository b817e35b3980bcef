#include <array>

#include "core/coupling/external_target.h"
#include "core/coupling/tracking.h"

namespace hyb {

std::span<const CouplingEntry> couplingSchemes() noexcept {
  static constexpr std::array<CouplingEntry, 2> all{{{"tracking", parseTracking}, {"external", parseExternal}}};
  return all;
}

std::vector<Tunable> compensationTunables(const Compensator& compensator) {
  std::vector<Tunable> tunables = compensator.tunables();
  for (Tunable& tunable : tunables) tunable.field = "/compensation" + tunable.field;
  return tunables;
}

}  // namespace hyb
