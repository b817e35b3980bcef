#include "core/run/go_on.h"

#include "core/record/integrity.h"
#include "core/record/run_file_reader.h"
#include "core/run/run_rows.h"

namespace hyb {
namespace {

StoppedSweep stoppedSweep(const std::filesystem::path& file, const RunRows& run) {
  const std::string name = file.filename().string();
  if (run.segment("frequency") == nullptr || run.segment("path") != nullptr)
    throw InputError(name, "is no sweep of frequencies that could be gone on with; begin anew.");
  const std::size_t rows = run.segmentRows();
  if (rows == 0) throw InputError(name, "has no frequency that was measured to its end; begin anew.");
  return {file, rows, std::to_string(rows) + (rows == 1 ? " frequency of " : " frequencies of ") + name, run.project};
}

}  // namespace

StoppedSweep stoppedSweepOf(const std::filesystem::path& file) {
  requireUndamaged(file);
  const RunFileReader reader(file);
  return stoppedSweep(file, rowsOf(reader, projectFolder(reader, file)));
}

std::optional<InputError> goOnFault(const StoppedSweep& sweep, const Json& document) {
  for (const char* section : {"structure", "partition", "coupling"})
    if (sweep.document.value(section, Json()) != document.value(section, Json()))
      return InputError("/" + std::string(section), "is not as it was in " + sweep.file.filename().string() +
                                                        ", from which the test is to go on; take the project as it was "
                                                        "then, or begin anew.");
  return std::nullopt;
}

BeginWith goOnFrom(const std::filesystem::path& file, const Project& project, const RowLayout& layout) {
  requireUndamaged(file);  // its numbers go into another test
  const RunFileReader reader(file);
  const RunRows run = rowsOf(reader, project.folder);
  const StoppedSweep sweep = stoppedSweep(file, run);
  if (const auto fault = goOnFault(sweep, project.document)) throw *fault;
  BeginWith begin{{}, sweep.from};
  const std::vector<Channel>& columns = layout.segmentColumns();
  const std::size_t rows = run.segmentRows();
  begin.learnt.assign(rows * columns.size(), 0.0);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::vector<double>* const kept = run.segment(columns[c].name);
    if (kept == nullptr)
      throw InputError(file.filename().string(),
                       "was recorded by an older program, which did not keep \"" + columns[c].name + "\"; begin anew.");
    for (std::size_t r = 0; r < rows; ++r) begin.learnt[r * columns.size() + c] = (*kept)[r];
  }
  return begin;
}

}  // namespace hyb
