#include <filesystem>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "core/assess/gait_report.h"

namespace hyb::app {

namespace {

struct GaitCommand {
  std::string project;
  std::vector<std::string> set;
  std::optional<double> speed_m_per_s;
  std::uint32_t seed = 1;
  std::string write;  // project to write the start to; empty: none
  bool json = false;
};

/// `hybridbench gait`: finds a start from which the walker of a project continues to walk.
int findGait(const GaitCommand& command) {
  std::filesystem::path folder;
  Json document = loadDocument(command.project, &folder);
  for (const std::string& assignment : command.set) setValue(document, assignment);
  Json report = gaitReport(parseProject(document, folder), {command.speed_m_per_s, command.seed});
  if (!command.write.empty()) {
    if (!report["found"]["gait"].get<bool>())
      throw InputError("--write",
                       "was not applied, because no start was found. " + report.at("sentence").get<std::string>());
    std::error_code error;
    if (std::filesystem::exists(command.write, error)) document = loadDocument(command.write);
    document[Json::json_pointer("/coupling/start")] = report["found"]["start"];
    saveDocument(document, command.write);
    report["written"] = command.write;
  }
  if (command.json)
    printJson(report);
  else
    print(report.at("sentence").get<std::string>() + "\n\"start\": " + report["found"]["start"].dump() + "\n");
  return kDone;
}

}  // namespace

void addGait(CommandLine& line) {
  addSubcommand<GaitCommand>(
      line, "gait", "Finds a start from which the walker of a project continues to walk",
      [](CLI::App& command, GaitCommand& options) {
        command.add_option("PROJECT", options.project, "Project file or template")->required();
        setOption(command, options.set);
        command.add_option("--speed", options.speed_m_per_s, "Speed in m/s; default: that of the project");
        command.add_option("--seed", options.seed, "Seed of the search")
            ->capture_default_str()
            ->check(wholeNumber(0, std::numeric_limits<std::uint32_t>::max()));
        command.add_option("--write", options.write, "Project to write the start to; created if missing");
        jsonFlag(command, options.json);
      },
      findGait);
}

}  // namespace hyb::app
