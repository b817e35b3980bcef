#include <array>

#include "core/compensation/fir.h"
#include "core/compensation/iterative_learning.h"

namespace hyb {

std::span<const AdditionEntry> additions() noexcept {
  static constexpr std::array<AdditionEntry, 2> all{
      {{"fir", parseFir}, {"iterative-learning", parseIterativeLearning}}};
  return all;
}

}  // namespace hyb
