#pragma once
#include <cstdint>

#include "core/gait/walker.h"

namespace hyb {

/// Settings of the search for a start of a gait, and criteria of a gait.
struct GaitSearch {
  unsigned generations = 120, population = 12;
  std::uint32_t seed = 1;
  std::int64_t steps = 50;        // least number of steps of a gait
  double speed_variation = 0.05;  // largest relative variation from step to step
};

struct FoundGait {
  GaitStart start;
  double deviation = 0.0;        // over one stride, root of the sum of squares, dimensionless
  std::int64_t steps = 0;        // walked, GaitSearch::steps at most
  double speed_variation = 0.0;  // largest relative change of the forward speed from one touch-down to the next
  /// True if it continues to walk.
  bool gait = false;
};

/// A start from which the walker returns to its initial state after one stride, by CMA-ES over height and trunk rate;
/// speed and angle of the trunk stay as in `from`, because periodic gaits are a family of one parameter. The deviation
/// is that of height and position of the hip over its foot (in legs), speed (in speeds), trunk and its rate (in rad, by
/// the swing time of a leg). Both legs are sound, because there is no rig here. The same seed yields the same start.
/// Sources: C. Insam, dissertation (TUM 2022), section 16.2.1; N. Hansen, A. Ostermeier, Evol. Comput. 9 (2001) 159.
FoundGait searchGait(WalkerParams params, const GaitStart& from, Scheme scheme, double step_s,
                     const GaitSearch& search = {});
/// The walk from this start, with its deviation.
FoundGait walkedFrom(WalkerParams params, const GaitStart& start, Scheme scheme, double step_s,
                     const GaitSearch& search = {});

}  // namespace hyb
