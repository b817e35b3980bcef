#pragma once
#include <cstdint>

#include "core/gait/walker.h"

namespace hyb {

/// How starts of a gait are looked for, and what counts as one.
struct GaitSearch {
  unsigned generations = 120, population = 12;
  std::uint32_t seed = 1;
  std::int64_t steps = 50;        // that a gait goes on for at least
  double speed_variation = 0.05;  // of it, from step to step, at most
};

struct FoundGait {
  GaitStart start;
  double deviation = 0.0;        // over one stride, root of the sum of squares, without units
  std::int64_t steps = 0;        // walked, GaitSearch::steps at most
  double speed_variation = 0.0;  // largest change of the forward speed from one touch-down to the next, as a share
  /// It goes on.
  bool gait = false;
};

/// A start from which the walker comes back to where it began after one stride, by CMA-ES over height and trunk rate;
/// speed and angle of the trunk stay as in `from`, for periodic gaits are a family of one parameter. The deviation is
/// that of height and place of the hip over its foot (in legs), speed (in speeds), trunk and its rate (in rad, by the
/// time that a leg swings). Both legs are taken for sound, for no rig is here. The same seed gives the same start.
/// Sources: C. Insam, dissertation (TUM 2022), section 16.2.1; N. Hansen, A. Ostermeier, Evol. Comput. 9 (2001) 159.
FoundGait searchGait(WalkerParams params, const GaitStart& from, Scheme scheme, double step_s,
                     const GaitSearch& search = {});
/// How it walks from this start, deviation and all.
FoundGait walkedFrom(WalkerParams params, const GaitStart& start, Scheme scheme, double step_s,
                     const GaitSearch& search = {});

}  // namespace hyb
