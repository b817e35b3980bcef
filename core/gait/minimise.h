#pragma once
#include <cstdint>
#include <vector>

namespace hyb {

/// What CMA-ES is to find the least of: `cost(x, self)` over a box, from `start` in it. N. Hansen, A. Ostermeier,
/// Evol. Comput. 9 (2001) 159.
struct CostInABox {
  double (*cost)(const std::vector<double>& x, const void* self) = nullptr;
  const void* self = nullptr;
  std::vector<double> lower = {}, upper = {}, start = {};  // [n]
  unsigned generations = 0, population = 0;
  std::uint32_t seed = 1;
};

/// The best x [n] that was seen; the same seed gives the same. The optimiser is a library of its own, beside the
/// program, which is loaded by the first call: pagmo's tables take longer to make than all else at the start of a
/// program. Throws DeviceError where it is not there. Not real-time.
std::vector<double> minimise(const CostInABox& box);

/// What that library offers, and its name.
inline constexpr const char* kMinimiserFile = "libhyb_minimiser.so";
extern "C" void hyb_minimise(const CostInABox& box, std::vector<double>& best);

}  // namespace hyb
