#pragma once
#include <cstdint>
#include <vector>

namespace hyb {

/// Problem for CMA-ES: minimises `cost(x, self)` in a box, from `start` in it. N. Hansen, A. Ostermeier, Evol. Comput.
/// 9 (2001) 159.
struct CostInABox {
  double (*cost)(const std::vector<double>& x, const void* self) = nullptr;
  const void* self = nullptr;
  std::vector<double> lower = {}, upper = {}, start = {};  // [n]
  unsigned generations = 0, population = 0;
  std::uint32_t seed = 1;
};

/// The best evaluated x [n]; the same seed yields the same. The optimiser is a separate library beside the program,
/// loaded by the first call: building pagmo's tables takes longer than the rest of the program start. Throws
/// DeviceError if it is missing. Not real-time.
std::vector<double> minimise(const CostInABox& box);

/// Function of that library, and its name.
inline constexpr const char* kMinimiserFile = "libhyb_minimiser.so";
extern "C" void hyb_minimise(const CostInABox& box, std::vector<double>& best);

}  // namespace hyb
