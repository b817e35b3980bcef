#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/record/run_file_reader.h"

namespace hyb {

struct ReplayOptions {
  std::vector<std::string>
      changes;  // "/pointer=VALUE" applied to the recorded project, to see the commands it would have given
  std::filesystem::path folder;  // start of relative paths of the project
  std::filesystem::path output;  // run file of the replay; empty: no file
};

struct ReplayDifference {
  std::uint64_t tick = 0;
  std::string channel;  // "command_1"
  double recorded = 0.0, replayed = 0.0;
};

struct ReplayReport {
  std::uint64_t rows = 0;            // replayed rows
  std::uint64_t differing_rows = 0;  // rows with at least one different command
  std::optional<ReplayDifference> first;
  std::string early_end;  // one sentence if the replay ended before the recording; otherwise ""
  bool exact() const noexcept { return differing_rows == 0 && early_end.empty(); }
};

/// Runs the recorded project again, with the recorded readings and rig states in place of the rig. It follows the
/// record tick by tick, including late ticks and changes by the operator. Commands are compared bit for bit (two NaN
/// are equal). Works for files of every rig, and for recovered files. Throws DeviceError (not a run file, lost rows,
/// missing data) or InputError (the project, a change).
ReplayReport replay(const RunFileReader& run, const ReplayOptions& options = {});

/// What the compensation had learnt at the start of this trial of the run, found by a replay up to that point. Throws
/// as replay(), and DeviceError if the run has no such trial.
std::vector<double> learntAt(const RunFileReader& run, int trial, const std::filesystem::path& folder);

}  // namespace hyb
