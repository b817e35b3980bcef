#include "core/excitation/ground_motion.h"

#include <cmath>

#include "core/base/error.h"
#include "tests/fuzz/fuzz_file.h"

/// A recorded ground motion in any format and unit, with a step or without: equal steps and finite values, or an
/// InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyb;
  if (size < 1) return 0;
  static const fuzz::MemoryFile file;
  file.fill({data + 1, size - 1});
  try {
    const GroundMotion motion = readGroundMotion(file.path(), static_cast<GroundMotionFormat>(data[0] % 3),
                                                 static_cast<AccelerationUnit>(data[0] / 3 % 4),
                                                 data[0] / 12 % 2 != 0 ? std::optional(0.01) : std::nullopt);
    if (!(std::isfinite(motion.step_s) && motion.step_s > 0.0) || motion.acceleration_mps2.size() < 2) std::abort();
    for (const double value : motion.acceleration_mps2)
      if (!std::isfinite(value)) std::abort();
  } catch (const InputError& error) {
    if (error.issues().empty()) std::abort();
  }
  return 0;
}
