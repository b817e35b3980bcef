#include <string>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/figures.h"
#include "app/verify_command.h"
#include "core/assess/metrics.h"
#include "core/record/run_file_reader.h"

namespace hyb::app {
namespace {

struct MetricsCommand {
  std::string file;
  bool json = false;
};

int showMetrics(const MetricsCommand& command) {
  const std::string& file = command.file;
  const Integrity integrity = checkedFile(file);
  const RunFileReader reader(file);
  Json figures = metrics(reader, projectFolder(reader, file), integrity.damage);
  addIntegrity(figures, integrity);
  if (command.json)
    printJson(figures);
  else
    print(figuresTable(figures) + verdictText(figures.at("verdict")));
  return integrity.damaged() ? kDeviceError : kDone;
}

}  // namespace

void addMetrics(CommandLine& line) {
  addSubcommand<MetricsCommand>(
      line, "metrics", "Shows the figures of a run",
      [](CLI::App& command, MetricsCommand& options) {
        command.add_option("RUN", options.file, "Run file")->required();
        jsonFlag(command, options.json);
      },
      showMetrics);
}

}  // namespace hyb::app
