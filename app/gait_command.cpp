#include "app/gait_command.h"

#include <filesystem>

#include "app/console.h"
#include "core/assess/gait_report.h"

namespace hyb::app {

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

}  // namespace hyb::app
