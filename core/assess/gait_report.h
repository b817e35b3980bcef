#pragma once
#include "core/gait/search.h"
#include "core/project/project.h"

namespace hyb {

struct GaitAsked {
  std::optional<double> speed_m_per_s;  // replaces the project's speed
  std::uint32_t seed = 1;
};
/// Quality of the start of the project's walker, and a better start. "project" and "found" with "start" (as in
/// /coupling/start), "deviation", "steps", "speed_variation", "gait"; "sentence". Throws InputError: the project has no
/// walker, or no walker can start this way.
Json gaitReport(const Project& project, const GaitAsked& asked = {});

}  // namespace hyb
