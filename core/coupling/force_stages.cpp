#include <array>

#include "core/coupling/contact_force.h"
#include "core/coupling/passivity.h"

namespace hyb {

std::span<const ForceStageEntry> forceStages() noexcept {
  static constexpr std::array<ForceStageEntry, 2> all{
      {{"passivity", parsePassivity}, {"contact-force", parseContactForce}}};
  return all;
}

}  // namespace hyb
