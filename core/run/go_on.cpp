#include "core/run/go_on.h"

#include "core/record/integrity.h"
#include "core/record/run_file_reader.h"
#include "core/run/run_record.h"

namespace hyb {
namespace {

StoppedSweep stoppedSweep(const std::filesystem::path& file, const RunRecord& run) {
  const std::string name = file.filename().string();
  if (!run.segment("frequency") || run.segment("path"))
    throw InputError(name, "is not a sweep of frequencies that can be continued; start a new test.");
  const std::size_t rows = run.segmentRows();
  if (rows == 0) throw InputError(name, "has no completed frequency; start a new test.");
  return {file, rows, std::to_string(rows) + (rows == 1 ? " frequency of " : " frequencies of ") + name, run.project};
}

}  // namespace

StoppedSweep stoppedSweepOf(const std::filesystem::path& file) {
  requireUndamaged(file);
  const RunFileReader reader(file);
  return stoppedSweep(file, recordOf(reader, projectFolder(reader, file)));
}

std::optional<InputError> goOnFault(const StoppedSweep& sweep, const Json& document) {
  for (const char* section : {"structure", "partition", "coupling"})
    if (sweep.document.value(section, Json()) != document.value(section, Json()))
      return InputError("/" + std::string(section),
                        "differs from " + sweep.file.filename().string() +
                            ", which this test continues; use the project of that run, or start a new test.");
  return std::nullopt;
}

BeginWith goOnFrom(const std::filesystem::path& file, const Project& project, const RowLayout& layout) {
  requireUndamaged(file);  // its numbers are used by another test
  const RunFileReader reader(file);
  const RunRecord run = recordOf(reader, project.folder);
  const StoppedSweep sweep = stoppedSweep(file, run);
  if (const auto fault = goOnFault(sweep, project.document)) throw *fault;
  BeginWith begin{{}, sweep.from};
  const std::vector<Channel>& columns = layout.segmentColumns();
  const std::size_t rows = run.segmentRows();
  begin.learnt.assign(rows * columns.size(), 0.0);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::optional<std::vector<double>> kept = run.segment(columns[c].name);
    if (!kept)
      throw InputError(file.filename().string(), "was recorded by an older program, which did not store \"" +
                                                     columns[c].name + "\"; start a new test.");
    for (std::size_t r = 0; r < rows; ++r) begin.learnt[r * columns.size() + c] = (*kept)[r];
  }
  return begin;
}

}  // namespace hyb
