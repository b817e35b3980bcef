#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/project/project.h"
#include "core/record/run_file_reader.h"

namespace hyb {

/// A limit that a run reached.
struct LimitReached {
  std::string name;  // "gap 2"; "a limit": the file does not say which
  Action action = Action::none;
};

/// Columns of what was kept of each trial with their values, as in /segments of a run file.
using SegmentColumns = std::vector<std::pair<std::string, std::vector<double>>>;
const std::vector<double>* column(const SegmentColumns& segments, std::string_view name);  // null: there is none

/// A run as its figures see it, on file or in memory.
struct RunRows {
  Json project;                  // as it ran
  std::filesystem::path folder;  // where its relative files start
  double rate_hz = 0.0;
  std::uint64_t rows = 0;
  std::vector<std::string> channels;    // of a run file's /acquisition, with time, tick and flags
  std::vector<AxisSignals> interfaces;  // as far as they are known; names that are empty are asked from the project
  /// Values of rows [first, first + count) of a channel; what is not there is left out.
  std::function<std::vector<double>(const std::string& channel, std::uint64_t first, std::uint64_t count)> read;
  SegmentColumns segments;  // none: the test ran once
  const std::vector<double>* segment(std::string_view name) const { return column(segments, name); }
  std::size_t segmentRows() const;  // that all columns have
  std::int64_t limits_hit = 0;
  std::string stop_reason;
  EndReason ended = EndReason::unknown;
  std::vector<LimitReached> limits;  // each once
  std::uint64_t rows_lost = 0;       // that were ticked but not kept
  FaceFinding face;                  // of a campaign that the run was a test of
  bool complete = false, valid = false;
  std::vector<std::string> damage;  // of the file: Integrity::damage
};
/// A run file as such a run; it must outlive the result. `folder`: where the project's relative files start. `damage`:
/// what its checksums told. Throws DeviceError (no project, no rate).
RunRows rowsOf(const RunFileReader& file, const std::filesystem::path& folder, std::vector<std::string> damage = {});

/// Where the relative files of a recorded project start: in the project's folder as it was when the test ran, where
/// this computer has that, else beside the run file.
std::filesystem::path projectFolder(const RunFileReader& run, const std::filesystem::path& file);
/// Name of the attribute of /config that tells it.
inline constexpr const char* kProjectFolder = "project_folder";

}  // namespace hyb
