#include <array>

#include "core/coupling/passivity.h"

namespace hyb {

std::span<const ForceStageEntry> forceStages() noexcept {
  static constexpr std::array<ForceStageEntry, 1> all{{{"passivity", parsePassivity}}};
  return all;
}

}  // namespace hyb
