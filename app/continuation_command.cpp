#include <filesystem>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "core/assess/computed_path.h"
#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/file_bytes.h"

namespace hyb::app {
namespace {

struct ContinuationCommand {
  std::string project;
  std::string csv;  // file for the points; empty: none
  std::vector<std::string> set;
  bool json = false;
};

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

/// `hybridbench continuation`: result of a continuation on a perfect rig with the twin's specimen.
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

}  // namespace

void addContinuation(CommandLine& line) {
  addSubcommand<ContinuationCommand>(
      line, "continuation", "Computes folds, peak and backbone of a continuation on a perfect rig",
      [](CLI::App& command, ContinuationCommand& options) {
        command.add_option("PROJECT", options.project, "Project file or template")->required();
        setOption(command, options.set);
        command.add_option("-o,--output", options.csv, "CSV file for the points");
        jsonFlag(command, options.json);
      },
      computeContinuation);
}

}  // namespace hyb::app
