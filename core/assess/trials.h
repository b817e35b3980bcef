#pragma once
#include <optional>
#include <span>

#include "core/fidelity/trial_scatter.h"
#include "core/run/analysed_rows.h"

namespace hyb {

/// Scatter of a channel of the analysed rows (one value per period) between the trials of the run that ran to their end
/// and lie within these rows. None: the run has no trials.
std::optional<TrialScatter> trialScatter(const AnalysedRows& rows, std::span<const double> channel);

}  // namespace hyb
