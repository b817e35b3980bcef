#pragma once
#include <vector>

#include "core/stability/delayed_loop.h"

namespace hyb {

struct DelayInterval {
  double from_s, to_s;
};

/// Extra delays from 0 to max_delay_s without a root to the right of the axis, ascending. Beyond the first interval
/// there may be islands: a root that moved to the right returns with more delay (Araya 2023, note, section 16). The
/// last one ends at max_delay_s if it continues beyond it. Roots are counted by their crossings of the axis below the
/// cut-off. A root that entered through the cut-off line counts until its return is confirmed, so that an island above
/// such a delay may be missed, but no false island is reported. With more than two interface DOF only the first
/// interval is returned. Throws as criticalDelay().
std::vector<DelayInterval> stableDelays(DelayedLoop& loop, double max_delay_s);
std::vector<DelayInterval> stableDelays(const DelaySystem& system, double cutoff_hz, double max_delay_s);

}  // namespace hyb
