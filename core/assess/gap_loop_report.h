#pragma once
#include <string>
#include <vector>

#include "core/base/json_fwd.h"
#include "core/project/project.h"
#include "core/structure/partition.h"

namespace hyb {

/// How a scheme that closes the gap beside the rig does around the model of the project; empty: this is no such scheme.
///   law, growth_per_s (null: nothing is fed back), stable, largest_gain_factor (on all gains, up to which it is
///   stable; null: at any), phase_from_deg, phase_to_deg (errors of the phase of its response that it bears; null:
///   there are none), errors: null, or amplitude_ratios [f], phase_errors_deg [t] of the response that it takes over
///   the true one, and growth_per_s or gap_left [t][f]; fault: in place of all that, why nothing is known.
Json gapLoopReport(const Project& project, const Partition& partition);
/// What it says, sentence by sentence.
std::vector<std::string> gapLoopSentences(const Json& report);

}  // namespace hyb
