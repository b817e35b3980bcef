#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/study/journal.h"
#include "core/study/study.h"

namespace hyb {

/// Writes the result of a study to one HDF5 file: beside it first, then renamed once it is on the disk, so that there
/// is never half a file. Traces are read from the journal's trace file. Same runs = same datasets, however many jobs
/// ran them; attributes of the root tell the times. `more` may add groups to the open HDF5 file. Throws DeviceError.
void writeStudyFile(const std::filesystem::path& file, const Study& study, const std::vector<FigureColumn>& columns,
                    const StudyJournal& journal, const std::function<void(std::int64_t)>& more = {});

/// A study file as tables.
struct StudyTable {
  std::string title, started_at, software_version;
  bool complete = false;  // every run is there
  std::string notice;     // what its checksums have against it, in sentences; empty: nothing
  Json study, project;
  struct Column {
    std::string name, units, description;
    std::vector<double> numbers;           // one per run
    std::vector<std::string> words;        // one per run, JSON, where the values are no numbers
    std::vector<std::string> labels = {};  // of these: valueLabels()
  };
  std::vector<Column> plan, figures;
  std::vector<RunStatus> status;
  std::vector<std::uint64_t> seed;
  std::vector<std::string> message;
  std::vector<std::string> label;         // what sets each run apart, but for its seed
  bool traces = false, segments = false;  // it has such tables of runs: readStudyTables()
};
/// Throws DeviceError when it is no study file.
StudyTable readStudyFile(const std::filesystem::path& file);

/// Groups of the tables that are kept of runs.
inline constexpr const char *kStudyTraces = "traces", *kStudySegments = "segments";
/// What a file keeps of these runs in one of these groups, in their order; no rows: nothing. `names`: of the columns to
/// read, all of them where it is empty. Throws DeviceError.
std::vector<Trace> readStudyTables(const std::filesystem::path& file, const std::string& group,
                                   const std::vector<std::size_t>& runs, const std::vector<std::string>& names = {});

}  // namespace hyb
