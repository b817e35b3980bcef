#include "app/continuation_command.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include "app/console.h"
#include "core/assess/computed_path.h"
#include "core/error.h"

namespace hyb::app {
namespace {

/// One line a point, one column a quantity, as in /segments of a run.
void writeCsv(const Json& points, const std::string& file) {
  std::ofstream out(file);
  const char* separator = "";
  for (const auto& [name, value] : points.front().items()) out << std::exchange(separator, ",") << name;
  out << '\n';
  out.precision(12);
  for (const Json& point : points) {
    separator = "";
    for (const auto& [name, value] : point.items()) {
      out << std::exchange(separator, ",");
      if (value.is_number()) out << value.get<double>();
    }
    out << '\n';
  }
  if (!out.flush()) throw DeviceError(file + " cannot be written; choose another file (-o).");
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
