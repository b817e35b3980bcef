#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/table.h"
#include "core/project/project.h"
#include "core/record/run_file_reader.h"

namespace hyb {

/// A limit that a run reached.
struct LimitReached {
  std::string name;  // "gap 2"; "a limit" if the file does not name it
  Action action = Action::none;
};

/// A run as its figures see it, on file or in memory.
struct RunRecord {
  Json project;                                // as it ran
  std::shared_ptr<const Project> parsed = {};  // the same as parseRecorded() gives it; null: not parsed yet
  std::filesystem::path folder;                // start of its relative paths
  Table table;                                 // rows as they were recorded, with time, tick and flags
  std::vector<AxisSignals> interfaces;         // as far as known; empty names are taken from the project
  /// Values of a column of the segments; none if there is none.
  std::optional<std::vector<double>> segment(std::string_view name) const;
  std::size_t segmentRows() const { return table.segments ? table.segments->rows : 0; }
  std::int64_t limits_hit = 0;
  std::string stop_reason;
  EndReason ended = EndReason::unknown;
  std::vector<LimitReached> limits;  // each limit once
  std::uint64_t rows_lost = 0;       // ticks that were run but not recorded
  FaceFinding face;                  // of a campaign that this run was a test of
  bool complete = false, valid = false;
  std::vector<std::string> damage;  // of the file: Integrity::damage
};
/// A run file as such a run; the reader must outlive the result. `folder`: start of relative paths. `damage`: result of
/// the checksum test. Throws DeviceError (no project, no rate).
RunRecord recordOf(const RunFileReader& file, const std::filesystem::path& folder,
                   std::vector<std::string> damage = {});

/// Its project as parseRecorded() gives it; null if that is not valid here: a ground motion may be on another computer.
std::shared_ptr<const Project> projectOf(const RunRecord& run);

/// Start of relative paths of a recorded project: the project's folder at the time of the test if it exists on this
/// computer, else the folder of the run file.
std::filesystem::path projectFolder(const RunFileReader& run, const std::filesystem::path& file);
/// Name of the attribute of /config that holds that folder.
inline constexpr const char* kProjectFolder = "project_folder";

}  // namespace hyb
