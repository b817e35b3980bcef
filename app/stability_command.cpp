// What a project's loop does before a test runs: critical delay, roots, plant.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/figures.h"
#include "core/assess/plant.h"
#include "core/assess/spring_trade.h"
#include "core/assess/stability_report.h"

namespace hyb::app {
namespace {

namespace fs = std::filesystem;

struct StabilityCommand {
  std::string project;
  std::vector<std::string> set;
  std::optional<double> delay_s, cutoff_hz;
  bool map = false;
  int points = 41;  // of the map
  bool springs = false;
  std::string locus;              // "FROM:TO:N", s; empty: none
  std::string dynamic_stiffness;  // "FROM:TO:COUNT", Hz; empty: none
  bool json = false;
};

struct PlantCommand {
  std::string project;
  std::vector<std::string> set;
  std::string frequencies;  // "FROM:TO:N", Hz; empty: 1, 2, 5 of each decade up to the cut-off
  bool keep_rest = false;   // keeps the gain at rest instead of that at high frequencies
  bool json = false;
};

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

int stability(const StabilityCommand& command) {
  fs::path folder;
  Json document = loadDocument(command.project, &folder);
  for (const std::string& assignment : command.set) setValue(document, assignment);
  const Project project = parseProject(document, folder);
  if ((!command.locus.empty() || command.map || command.springs) && project.coupling->site() != nullptr)
    throw InputError(
        "/coupling/scheme",
        "is \"" + std::string(project.coupling->name()) +
            "\": another program closes the loop, so --locus, --map and --springs have nothing to analyse; "
            "leave them out.");
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

}  // namespace

void addStability(CommandLine& line) {
  addSubcommand<StabilityCommand>(
      line, "stability", "Critical delay and roots of a project's loop",
      [](CLI::App& command, StabilityCommand& options) {
        command.add_option("PROJECT", options.project, "Project file or template")->required();
        setOption(command, options.set);
        command.add_option("--delay", options.delay_s, "Delay to analyse in s; default: that of the project")
            ->check(CLI::Range(0.0, 10.0));
        command.add_option("--cutoff", options.cutoff_hz, "Highest analysed frequency in Hz")
            ->check(CLI::Range(0.001, 10000.0));
        auto* map_flag = command.add_flag("--map", options.map, "Critical delay over the location of the cut");
        command.add_option("--points", options.points, "Largest number of places on the map")
            ->check(CLI::Range(2, 2000))
            ->capture_default_str()
            ->needs(map_flag);
        command.add_option("--locus", options.locus, "Roots over a range of delays in s: 0:0.02:21")
            ->type_name("FROM:TO:N");
        command
            .add_option("--dynamic-stiffness", options.dynamic_stiffness,
                        "Dynamic stiffness of both sides over frequencies in Hz: 0:50:101")
            ->type_name("FROM:TO:COUNT");
        command.add_flag(
            "--springs", options.springs,
            "Required piston motion and remaining force bandwidth over the spring stiffness; for force-based tests");
        jsonFlag(command, options.json);
      },
      stability);
}

void addPlant(CommandLine& line) {
  addSubcommand<PlantCommand>(
      line, "plant",
      "Response of each actuator to its command: poles, zeros, magnitude, phase and delay over frequency",
      [](CLI::App& command, PlantCommand& options) {
        command.add_option("PROJECT", options.project, "Project file or template")->required();
        setOption(command, options.set);
        command
            .add_option("--frequencies", options.frequencies,
                        "Frequencies in Hz: 1:20:20; default: 0.1, 0.2, 0.5, 1, ...")
            ->type_name("FROM:TO:N");
        command.add_flag(
            "--keep-rest", options.keep_rest,
            "Removing nearly cancelling poles and zeros keeps the gain at rest instead of that at high frequencies");
        jsonFlag(command, options.json);
      },
      plant);
}

}  // namespace hyb::app
