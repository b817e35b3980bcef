#include "core/assess/stride.h"

#include <vector>

#include "core/base/numbers.h"
#include "core/coupling/walker_coupling.h"
#include "core/gait/search.h"
#include "core/gait/walker_row.h"
#include "core/run/build.h"

namespace hyb {

std::optional<double> strideDeviation(const Project& project, const AnalysedRows& rows) {
  if (!project.coupling->walkerApproach_s()) return {};
  const double tick_s = 1.0 / project.loop.rate_hz;
  const auto walker = project.coupling->walker(buildPartition(project), project.integrator, tick_s);
  const std::vector<Channel> names = walkerChannels();
  const auto column = [&](WalkerColumn which) {
    return rows.channel(find(rows.table(), names[static_cast<std::size_t>(which)].name));
  };
  const std::vector<double> body_y = column(WalkerColumn::body_y), body_speed = column(WalkerColumn::body_speed),
                            trunk_angle = column(WalkerColumn::trunk_angle), hip_x = column(WalkerColumn::hip_x),
                            left_foot_x = column(WalkerColumn::left_foot_x),
                            left_ground_y = column(WalkerColumn::left_ground_y),
                            right_ground_y = column(WalkerColumn::right_ground_y), steps = column(WalkerColumn::steps);
  const std::optional<StrideEnd> end =
      strideEnd({body_y, body_speed, trunk_angle, hip_x, left_foot_x, left_ground_y, right_ground_y, steps, tick_s});
  return end ? strideDeviation(walker->start(), *end, walker->params().leg_length_m) : kNoValue;
}

}  // namespace hyb
