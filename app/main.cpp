#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <sstream>

#include "app/analyse_command.h"
#include "app/commands.h"
#include "app/compare_command.h"
#include "app/console.h"
#include "app/continuation_command.h"
#include "app/export_command.h"
#include "app/gait_command.h"
#include "app/identify_command.h"
#include "app/replay_command.h"
#include "app/rig_command.h"
#include "app/study_command.h"
#include "app/verify_command.h"
#include "app/version_text.h"
#include "core/analysis/analysis.h"
#include "core/base/kept_memory.h"
#include "core/compensation/plug_in_consent.h"
#include "core/compensation/plug_in_watch.h"
#include "core/exchange/format.h"
#include "core/project/project.h"
#include "core/project/schema.h"
#ifdef HYB_GUI
#include "hardware/drivers.h"
#include "hardware/port.h"
#include "ui/shell/run_gui.h"
#endif

namespace hyb::app {
namespace {

struct WindowOptions {
  std::string project, theme = "system";
};

#ifdef HYB_GUI
const char* const kWithoutWindow = "use a subcommand: hybridbench run three-mass (hybridbench --help lists them).";

/// Reports that the named window system cannot be used. Qt would abort next.
[[noreturn]] void refuseWindow() {
  const auto named = [](const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0' ? std::string(" ") + variable + "=" + value : std::string();
  };
  note("error: the window cannot be opened on the display that the environment names (" +
       (named("DISPLAY") + named("WAYLAND_DISPLAY") + named("QT_QPA_PLATFORM")).substr(1) +
       "); check that it exists and that you may use it, or " + kWithoutWindow);
  std::_Exit(kDeviceError);
}
#endif

int openWindow([[maybe_unused]] int argc, [[maybe_unused]] char** argv, const WindowOptions& options) {
  std::error_code error;
  if (!options.project.empty() && !std::filesystem::exists(options.project, error))
    loadDocument(
        options.project);  // a mistyped name or subcommand is reported here; faults of the file content in the window
#ifdef HYB_GUI
  const auto given = [](const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
  };
  if (!given("DISPLAY") && !given("WAYLAND_DISPLAY") && !given("QT_QPA_PLATFORM"))
    throw DeviceError(std::string("there is no display to open the window on; log in to a desktop, or ") +
                      kWithoutWindow);
  return runGui(argc, argv, {options.project, options.theme, {makeDevice, serialPorts}, refuseWindow});
#else
  note("error: this build has no window; use a subcommand (hybridbench --help lists them).");
  return kInvalidInput;
#endif
}

/// Accepts digits with least <= number <= most.
CLI::Validator wholeNumber(std::uint64_t least, std::uint64_t most) {
  return CLI::Validator(
      [least, most](const std::string& text) -> std::string {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most) return {};
        return "is " + text + "; give a whole number from " + std::to_string(least) + " to " + std::to_string(most);
      },
      "");
}

constexpr const char *kAccept = "--accept-plug-in", *kAny = "any";

/// SHA-256 of a library: 64 hexadecimal digits in lower case.
bool isSha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// Arguments in the order of the parser: the last first. An argument after the option that accepts libraries belongs
/// to it only if it is a SHA-256; otherwise it may be the project.
std::vector<std::string> argumentsOf(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int a = 1; a < argc; ++a) {
    arguments.emplace_back(argv[a]);
    if (arguments.back() != kAccept) continue;
    const bool named = a + 1 < argc && isSha256(argv[a + 1]);
    arguments.back() += std::string("=") + (named ? argv[++a] : kAny);
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

/// Adds an option for each analysis, and one for each of their settings.
void addAnalyses(CLI::App& command, AnalyseCommand& options) {
  const auto channelsOf = [](AnalysisInputs inputs) {
    return inputs == AnalysisInputs::one    ? "CHANNEL"
           : inputs == AnalysisInputs::each ? "CHANNEL,..."
                                            : "INPUT,OUTPUT,...";
  };
  std::map<std::string, std::pair<const AnalysisOption*, std::string>> settings;  // and the analyses that have it
  std::vector<std::string> order;
  for (const Analysis* one : analyses()) {
    const std::string name(one->name);
    command.add_option("--" + name, options.channels[name], std::string(one->description))
        ->type_name(channelsOf(one->inputs))
        ->delimiter(',')
        ->allow_extra_args(false)
        ->group("Analyses");
    for (const AnalysisOption* option : one->options) {
      auto& [first, users] = settings[std::string(option->name)];
      if (first == nullptr) {
        first = option;
        order.emplace_back(option->name);
      }
      users += (users.empty() ? "" : ", ") + name;
    }
  }
  for (const std::string& name : order) {
    const auto& [option, users] = settings.at(name);
    std::string text(option->description);
    if (!option->unit.empty()) text += ", in " + std::string(option->unit);
    if (!option->usual.empty()) text += "; default: " + std::string(option->usual);
    command.add_option("--" + name, options.settings[name], text + ". For " + users)
        ->type_name(option->words.empty() ? "NUMBER" : "WORD")
        ->group("Settings");
  }
}

/// The largest seed allowed in a project.
std::uint64_t largestSeed() {
  return schemaOf(templateDocument("three-mass"), "/rig/seed").at("maximum").get<std::uint64_t>();
}

int dispatch(int argc, char** argv) {
  CLI::App app{
      "HybridBench: test bench for real-time hybrid substructuring. Without a subcommand it opens the window."};
  app.name("hybridbench");
  app.set_version_flag("--version", versionText());
  app.require_subcommand(0, 1);
  app.footer(
      "PROJECT is a file or the name of a template. Exit codes: 0 done, 1 stopped by a limit or fault or\n"
      "different in a comparison, 2 invalid input, 3 device or file error, 4 defect.");
  int exit_code = kDone;
  bool json = false;
  std::string file, output;
  const auto jsonFlag = [&json](CLI::App* command) {
    command->add_flag("--json", json, "One JSON object on standard output, messages on standard error");
  };
  const auto setOption = [](CLI::App* command, std::vector<std::string>& set) {
    command->add_option("--set", set, "Changes one value for this call: /loop/duration_s=10 (may be repeated)")
        ->type_name("/POINTER=VALUE")
        ->allow_extra_args(false);
  };

  std::vector<std::string> accepted;
  const auto acceptOption = [&accepted](CLI::App* command) {
    const auto check = [](const std::string& text) -> std::string {
      if (text == kAny || isSha256(text)) return {};
      return "is " + text + "; give the 64 digits of a SHA-256, or no value to accept every named library";
    };
    command
        ->add_option(kAccept, accepted,
                     "Accepts the library named in the project permanently; with a SHA-256 only that library")
        ->type_name("[SHA256]")
        ->allow_extra_args(false)
        ->check(CLI::Validator(check, ""));
  };
  const auto acceptGiven = [&accepted] {
    for (const std::string& one : accepted) acceptOnUse(one == kAny ? std::string() : one);
  };

  WindowOptions window;
  app.add_option("PROJECT", window.project, "Project or run file to open in the window");
  app.add_option("--theme", window.theme, "Colours of the window")
      ->check(CLI::IsMember({"light", "dark", "system"}))
      ->capture_default_str();

  auto* templates_command = app.add_subcommand("templates", "Lists the built-in projects");
  jsonFlag(templates_command);
  templates_command->callback([&] { exit_code = listTemplates(json); });

  std::string plug_in_folder;
  auto* plug_in_command =
      app.add_subcommand("plug-in", "Writes a worked example of a user-written compensator with CMake build");
  plug_in_command->add_option("FOLDER", plug_in_folder, "Folder to create")->required();
  plug_in_command->callback([&] { exit_code = writePlugIn(plug_in_folder); });

  std::string schema_of = "project";
  auto* schema_command = app.add_subcommand("schema", "Prints the JSON Schema of project or study files");
  schema_command->add_option("WHICH", schema_of, "project or study")
      ->check(CLI::IsMember({"project", "study"}))
      ->capture_default_str();
  schema_command->callback([&] { exit_code = printSchema(schema_of); });

  NewOptions new_options;
  auto* new_command = app.add_subcommand("new", "Writes a built-in project to an editable file");
  new_command->add_option("TEMPLATE", new_options.name, "Name of the template")->required();
  new_command->add_option("-o,--output", new_options.output, "File to write; default: TEMPLATE.json");
  new_command->callback([&] { exit_code = newProject(new_options); });

  auto* check_command = app.add_subcommand("check", "Checks a project and says how to correct it");
  check_command->add_option("PROJECT", file, "Project file or template")->required();
  jsonFlag(check_command);
  bool preflight = false;
  check_command->add_flag("--preflight", preflight, "Includes the pre-flight list");
  check_command->callback([&] { exit_code = checkProject(file, preflight, json); });

  RunCommand run_options;
  auto* run_command = app.add_subcommand("run", "Runs a test and records it");
  run_command->add_option("PROJECT", run_options.project, "Project file or template")->required();
  run_command->add_option("-o,--output", run_options.output, "Run file to write; default: named by title and time");
  bool free_run = false;
  auto* free_flag = run_command->add_flag("--free-run", free_run, "As fast as this computer can (the default)");
  run_command->add_flag("--real-time", run_options.real_time, "At the loop's rate")->excludes(free_flag);
  setOption(run_command, run_options.set);
  run_command->add_option("--duration", run_options.duration_s, "Duration of the excitation in s; 0: until stopped");
  run_command->add_option("--seed", run_options.seed, "Seed of the twin's sensor noise")
      ->check(wholeNumber(0, largestSeed()));
  auto* begin_option =
      run_command->add_option("--begin-with", run_options.begin_with,
                              "Run file; the compensation starts with the initial state of its best trial");
  run_command->add_option("--trial", run_options.trial, "This trial of the run file instead of the best")
      ->needs(begin_option)
      ->check(wholeNumber(1, std::numeric_limits<std::int32_t>::max()));
  run_command->add_option(
      "--go-on", run_options.go_on,
      "Run file of a stopped frequency sweep: continues at the next frequency and keeps those already measured");
  acceptOption(run_command);
  jsonFlag(run_command);
  run_command->callback([&] {
    acceptGiven();
    run_options.json = json;
    exit_code = run(run_options);
  });

  StudyCommand study_options;
  auto* study_command = app.add_subcommand("study", "Runs a project many times with varied values");
  study_command->add_option("STUDY", study_options.study, "Study file, or a project with a FACE section")->required();
  study_command->add_option("-o,--output", study_options.output,
                            "File to write; default: STUDY.h5. An unfinished file is continued");
  study_command->add_option("--jobs", study_options.jobs, "Runs at the same time; default: one per core")
      ->check(CLI::Range(1, 256));
  study_command->add_option("--runs", study_options.runs, "FACE: keeps one run file per test in this folder")
      ->type_name("FOLDER");
  study_command->add_flag("--real-time", study_options.real_time,
                          "At the loop's rate, as \"pace\": \"real-time\" in the study");
  acceptOption(study_command);
  jsonFlag(study_command);
  study_command->callback([&] {
    acceptGiven();
    study_options.json = json;
    exit_code = runStudyCommand(study_options);
  });

  auto* recover_command = app.add_subcommand("recover", "Completes the file of a killed run");
  recover_command->add_option("RUN", file, "Run file")->required();
  recover_command->add_option("-o,--output", output, "File to write; default: the run file itself");
  jsonFlag(recover_command);
  recover_command->callback([&] { exit_code = recoverRun(file, output, json); });

  auto* verify_command =
      app.add_subcommand("verify", "Recomputes the checksums of a run, a study or its journal and reports damage");
  verify_command->add_option("FILE", file, "Run file, study file or the .part file of an unfinished study")->required();
  jsonFlag(verify_command);
  verify_command->callback([&] { exit_code = verifyFile(file, json); });

  ReplayCommand replay_options;
  auto* replay_command = app.add_subcommand("replay", "Replays the readings of a run and compares the commands");
  replay_command->add_option("RUN", replay_options.file, "Run file")->required();
  replay_command->add_option("-o,--output", replay_options.output, "Run file of the replay; default: none");
  replay_command->add_option(
      "--folder", replay_options.folder,
      "Base folder of the project's relative files; default: the folder of the run, or beside RUN");
  setOption(replay_command, replay_options.set);
  acceptOption(replay_command);
  jsonFlag(replay_command);
  replay_command->callback([&] {
    acceptGiven();
    replay_options.json = json;
    exit_code = replayRun(replay_options);
  });

  auto* metrics_command = app.add_subcommand("metrics", "Shows the figures of a run");
  metrics_command->add_option("RUN", file, "Run file")->required();
  jsonFlag(metrics_command);
  metrics_command->callback([&] { exit_code = showMetrics(file, json); });

  ExportCommand export_options;
  auto* export_command = app.add_subcommand("export", "Writes channels of a run for other programs");
  export_command->add_option("RUN", export_options.file, "Run file")->required();
  export_command->add_option("-o,--output", export_options.output, "File to write: .csv, .mat, .uff, .npz or .h5")
      ->required();
  std::vector<std::string> formats;
  for (const ExchangeFormat& one : exchangeFormats()) formats.emplace_back(one.name);
  export_command->add_option("--format", export_options.format, "Format; by the ending of the file if left out")
      ->check(CLI::IsMember(formats));
  export_command->add_option("--channels", export_options.channels, "Channels, separated by commas; all if left out")
      ->type_name("NAME,...")
      ->delimiter(',');
  export_command->add_option("--from", export_options.from_s, "First time in s; the start of the run if left out");
  export_command->add_option("--to", export_options.to_s, "Time in s at which it ends; the end of the run if left out");
  export_command->add_option("--rate", export_options.rate_hz,
                             "Rate in Hz, behind an anti-alias filter; that of the run if left out");
  export_command->add_flag("--no-units", export_options.no_units, "CSV without the line of units");
  jsonFlag(export_command);
  export_command->callback([&] {
    export_options.json = json;
    exit_code = exportRun(export_options);
  });

  AnalyseCommand analyse_options;
  auto* analyse_command =
      app.add_subcommand("analyse", "Analyses channels of a run: spectrum, frequency response, filters");
  analyse_command->add_option("RUN", analyse_options.file, "Run file")->required();
  addAnalyses(*analyse_command, analyse_options);
  analyse_command->add_option("--from", analyse_options.from_s, "First time in s; the start of the run if left out");
  analyse_command->add_option("--to", analyse_options.to_s,
                              "Time in s at which it ends; the end of the run if left out");
  analyse_command->add_option("-o,--output", analyse_options.output,
                              "File for the whole curves: .csv, .mat, .npz or .h5; .uff for results over time");
  analyse_command->add_option("--format", analyse_options.format, "Format; by the ending of the file if left out")
      ->check(CLI::IsMember(formats));
  analyse_command->add_flag("--no-units", analyse_options.no_units, "CSV without the line of units");
  jsonFlag(analyse_command);
  analyse_command->callback([&] {
    analyse_options.json = json;
    exit_code = analyseRun(analyse_options);
  });

  CompareCommand compare_options;
  auto* compare_command =
      app.add_subcommand("compare", "Compares two runs channel by channel; exit code 1 if one is not inside");
  compare_command->add_option("A", compare_options.a, "Run file, the reference")->required();
  compare_command->add_option("B", compare_options.b, "Run file")->required();
  compare_command
      ->add_option("--tolerance-absolute", compare_options.absolute, "Allowed difference in the unit of the channel")
      ->capture_default_str();
  compare_command
      ->add_option("--tolerance-relative", compare_options.relative,
                   "Allowed difference as a share of the largest magnitude of the channel in A: 0.01 for 1 %")
      ->capture_default_str();
  compare_command
      ->add_option("--tolerance-time", compare_options.time_s, "Time in s that a value may come earlier or later")
      ->capture_default_str();
  compare_command
      ->add_option("--channels", compare_options.channels,
                   "Channels, separated by commas; all but the timing if left out")
      ->type_name("NAME,...")
      ->delimiter(',');
  jsonFlag(compare_command);
  compare_command->callback([&] {
    compare_options.json = json;
    exit_code = compareRuns(compare_options);
  });

  GaitCommand gait_options;
  auto* gait_command = app.add_subcommand("gait", "Finds a start from which the walker of a project continues to walk");
  gait_command->add_option("PROJECT", gait_options.project, "Project file or template")->required();
  setOption(gait_command, gait_options.set);
  gait_command->add_option("--speed", gait_options.speed_m_per_s, "Speed in m/s; default: that of the project");
  gait_command->add_option("--seed", gait_options.seed, "Seed of the search")
      ->capture_default_str()
      ->check(wholeNumber(0, std::numeric_limits<std::uint32_t>::max()));
  gait_command->add_option("--write", gait_options.write, "Project to write the start to; created if missing");
  jsonFlag(gait_command);
  gait_command->callback([&] {
    gait_options.json = json;
    exit_code = findGait(gait_options);
  });

  ContinuationCommand path_options;
  auto* path_command =
      app.add_subcommand("continuation", "Computes folds, peak and backbone of a continuation on a perfect rig");
  path_command->add_option("PROJECT", path_options.project, "Project file or template")->required();
  setOption(path_command, path_options.set);
  path_command->add_option("-o,--output", path_options.csv, "CSV file for the points");
  jsonFlag(path_command);
  path_command->callback([&] {
    path_options.json = json;
    exit_code = computeContinuation(path_options);
  });

  IdentifyCommand identify_options;
  auto* identify_command =
      app.add_subcommand("identify", "Identifies frequency response, coherence and a model from two channels of a run");
  identify_command->add_option("RUN", identify_options.file, "Run file")->required();
  identify_command->add_option("--input", identify_options.input, "Input channel; default: command_1")
      ->type_name("CHANNEL");
  identify_command->add_option("--output", identify_options.output, "Output channel; default: measured_1")
      ->type_name("CHANNEL");
  identify_command->add_option("--from", identify_options.from, "First time in s; all analysed rows if left out")
      ->type_name("S");
  identify_command->add_option("--to", identify_options.to, "Time in s at which the part ends")->type_name("S");
  identify_command->add_option("--trial", identify_options.trial, "Number of the trial whose rows are used");
  auto* identify_order =
      identify_command->add_option("--order", identify_options.order, "Poles and zeros: 3 or 3,1; default: proposed")
          ->type_name("POLES[,ZEROS]");
  identify_command->add_option("--poles", identify_options.poles, "Poles; default: proposed")->excludes(identify_order);
  identify_command->add_option("--zeros", identify_options.zeros, "Zeros; default: none")->excludes(identify_order);
  identify_command
      ->add_option("--delay", identify_options.delay, "Delay in s, or auto: determined if the data show one")
      ->capture_default_str();
  identify_command
      ->add_option("--band", identify_options.band, "Band in Hz: 0.1:20; default: the band with input power")
      ->type_name("FROM:TO");
  identify_command->add_option("--segment", identify_options.segment_s, "Length of a segment in s")
      ->check(CLI::Range(0.0, 1e6));
  identify_command
      ->add_option("--hold", identify_options.hold,
                   "Input between ticks: step (for a command), line (for a measured value or a target)")
      ->check(CLI::IsMember({"step", "line"}));
  identify_command
      ->add_option(
          "--write", identify_options.write,
          "Writes the model into this project (actuator of the twin, inverse model); a new file gets the run's project")
      ->type_name("PROJECT.json");
  jsonFlag(identify_command);
  identify_command->callback([&] {
    identify_options.json = json;
    exit_code = identifyRunCommand(identify_options);
  });

  StabilityCommand stability_options;
  auto* stability_command = app.add_subcommand("stability", "Critical delay and roots of a project's loop");
  stability_command->add_option("PROJECT", stability_options.project, "Project file or template")->required();
  setOption(stability_command, stability_options.set);
  stability_command
      ->add_option("--delay", stability_options.delay_s, "Delay to analyse in s; default: that of the project")
      ->check(CLI::Range(0.0, 10.0));
  stability_command->add_option("--cutoff", stability_options.cutoff_hz, "Highest analysed frequency in Hz")
      ->check(CLI::Range(0.001, 10000.0));
  auto* map_flag =
      stability_command->add_flag("--map", stability_options.map, "Critical delay over the location of the cut");
  stability_command->add_option("--points", stability_options.points, "Largest number of places on the map")
      ->check(CLI::Range(2, 2000))
      ->capture_default_str()
      ->needs(map_flag);
  stability_command->add_option("--locus", stability_options.locus, "Roots over a range of delays in s: 0:0.02:21")
      ->type_name("FROM:TO:N");
  stability_command
      ->add_option("--dynamic-stiffness", stability_options.dynamic_stiffness,
                   "Dynamic stiffness of both sides over frequencies in Hz: 0:50:101")
      ->type_name("FROM:TO:COUNT");
  stability_command->add_flag(
      "--springs", stability_options.springs,
      "Required piston motion and remaining force bandwidth over the spring stiffness; for force-based tests");
  jsonFlag(stability_command);
  stability_command->callback([&] {
    stability_options.json = json;
    exit_code = stability(stability_options);
  });

  PlantCommand plant_options;
  auto* plant_command = app.add_subcommand(
      "plant", "Response of each actuator to its command: poles, zeros, magnitude, phase and delay over frequency");
  plant_command->add_option("PROJECT", plant_options.project, "Project file or template")->required();
  setOption(plant_command, plant_options.set);
  plant_command
      ->add_option("--frequencies", plant_options.frequencies,
                   "Frequencies in Hz: 1:20:20; default: 0.1, 0.2, 0.5, 1, ...")
      ->type_name("FROM:TO:N");
  plant_command->add_flag(
      "--keep-rest", plant_options.keep_rest,
      "Removing nearly cancelling poles and zeros keeps the gain at rest instead of that at high frequencies");
  jsonFlag(plant_command);
  plant_command->callback([&] {
    plant_options.json = json;
    exit_code = plant(plant_options);
  });

  RigCommand rig_options;
  auto* rig_command = app.add_subcommand("rig", "Serves the project's twin as hardware until Ctrl-C");
  rig_command->add_option("PROJECT", rig_options.project, "Project file or template");
  rig_command
      ->add_option("--listen", rig_options.listen,
                   "tcp://HOST:PORT (port 0: a free one), serial:PATH, or serial:pty for a new pseudo-terminal")
      ->capture_default_str();
  auto* key_file =
      rig_command->add_option("--key-file", rig_options.key_file, "Serves only benches with the key in this file")
          ->type_name("FILE");
  rig_command
      ->add_option("--new-key", rig_options.new_key, "Creates a file with a new key, readable only by you, and ends")
      ->type_name("FILE")
      ->excludes(key_file);
  rig_command->add_flag("--trust-network", rig_options.trust_network,
                        "Serves other computers without a key: whoever reaches the address can move the rig");
  rig_command->add_option("--max-step", rig_options.max_step,
                          "Largest step of a command in one tick, SI; default: from the project's actuators");
  rig_command->add_option("--max-speed", rig_options.max_speed,
                          "Largest speed of a command, SI; default: from the project's actuators");
  setOption(rig_command, rig_options.set);
  jsonFlag(rig_command);
  rig_command->callback([&] {
    rig_options.json = json;
    exit_code = serveRig(rig_options);
  });

  LatencyCommand latency_options;
  auto* latency_command =
      app.add_subcommand("latency", "Measures the wake-up latency of this computer for a paced loop");
  latency_command->add_option("--rate", latency_options.rate_hz, "Wake-ups per second in Hz")
      ->check(CLI::Range(10.0, 20000.0))
      ->capture_default_str();
  latency_command->add_option("--duration", latency_options.duration_s, "Duration of the measurement in s")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  jsonFlag(latency_command);
  latency_command->callback([&] {
    latency_options.json = json;
    exit_code = latency(latency_options);
  });

  try {
    app.parse(argumentsOf(argc, argv));
  } catch (const CLI::ParseError& error) {
    std::ostringstream results, complaints;
    const int code = app.exit(error, results, complaints);
    if (!results.view().empty()) print(results.str());
    if (!complaints.view().empty()) note(complaints.str().substr(0, complaints.str().find_last_not_of('\n') + 1));
    return code == 0 ? kDone : kInvalidInput;
  }
  if (app.get_subcommands().empty()) return openWindow(argc, argv, window);
  return exit_code;
}

}  // namespace
}  // namespace hyb::app

namespace {

int begin(int argc, char** argv) {
  using namespace hyb::app;
  openStandardStreams();
  hyb::keepFreedMemory();
  // Both signals would end the program at once; as failed writes they end a test in its safe state.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return dispatch(argc, argv);
  } catch (const hyb::InputError& error) {
    for (const hyb::Issue& issue : error.issues()) note("error: " + issue.where + ": " + issue.message);
    return kInvalidInput;
  } catch (const hyb::DeviceError& error) {
    note(std::string("error: ") + error.what());
    return kDeviceError;
  } catch (const std::exception& error) {
    note(std::string("error: a defect of HybridBench, please report it with what you did: ") + error.what());
    return kDefect;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int code = begin(argc, argv);
  if (!hyb::PlugInWatch::anyGivenUp()) return code;
  // A thread is stuck in a plug-in, so destroy no object that it uses.
  std::fflush(nullptr);
  ::_exit(code);
}
