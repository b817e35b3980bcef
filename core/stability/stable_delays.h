#pragma once
#include <vector>

#include "core/stability/delayed_loop.h"

namespace hyb {

struct DelayInterval {
  double from_s, to_s;
};

/// Extra delays from 0 to max_delay_s with which no root lies to the right of the axis, ascending. Beyond the first one
/// there may be islands: a root that had gone to the right comes back with more delay (Araya 2023, note, section 16).
/// The last one ends at max_delay_s where it goes on beyond it. Roots are counted by their crossings of the axis below
/// the cut-off; what has come in through the cut-off line counts until it is seen to have come back, so that an island
/// above such a delay may be missed, and none is made up. With more than two interface DOF the first interval alone is
/// given. Throws as criticalDelay() does.
std::vector<DelayInterval> stableDelays(DelayedLoop& loop, double max_delay_s);
std::vector<DelayInterval> stableDelays(const DelaySystem& system, double cutoff_hz, double max_delay_s);

}  // namespace hyb
