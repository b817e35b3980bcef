#pragma once
#include <string>
#include <vector>

#include "core/base/json_fwd.h"
#include "core/project/project.h"
#include "core/structure/partition.h"

namespace hyb {

/// Behaviour of a scheme that closes the gap beside the rig, around the model of the project; empty for other schemes.
///   law, growth_per_s (null: no feedback), stable, largest_gain_factor (largest stable factor on all gains;
///   null: any factor), phase_from_deg, phase_to_deg (tolerated phase errors of its response; null:
///   none), errors: null, or amplitude_ratios [f], phase_errors_deg [t] of the assumed over
///   the true response, and growth_per_s or gap_left [t][f]; fault: in place of all that, the reason why it is unknown.
Json gapLoopReport(const Project& project, const Partition& partition);
/// The report as sentences.
std::vector<std::string> gapLoopSentences(const Json& report);

}  // namespace hyb
