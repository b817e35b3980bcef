#include "core/run/go_on.h"

#include "core/record/run_file_reader.h"
#include "core/run/run_rows.h"

namespace hyb {

BeginWith goOnFrom(const std::filesystem::path& file, const Project& project, const RowLayout& layout) {
  const std::string name = file.filename().string();
  const RunFileReader reader(file);
  const RunRows run = rowsOf(reader, project.folder);
  const auto of = [](const Json& document, const char* section) { return document.value(section, Json()); };
  for (const char* section : {"structure", "partition", "coupling"})
    if (of(run.project, section) != of(project.document, section))
      throw InputError("/" + std::string(section), "is not as it was in " + name +
                                                       ", from which the test is to go on; take the project as it "
                                                       "was then, or begin anew.");
  if (layout.segments().axis != "frequency" || run.segments.empty())
    throw InputError(name, "is no sweep of frequencies that could be gone on with; begin anew.");
  const std::size_t rows = run.segmentRows();
  if (rows == 0) throw InputError(name, "has no frequency that was measured to its end; begin anew.");
  BeginWith begin{{}, std::to_string(rows) + (rows == 1 ? " frequency of " : " frequencies of ") + name};
  const std::vector<Channel>& columns = layout.segmentColumns();
  begin.learnt.assign(rows * columns.size(), 0.0);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::vector<double>* const kept = run.segment(columns[c].name);
    if (kept == nullptr)
      throw InputError(name,
                       "was recorded by an older program, which did not keep \"" + columns[c].name + "\"; begin anew.");
    for (std::size_t r = 0; r < rows; ++r) begin.learnt[r * columns.size() + c] = (*kept)[r];
  }
  return begin;
}

}  // namespace hyb
