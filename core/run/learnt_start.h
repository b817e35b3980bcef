#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/json_fwd.h"
#include "core/loop/trials.h"
#include "core/project/project.h"

namespace hyb {

/// Possible start of a test: values learnt by a trial of another test.
struct LearntStart {
  BestTrial of;      // a trial of the previous test; its learnt values are those at its start
  std::string from;  // for people: "trial 4 of run.h5"
  Json needs;        // learningNeeds() of the previous test
};

/// The parts of a project that must be equal in another test for the learnt values to keep their meaning.
Json learningNeeds(const Project& project);
/// Why the learnt values do not fit this project, one sentence that names the place; "" if they fit.
std::string startFault(const LearntStart& start, const Project& project);
/// From a recorded run, which is replayed up to that trial; 0: the trial with the least error. Throws DeviceError (not
/// a run, no such trial, lost rows) or InputError (its project).
LearntStart learntStartOf(const std::filesystem::path& file, int trial = 0);

}  // namespace hyb
