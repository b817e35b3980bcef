#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "core/gait/walker.h"

namespace hyb {

/// Settings of the search for a start of a gait, and criteria of a gait.
struct GaitSearch {
  unsigned generations = 120, population = 12;
  std::uint32_t seed = 1;
  std::int64_t steps = 50;        // least number of steps of a gait
  double speed_variation = 0.05;  // largest relative variation from step to step
};

/// State at the end of a stride: the next apex at which only the left foot stands.
struct StrideEnd {
  double height_m, ahead_m;  // of the centre of mass; of the hip, ahead of the left foot
  double speed_m_per_s, trunk_rad, trunk_rate_rad_per_s;
};
/// Deviation from the start over one stride, root of the sum of squares, dimensionless: of height and position of the
/// hip over its foot (in legs), speed (in speeds), trunk and its rate (in rad, by the swing time of a leg). The
/// vertical velocity, which the source lists too, is 0 at both; the position of the hip takes its place.
double strideDeviation(const GaitStart& start, const StrideEnd& end, double leg_m) noexcept;

/// Walker columns of a test from its start on, one value per tick, [k].
struct StrideColumns {
  std::span<const double> body_y, body_speed, trunk_angle, hip_x, left_foot_x, left_ground_y, right_ground_y, steps;
  double tick_s = 1e-3;
};
/// None: the columns do not contain both touch-downs and the apex after them.
std::optional<StrideEnd> strideEnd(const StrideColumns& columns) noexcept;

struct FoundGait {
  GaitStart start;
  double deviation = 0.0;        // strideDeviation()
  std::int64_t steps = 0;        // walked, GaitSearch::steps at most
  double speed_variation = 0.0;  // largest relative change of the forward speed from one touch-down to the next
  /// True if it continues to walk.
  bool gait = false;
};

/// A start from which the walker returns to its initial state after one stride, by CMA-ES over height and trunk rate;
/// speed and angle of the trunk stay as in `from`, because periodic gaits are a family of one parameter. Both legs are
/// sound, because there is no rig here. The same seed yields the same start.
/// Sources: C. Insam, dissertation (TUM 2022), section 16.2.1; N. Hansen, A. Ostermeier, Evol. Comput. 9 (2001) 159.
FoundGait searchGait(WalkerParams params, const GaitStart& from, Scheme scheme, double step_s,
                     const GaitSearch& search = {});
/// The walk from this start, with its deviation.
FoundGait walkedFrom(WalkerParams params, const GaitStart& start, Scheme scheme, double step_s,
                     const GaitSearch& search = {});

}  // namespace hyb
