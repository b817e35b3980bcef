#include <array>

#include "core/compensation/fir.h"

namespace hyb {

std::span<const AdditionEntry> additions() noexcept {
  static constexpr std::array<AdditionEntry, 1> all{{{"fir", parseFir}}};
  return all;
}

}  // namespace hyb
