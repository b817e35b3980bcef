#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/project/project.h"
#include "core/record/run_file_reader.h"
#include "core/run/stability_report.h"

namespace hyb {

/// A limit that a run reached.
struct LimitReached {
  std::string name;  // "gap 2"; "a limit": the file does not say which
  Action action = Action::none;
};

/// A run as its figures see it, on file or in memory.
struct RunRows {
  Json project;                  // as it ran
  std::filesystem::path folder;  // where its relative files start
  double rate_hz = 0.0;
  std::uint64_t rows = 0;
  std::vector<std::string> channels;  // of a run file's /acquisition, with time, tick and flags
  std::vector<Dof> interfaces;        // empty: asked from the project
  /// Values of rows [first, first + count) of a channel; what is not there is left out.
  std::function<std::vector<double>(const std::string& channel, std::uint64_t first, std::uint64_t count)> read;
  std::int64_t limits_hit = 0;
  std::string stop_reason;
  EndReason ended = EndReason::unknown;
  std::vector<LimitReached> limits;  // each once
  std::uint64_t rows_lost = 0;       // that were ticked but not kept
  bool complete = false, valid = false;
};
/// A run file as such a run; it must outlive the result. `folder`: where the project's relative files start. Throws
/// DeviceError (no project, no rate).
RunRows rowsOf(const RunFileReader& file, const std::filesystem::path& folder);

/// The figures of a run as one JSON object, from its acquisition channels, from analysis.start_s to the
/// start of the soft end. A run that ended before its analysis began has null for the figures of its interfaces. With
/// `measures` each interface, and the whole, also has an object of that name: all of readMeasures(), which takes
/// longer. Throws DeviceError (not a run file, damaged).
Json metrics(const RunRows& run, bool measures = false);
/// With the measures. `folder`: where the project's relative files start.
Json metrics(const RunFileReader& run, const std::filesystem::path& folder);

}  // namespace hyb
