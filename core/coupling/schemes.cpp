#include <array>

#include "core/coupling/external_target.h"
#include "core/coupling/tracking.h"

namespace hyb {

std::span<const CouplingEntry> couplingSchemes() noexcept {
  static constexpr std::array<CouplingEntry, 2> all{{{"tracking", parseTracking}, {"external", parseExternal}}};
  return all;
}

}  // namespace hyb
