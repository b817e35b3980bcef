#include <array>

#include "core/force_stage/contact_force.h"
#include "core/force_stage/passivity.h"

namespace hyb {

std::span<const ForceStageEntry> forceStages() noexcept {
  static constexpr std::array<ForceStageEntry, 2> all{
      {{"passivity", parsePassivity}, {"contact-force", parseContactForce}}};
  return all;
}

}  // namespace hyb
