#pragma once
#include <string>
#include <vector>

#include "core/loop/loop.h"
#include "core/loop/row.h"
#include "core/project/project.h"
#include "core/run/test_run.h"

namespace hyb {

/// Columns of a run, one after the other.
struct Trace {
  std::vector<Channel> channels;
  std::size_t rows = 0;
  std::vector<double> values;  // [channels * rows]: channel c starts at c * rows
};

/// Names of the columns that traces of a test have.
std::vector<std::string> traceNames(const Loop& loop);
/// Takes out the columns that are not named.
void keepOnly(Trace& trace, const std::vector<std::string>& names);

/// A run that was kept in memory instead of a file.
struct MemoryRun {
  EndReason reason = EndReason::running;
  std::string stop_reason;  // sentence
  bool complete = false, valid = false;
  Json metrics;    // as of a run file; its measures only if asked for
  Trace trace;     // every channel; empty unless asked for
  Trace segments;  // a row for each trial, frequency or point of a path, as in /segments of a run file
};

/// Runs a project on its twin, or its rig by `devices`, and takes its figures (not without `figures`: they cost more
/// than a short run). Free runs work on the calling thread; paced ones on a thread of their own. The run
/// follows `stop`. Limits that hold ramp to zero (unattended.h). Throws InputError when the project
/// cannot be built.
MemoryRun runInMemory(const Project& project, Pace pace, bool keep_trace, const StopToken& stop, bool measures = false,
                      const DeviceFactory& devices = {}, bool figures = true);

}  // namespace hyb
