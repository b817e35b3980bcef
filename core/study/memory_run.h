#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/data/table.h"
#include "core/loop/loop.h"
#include "core/project/project.h"
#include "core/run/run_record.h"
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

class KeptRows;

/// Runs in memory, one after the other: the rows of each take the place of those of the last one. One thread at a time.
class RunMemory {
 public:
  RunMemory();
  ~RunMemory();
  RunMemory(RunMemory&&) noexcept;
  RunMemory& operator=(RunMemory&&) noexcept;
  /// Runs a project on its twin, or on its rig with `devices`. Free runs use the calling thread, paced ones their own.
  /// The run follows `stop`. Limits that hold ramp to zero (unattended.h). `read` gets the run with its rows, which the
  /// next run overwrites. Throws InputError if the project cannot be built.
  MemoryRun run(const Project& project, Pace pace, bool keep_trace, const StopToken& stop, const DeviceFactory& devices,
                const std::function<void(const RunRecord&)>& read = {});

 private:
  std::unique_ptr<KeptRows> rows_;
};

/// One such run with its figures (only with `figures`: they take longer than a short run).
MemoryRun runInMemory(const Project& project, Pace pace, bool keep_trace, const StopToken& stop, bool measures = false,
                      const DeviceFactory& devices = {}, bool figures = true);

}  // namespace hyb
