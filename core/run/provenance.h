#pragma once
#include "core/project/project.h"
#include "core/record/run_file_writer.h"
#include "core/structure/partition.h"

namespace hyb {

/// What a run file stores on the model and the solver: text for people, the same data as attributes of /config for
/// programs, and the bases of the reductions. `partition`: before any reduction.
void describeModel(const Project& project, const Partition& partition, RunFileHeader& header);

}  // namespace hyb
