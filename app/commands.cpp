#include "app/commands.h"

#include <filesystem>

#include "app/console.h"
#include "app/figures.h"
#include "core/record/run_file_reader.h"
#include "core/run/metrics.h"

namespace hyb::app {

namespace fs = std::filesystem;

int listTemplates(bool json) {
  Json list = Json::array();
  std::string text;
  for (const Template& entry : templates()) {
    list.push_back({{"name", entry.name}, {"title", entry.title}, {"description", entry.description}});
    text += format("%-22s ", entry.name.c_str()) + entry.title + "\n";
  }
  if (json)
    printJson({{"templates", list}});
  else
    print(text);
  return kDone;
}

int newProject(const NewOptions& options) {
  const Json& document = templateDocument(options.name);
  const fs::path file = options.output.empty() ? options.name + ".json" : options.output;
  std::error_code error;
  if (fs::exists(file, error))
    throw InputError("-o " + file.string(), "exists already; give another name, or delete it first.");
  saveDocument(document, file);
  print(file.string() + "\n");
  return kDone;
}

int checkProject(const std::string& project, bool json) {
  std::vector<Issue> issues;
  try {
    fs::path folder;
    const Json document = loadDocument(project, &folder);
    issues = validate(document, folder);
  } catch (const InputError& error) {  // not JSON, or no project of ours
    issues = error.issues();
  }
  if (json) {
    Json errors = Json::array();
    for (const Issue& issue : issues) errors.push_back({{"pointer", issue.where}, {"message", issue.message}});
    printJson({{"project", project}, {"valid", issues.empty()}, {"errors", errors}});
  } else if (issues.empty()) {
    print(project + ": valid\n");
  } else {
    throw InputError(issues);
  }
  return issues.empty() ? kDone : kInvalidInput;
}

int recoverRun(const std::string& file, const std::string& output, bool json) {
  const RecoverReport report = recover(file, output);
  if (json)
    printJson({{"file", report.file.string()},
               {"original", report.original.string()},
               {"rows", report.rows},
               {"dropped", report.dropped}});
  else
    print(format("%llu rows kept, %llu incomplete ones dropped\n", static_cast<unsigned long long>(report.rows),
                 static_cast<unsigned long long>(report.dropped)) +
          "original: " + report.original.string() + "\n" + report.file.string() + "\n");
  return kDone;
}

int showMetrics(const std::string& file, bool json) {
  const Json figures = metrics(RunFileReader(file));
  if (json)
    printJson(figures);
  else
    print(figuresTable(figures));
  return kDone;
}

int stability(const StabilityCommand& command) {
  fs::path folder;
  Json document = loadDocument(command.project, &folder);
  for (const std::string& assignment : command.set) setValue(document, assignment);
  const Json report = stabilityReport(parseProject(document, folder), command.delay_s, command.cutoff_hz);
  if (command.json)
    printJson(report);
  else
    print(stabilityText(report));
  return kDone;
}

}  // namespace hyb::app
