#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/record/run_file_reader.h"

namespace hyb {

struct ReplayOptions {
  std::vector<std::string> changes;  // "/pointer=VALUE" on the recorded project: what would the commands have been?
  std::filesystem::path folder;      // where relative files of the project start
  std::filesystem::path output;      // run file of the replay; empty: none
};

struct ReplayDifference {
  std::uint64_t tick = 0;
  std::string channel;  // "command_1"
  double recorded = 0.0, replayed = 0.0;
};

struct ReplayReport {
  std::uint64_t rows = 0;            // replayed
  std::uint64_t differing_rows = 0;  // with at least one other command
  std::optional<ReplayDifference> first;
  std::string early_end;  // sentence: the replay ended before the recording; "" if not
  bool exact() const noexcept { return differing_rows == 0 && early_end.empty(); }
};

/// Runs the recorded project once more, with the recorded readings and states of the rig in place of the rig, tick by
/// tick as they came, late ticks and changes by the operator included. Commands are compared bit for bit (two
/// not-a-numbers are equal). Works for files of every rig, also for recovered ones. Throws DeviceError (no run file,
/// rows were lost, the file lacks what is needed) or InputError (the project, a change).
ReplayReport replay(const RunFileReader& run, const ReplayOptions& options = {});

/// What the compensation had learnt as this trial of the run began, found by a replay up to there. Throws as replay(),
/// and DeviceError where the run has no such trial.
std::vector<double> learntAt(const RunFileReader& run, int trial, const std::filesystem::path& folder);

}  // namespace hyb
