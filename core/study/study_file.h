#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/study/journal.h"
#include "core/study/study.h"

namespace hyb {

/// Writes the result of a study to one HDF5 file: first under a temporary name, then renamed when it is on the disk, so
/// that there is never an incomplete file. Traces are read from the journal's trace file. The same runs lead to the
/// same datasets, whatever the number of jobs; attributes of the root contain the times. `more` may add groups to the
/// open HDF5 file. Throws DeviceError.
void writeStudyFile(const std::filesystem::path& file, const Study& study, const std::vector<FigureColumn>& columns,
                    const StudyJournal& journal, const std::function<void(std::int64_t)>& more = {});

class Search;
/// Group /search of an open study file: value of the goal of each candidate, and the best so far.
void writeSearch(std::int64_t file, const Study& study, const Search& search);

/// A study file as tables.
struct StudyTable {
  std::string title, started_at, software_version;
  bool complete = false;  // all runs are included
  std::string notice;     // faults found by its checksums, in sentences; empty: none
  Json study, project;
  struct Column {
    std::string name, units, description;
    std::vector<double> numbers;           // one per run
    std::vector<std::string> words;        // one per run, JSON, if the values are not numbers
    std::vector<std::string> labels = {};  // labels of the values: valueLabels()
  };
  std::vector<Column> plan, figures;
  std::vector<RunStatus> status;
  std::vector<std::uint64_t> seed;
  std::vector<std::string> message;
  std::vector<std::string> label;         // difference of each run from the others, without the seed
  bool traces = false, segments = false;  // the file has such tables: readStudyTables()
};
/// Throws DeviceError if it is not a study file.
StudyTable readStudyFile(const std::filesystem::path& file);

/// The study of a file, with the candidates of a search. Throws InputError. `folder`: base of relative paths.
Study studyOf(const StudyTable& table, const std::filesystem::path& folder);

/// Groups of the stored tables of runs.
inline constexpr const char *kStudyTraces = "traces", *kStudySegments = "segments";
/// Tables of these runs in one of these groups, in their order; without rows if there is none. `names`: columns to
/// read, empty for all. Throws DeviceError.
std::vector<Table> readStudyTables(const std::filesystem::path& file, const std::string& group,
                                   const std::vector<std::size_t>& runs, const std::vector<std::string>& names = {});

}  // namespace hyb
