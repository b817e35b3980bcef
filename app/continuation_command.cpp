#include "app/continuation_command.h"

#include <filesystem>

#include "app/console.h"
#include "core/assess/computed_path.h"
#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/file_bytes.h"

namespace hyb::app {
namespace {

/// One line per point, one column per quantity, as in /segments of a run.
void writeCsv(const Json& points, const std::string& file) {
  CsvText csv;
  for (const auto& [name, value] : points.front().items()) csv.add(name);
  csv.endRow();
  for (const Json& point : points) {
    for (const auto& [name, value] : point.items()) value.is_number() ? csv.add(value.get<double>()) : csv.addEmpty();
    csv.endRow();
  }
  writeWhole(file, csv.text());
}

}  // namespace

int computeContinuation(const ContinuationCommand& command) {
  std::filesystem::path folder;
  Json document = loadDocument(command.project, &folder);
  for (const std::string& assignment : command.set) setValue(document, assignment);
  const Json report = continuationReport(parseProject(document, folder));
  if (!command.csv.empty()) writeCsv(report.at("points"), command.csv);
  if (command.json)
    printJson(report);
  else
    print(report.at("sentence").get<std::string>() + "\n");
  return kDone;
}

}  // namespace hyb::app
