#pragma once
#include <string>

#include "core/base/json_fwd.h"
#include "core/project/project.h"

namespace hyb {

/// Largest error that the expected hum of a project leaves in the averages of its scheme, for planning: periods,
/// window, hum_hz, frequency_hz and harmonic with the largest share, share, error_n, error_m (null without hum in such
/// signals), tolerance_m (null if the residual has another unit). Null: no hum is stated, or the scheme takes no
/// averages.
Json humReport(const Project& project);
/// One or two sentences about such a report that is not null.
std::string humSentence(const Json& report);
/// True if the error in motions exceeds the tolerance of the residual.
bool humExceeds(const Json& report);

}  // namespace hyb
