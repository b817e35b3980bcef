#pragma once
#include "core/gait/search.h"
#include "core/project/project.h"

namespace hyb {

struct GaitAsked {
  std::optional<double> speed_m_per_s;  // in place of the project's
  std::uint32_t seed = 1;
};
/// What the start of the project's walker is worth, and a better one: "project" and "found" with "start" (as
/// /coupling/start has it), "deviation", "steps", "speed_variation", "gait"; "sentence". Throws InputError: nobody
/// walks in the project, or no walker begins so.
Json gaitReport(const Project& project, const GaitAsked& asked = {});

}  // namespace hyb
