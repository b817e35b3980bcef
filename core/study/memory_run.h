#pragma once
#include <string>
#include <vector>

#include "core/data/table.h"
#include "core/loop/loop.h"
#include "core/project/project.h"
#include "core/run/test_run.h"

namespace hyb {

/// Names of the columns in traces of a test.
std::vector<std::string> traceNames(const Loop& loop);
/// The columns of a trace that are named, in its order and in memory of their own.
Table kept(const Table& trace, const std::vector<std::string>& names);

/// A run kept in memory instead of a file.
struct MemoryRun {
  EndReason reason = EndReason::running;
  std::string stop_reason;  // sentence
  bool complete = false, valid = false;
  Json metrics;    // as in a run file; its measures only if required
  Table trace;     // every channel as it was recorded; no rows unless required
  Table segments;  // one row for each trial, frequency or point of a path, as in /segments of a run file
};

/// Runs a project on its twin, or on its rig with `devices`, and computes its figures (only with `figures`: they take
/// longer than a short run). Free runs use the calling thread, paced ones their own. The run follows `stop`. Limits
/// that hold ramp to zero (unattended.h). Throws InputError if the project cannot be built.
MemoryRun runInMemory(const Project& project, Pace pace, bool keep_trace, const StopToken& stop, bool measures = false,
                      const DeviceFactory& devices = {}, bool figures = true);

}  // namespace hyb
