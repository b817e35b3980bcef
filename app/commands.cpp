#include "app/commands.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/console.h"
#include "app/figures.h"
#include "app/verify_command.h"
#include "core/assess/learning_report.h"
#include "core/assess/metrics.h"
#include "core/assess/plant.h"
#include "core/assess/preflight.h"
#include "core/assess/spring_trade.h"
#include "core/assess/stability_report.h"
#include "core/record/run_file_reader.h"
#include "core/run/actuator_places.h"
#include "core/run/build.h"
#include "core/study/study.h"
#include "resources/resources.h"

namespace hyb::app {

namespace fs = std::filesystem;

namespace {

struct Range {
  double from = 0.0, to = 0.0;
  int count = 0;
};

/// Parses "0:0.02:21". `limit`: upper bound of TO; `what`: "delays in seconds".
Range rangeOf(const char* option, const std::string& text, const char* what, double limit, const char* example) {
  constexpr int kMost = 1000;
  Range range;
  int read = 0;
  if (std::sscanf(text.c_str(), "%lf:%lf:%d%n", &range.from, &range.to, &range.count, &read) != 3 ||
      text.size() != static_cast<std::size_t>(read) || !(range.from >= 0.0 && range.to > range.from) ||
      range.to > limit || range.count < 2 || range.count > kMost)
    throw InputError(
        std::string(option) + " " + text.substr(0, 80),
        format("is not a range of %s; give FROM:TO:N with 0 <= FROM < TO <= %g and N from 2 to %d, for example %s.",
               what, limit, kMost, example));
  return range;
}

/// Pre-flight list, as far as it can be checked without the rig.
std::vector<PreflightItem> preflightOf(const Project& project) {
  const Json stability = stabilityReport(project);
  const RealtimeOutcome realtime = enterRealtime(project.realtime).outcome();
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  return preflight({project, today, &stability, realtime});
}

}  // namespace

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

int printSchema(const std::string& of) {
  printJson(of == "study" ? studySchema() : projectSchema());
  return kDone;
}

int writePlugIn(const std::string& folder) {
  std::error_code error;
  if (fs::exists(folder, error)) throw InputError("FOLDER " + folder, "exists already; give the name of a new folder.");
  if (!fs::create_directories(folder, error)) throw DeviceError(folder + ": cannot be created: " + error.message());
  constexpr std::string_view kRoom = "plug-in/";
  for (const Resource& resource : resources()) {
    if (!resource.path.starts_with(kRoom)) continue;
    const fs::path file = fs::path(folder) / resource.path.substr(kRoom.size());
    std::ofstream stream(file, std::ios::binary);
    if (!stream.write(resource.text.data(), static_cast<std::streamsize>(resource.text.size())).flush())
      throw DeviceError(file.string() + ": cannot be written");
    print(file.string() + "\n");
  }
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

int checkProject(const std::string& project, bool with_preflight, bool json) {
  std::vector<PreflightItem> items;
  std::vector<ActuatorPlace> places;
  std::vector<Issue> issues;
  std::vector<std::string> notes;
  try {
    fs::path folder;
    const Json document = loadDocument(project, &folder);
    issues = validate(document, folder, &notes);
    if (issues.empty()) {
      const Project sound = parseProject(document, folder);
      places = actuatorPlaces(sound);
      for (std::string& sentence : learningFaults(learningReport(sound, buildPartition(sound))))
        notes.push_back(std::move(sentence));
      if (with_preflight) items = preflightOf(sound);
    }
  } catch (const InputError& error) {  // not JSON, or not a HybridBench project
    issues = error.issues();
  }
  if (json) {
    Json errors = Json::array();
    for (const Issue& issue : issues) errors.push_back({{"pointer", issue.where}, {"message", issue.message}});
    Json report = {{"project", project}, {"valid", issues.empty()}, {"errors", errors}, {"notes", notes}};
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

int recoverRun(const std::string& file, const std::string& output, bool json) {
  const RecoverReport report = recover(file, output);
  // Recovery cannot restore damaged values in a file with complete rows.
  const bool damaged = !report.needed && checkedFile(file).damaged();
  if (json)
    printJson({{"needed", report.needed},
               {"file", report.file.string()},
               {"original", report.original.string()},
               {"damaged", damaged},
               {"rows", report.rows},
               {"dropped", report.dropped}});
  else if (!report.needed)
    print(file +
          (damaged ? ": finished, but damaged; recovery cannot repair that; " : ": complete, nothing to recover; ") +
          std::to_string(report.rows) + " rows, file unchanged\n");
  else
    print(format("%llu rows kept, %llu incomplete ones dropped\n", static_cast<unsigned long long>(report.rows),
                 static_cast<unsigned long long>(report.dropped)) +
          "original: " + report.original.string() + "\n" + report.file.string() + "\n");
  return damaged ? kDeviceError : kDone;
}

int showMetrics(const std::string& file, bool json) {
  const Integrity integrity = checkedFile(file);
  const RunFileReader reader(file);
  Json figures = metrics(reader, projectFolder(reader, file), integrity.damage);
  addIntegrity(figures, integrity);
  if (json)
    printJson(figures);
  else
    print(figuresTable(figures) + verdictText(figures.at("verdict")));
  return integrity.damaged() ? kDeviceError : kDone;
}

int stability(const StabilityCommand& command) {
  fs::path folder;
  Json document = loadDocument(command.project, &folder);
  for (const std::string& assignment : command.set) setValue(document, assignment);
  const Project project = parseProject(document, folder);
  Json report = stabilityReport(project, command.delay_s, command.cutoff_hz);
  if (!command.locus.empty()) {
    const Range range = rangeOf("--locus", command.locus, "delays in seconds", 10.0, "0:0.02:21");
    report["locus"] = locusReport(project, range.from, range.to, range.count, command.cutoff_hz);
  }
  if (!command.dynamic_stiffness.empty()) {
    const Range range = rangeOf("--dynamic-stiffness", command.dynamic_stiffness, "frequencies in Hz", 1e6, "0:50:101");
    report["dynamic_stiffness"] = dynamicStiffnessReport(project, range.from, range.to, range.count);
  }
  if (command.map) {
    Progress progress;
    const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    report["interface_map"] =
        interfaceMap(project, command.points, command.cutoff_hz, threads, [&](std::size_t done, std::size_t total) {
          progress.show(static_cast<double>(done) / static_cast<double>(total),
                        std::to_string(done) + " of " + std::to_string(total) + " cuts");
          return true;
        });
  }
  if (command.springs) report["springs"] = springReport(project);
  if (command.json)
    printJson(report);
  else
    print(stabilityText(report));
  return kDone;
}

int plant(const PlantCommand& command) {
  fs::path folder;
  Json document = loadDocument(command.project, &folder);
  for (const std::string& assignment : command.set) setValue(document, assignment);
  const Project project = parseProject(document, folder);
  std::vector<double> frequencies_hz;
  if (command.frequencies.empty()) {
    frequencies_hz = plantFrequencies(plantRange(project));
  } else {
    const Range range = rangeOf("--frequencies", command.frequencies, "frequencies in Hz", 1e6, "1:20:20");
    if (range.from == 0.0)
      throw InputError("--frequencies " + command.frequencies,
                       "begins at 0 Hz, where no delay is defined; give FROM > 0.");
    for (int k = 0; k < range.count; ++k)
      frequencies_hz.push_back(range.from + (range.to - range.from) * k / (range.count - 1));
  }
  const Json report =
      plantReport(project, frequencies_hz, command.keep_rest ? KeptGain::at_rest : KeptGain::at_high_frequencies);
  if (command.json)
    printJson(report);
  else
    print(plantText(report));
  return kDone;
}

}  // namespace hyb::app
