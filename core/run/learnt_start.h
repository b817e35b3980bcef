#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/json_fwd.h"
#include "core/loop/trials.h"
#include "core/project/project.h"

namespace hyb {

/// What a test can begin with: learnt by a trial of another one.
struct LearntStart {
  BestTrial of;      // a trial of the test before; its learnt is what it began with
  std::string from;  // for people: "trial 4 of run.h5"
  Json needs;        // learningNeeds() of that test
};

/// What must be the same in another test for what was learnt in this one to mean the same there.
Json learningNeeds(const Project& project);
/// Why what was learnt means something else in this project, one sentence that names the place; "" where it fits.
std::string startFault(const LearntStart& start, const Project& project);
/// Of a recorded run, which is replayed up to that trial; 0: the one with the least error. Throws DeviceError (no run,
/// no such trial, rows were lost) or InputError (its project).
LearntStart learntStartOf(const std::filesystem::path& file, int trial = 0);

}  // namespace hyb
