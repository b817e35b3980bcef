#pragma once
#include "core/project/project.h"
#include "core/record/run_file_writer.h"
#include "core/structure/partition.h"

namespace hyb {

/// What a run file says of the model and the solver that were used: words for people, the same as attributes of /config
/// for programs, and the bases of the reductions. `partition` is the one before any reduction.
void describeModel(const Project& project, const Partition& partition, RunFileHeader& header);

}  // namespace hyb
