#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "core/assess/hum_report.h"
#include "core/assess/learning_report.h"
#include "core/assess/preflight.h"
#include "core/assess/stability_report.h"
#include "core/run/actuator_places.h"
#include "core/run/build.h"

namespace hyb::app {
namespace {

struct CheckCommand {
  std::string project;
  bool preflight = false;  // includes the pre-flight list
  bool json = false;
};

/// Pre-flight list, as far as it can be checked without the rig.
std::vector<PreflightItem> preflightOf(const Project& project) {
  const Json stability = stabilityReport(project);
  const RealtimeOutcome realtime = enterRealtime(project.realtime).outcome();
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  return preflight({project, today, &stability, realtime});
}

int checkProject(const CheckCommand& command) {
  const std::string& project = command.project;
  std::vector<PreflightItem> items;
  std::vector<ActuatorPlace> places;
  std::vector<Issue> issues;
  std::vector<std::string> notes;
  Json hum;
  try {
    std::filesystem::path folder;
    const Json document = loadDocument(project, &folder);
    issues = validate(document, folder, &notes);
    if (issues.empty()) {
      const Project sound = parseProject(document, folder);
      places = actuatorPlaces(sound);
      for (std::string& sentence : learningFaults(learningReport(sound, buildPartition(sound))))
        notes.push_back(std::move(sentence));
      if (hum = humReport(sound); !hum.is_null()) notes.push_back(humSentence(hum));
      if (command.preflight) items = preflightOf(sound);
    }
  } catch (const InputError& error) {  // not JSON, or not a HybridBench project
    issues = error.issues();
  }
  if (command.json) {
    Json errors = Json::array();
    for (const Issue& issue : issues) errors.push_back({{"pointer", issue.where}, {"message", issue.message}});
    Json report = {{"project", project}, {"valid", issues.empty()}, {"errors", errors}, {"notes", notes}};
    report["hum"] = hum;
    report["actuators"] = Json::array();
    for (std::size_t i = 0; i < places.size(); ++i)
      report["actuators"].push_back({{"number", i + 1},
                                     {"name", places[i].name},
                                     {"moves", places[i].moves},
                                     {"model", places[i].model},
                                     {"channels", places[i].channels}});
    for (const PreflightItem& item : items)
      report["preflight"].push_back({{"name", item.name}, {"state", name(item.state)}, {"sentence", item.sentence}});
    printJson(report);
  } else if (issues.empty()) {
    for (const std::string& remark : notes) note("note: " + remark);
    print(project + ": valid\n");
    print("actuators    " + placesText(places) + "\n");
    for (const PreflightItem& item : items)
      print(format("%-12s %-8s ", item.name.c_str(), std::string(name(item.state)).c_str()) + item.sentence + "\n");
  } else {
    throw InputError(issues);
  }
  return issues.empty() ? kDone : kInvalidInput;
}

}  // namespace

void addCheck(CommandLine& line) {
  addSubcommand<CheckCommand>(
      line, "check", "Checks a project and says how to correct it",
      [](CLI::App& command, CheckCommand& options) {
        command.add_option("PROJECT", options.project, "Project file or template")->required();
        jsonFlag(command, options.json);
        command.add_flag("--preflight", options.preflight, "Includes the pre-flight list");
      },
      checkProject);
}

}  // namespace hyb::app
