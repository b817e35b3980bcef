#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <thread>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/figures.h"
#include "app/stop_signal.h"
#include "core/assess/learning_report.h"
#include "core/assess/metrics.h"
#include "core/project/schema.h"
#include "core/run/build.h"
#include "core/run/learnt_start.h"
#include "core/run/test_run.h"
#include "core/run/verdict.h"
#include "hardware/drivers.h"
#include "hardware/program_site.h"

namespace hyb::app {
namespace {

struct RunCommand {
  std::string project, output;               // output empty: named by title and time
  std::string go_on;                         // run file of a stopped sweep to continue; empty: from the beginning
  bool free_run = false, real_time = false;  // neither: as fast as this computer can
  std::vector<std::string> set;
  std::optional<double> duration_s;
  std::optional<std::uint64_t> seed;
  std::string begin_with;  // run file; empty: no learnt state
  int trial = 0;           // of that run; 0: its best
  bool json = false;
};

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// "Three masses, two actuators" -> "three-masses-two-actuators"
std::string slug(const std::string& title) {
  constexpr std::size_t kLongest = 60;
  std::string name;
  for (const char c : title) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool capital = c >= 'A' && c <= 'Z';
    if (letter || capital)
      name += capital ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
    if (name.size() == kLongest) break;
  }
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "run" : name;
}

fs::path defaultFile(const Project& project) {
  const fs::path folder = project.folder / project.recording.folder;  // an absolute folder replaces the project's
  const fs::path target = project.recording.folder.empty() ? fs::path() : folder;
  std::error_code error;
  if (!target.empty()) fs::create_directories(target, error);
  if (error)
    throw DeviceError(target.string() + ": the recording folder cannot be created: " + error.message() +
                      "; choose another with -o or /recording/folder.");
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
  const std::string stem = slug(project.meta.title) + "-" + stamp;
  fs::path file = target / (stem + ".h5");
  for (int n = 2; fs::exists(file, error); ++n) file = target / (stem + "-" + std::to_string(n) + ".h5");
  return file;
}

/// The document to run and record: as loaded, with the changes from the command line.
Project effectiveProject(const RunCommand& command) {
  fs::path folder;
  Json document = loadDocument(command.project, &folder);
  for (const std::string& assignment : command.set) setValue(document, assignment);
  const auto set = [&](const char* section, const char* key, const auto& value) {
    if (Json& here = document[section]; here.is_object() || here.is_null())
      here[key] = value;  // otherwise validate() reports it
  };
  if (command.duration_s) set("loop", "duration_s", *command.duration_s);
  if (command.seed) set("rig", "seed", *command.seed);
  std::vector<Issue> issues = validate(document, folder);
  if (command.duration_s && issues.size() == 1 && issues.front().where == "/analysis/start_s") {
    // A test shortened only by --duration: the figures start at the end of the soft start.
    document["analysis"]["start_s"] = document["loop"].value("soft_start_s", LoopConfig().soft_start_s);
    note("note: figures start at " + document["analysis"]["start_s"].dump() +
         " s, after the soft start; the start in the project is beyond --duration.");
  }
  return parseProject(document, folder);
}

void tellOfFile(TestRun& test) {
  if (const std::optional<PlaceNotice> change = test.takeFileNotice())
    note((change->severity == Severity::fault ? "error: " : "note: ") + change->sentence);
}

/// What the program that computes the NS did, for the operator; the run file has all of it.
class ProgramNotes {
 public:
  explicit ProgramNotes(TestRun& test) : test_(test) {}
  void tell() {
    if (test_.project().coupling->site() == nullptr) return;
    for (Event event; test_.displayEvents().pop(event);) {
      if (std::ranges::find(kCodes, event.code) == kCodes.end() || told_ > kMost) continue;
      note(told_++ < kMost ? "note: " + message(event, test_.eventNames())
                           : "note: further events of the model are in the run file.");
    }
  }

 private:
  static constexpr std::array kCodes = {EventCode::client_remark, EventCode::model_late, EventCode::model_in_time,
                                        EventCode::target_refused};
  static constexpr int kMost = 20;
  TestRun& test_;
  int told_ = 0;
};

void drive(TestRun& test) {
  const LoopConfig& loop = test.project().loop;
  Progress progress;
  test.arm();
  if (!test.siteAddress().empty())
    note("listening at " + test.siteAddress() + "; start the program that computes the rest of the structure now.");
  test.start();
  ProgramNotes program(test);
  while (!test.ended()) {
    tellOfFile(test);
    program.tell();
    const double time_s = static_cast<double>(test.status().tick.load()) / loop.rate_hz;
    if (loop.duration_s > 0.0 && time_s >= loop.duration_s)
      progress.show(1.0, "coming to rest");
    else if (loop.duration_s > 0.0)
      progress.show(time_s / loop.duration_s, format("%.1f s of %g s", time_s, loop.duration_s));
    else
      progress.show(-1.0, format("%.1f s, Ctrl-C ends the test", time_s));
    // Poll quickly at first: short tests must not wait for the bar.
    for (int i = 0; i < 20 && !test.ended(); ++i) std::this_thread::sleep_for(5ms);
  }
  program.tell();
}

/// Figures of the connection to the rig; null for a test on the twin.
Json linkFigures(const TestRun& test) {
  const LinkFigures* link = test.link();
  if (test.project().rig.use == RigUse::twin || link == nullptr) return nullptr;
  const auto milliseconds = [&](double share) { return 1e-6 * link->roundTripNs(share); };
  return {
      {"round_trip_ms", {{"median", milliseconds(0.5)}, {"p99", milliseconds(0.99)}, {"p999", milliseconds(0.999)}}},
      {"lost", link->lost.load()},
      {"corrupt", link->corrupt.load()},
      {"out_of_order", link->out_of_order.load()},
      {"late", link->late.load()},
      {"doubled", link->doubled.load()},
      {"foreign", link->foreign.load()}};
}

/// Waits for the connected program to end: it does not survive an earlier closed connection.
void letTheClientGo(const TestRun& test, const StopSignal& signal) {
  if (!test.clientConnected() || signal.received()) return;
  note("the test has ended; waiting for the connected program to end too (Ctrl-C ends the wait).");
  while (test.clientConnected() && !signal.received()) std::this_thread::sleep_for(5ms);
}

int exitCode(const RunResult& result) {
  if (!result.device_error.empty() || result.reason == EndReason::recorder_failed) return kDeviceError;
  return result.reason == EndReason::completed || result.reason == EndReason::operator_stop ? kDone : kStopped;
}

int run(const RunCommand& command) {
  StopSignal signal;
  const Project project = effectiveProject(command);
  RunOptions options;
  options.pace = command.real_time ? Pace::real_time : Pace::free_run;
  options.devices = makeDevice;
  options.site = makeProgramSite;
  options.attended = false;
  options.events = project.coupling->site() != nullptr;
  options.stop = &signal.token();
  if (!command.begin_with.empty()) {
    const LearntStart begins = learntStartOf(command.begin_with, command.trial);
    if (const std::string fault = startFault(begins, project); !fault.empty())
      throw InputError("--begin-with " + command.begin_with, fault);
    options.begin_with = {begins.of.learnt, begins.from};
    note(
        format("note: starts with the initial state of trial %d (%.3g %%).", begins.of.trial, begins.of.error_percent));
  }
  options.file = command.output.empty() ? defaultFile(project) : fs::path(command.output);
  options.go_on = command.go_on;
  TestRun test(project, options);
  if (project.loop.trials.count > 0) {
    for (const std::string& sentence : learningFaults(learningReport(test.project(), buildPartition(test.project()))))
      note("note: " + sentence);
  }
  drive(test);
  RunResult result = test.finish();
  tellOfFile(test);
  if (!result.device_error.empty() && result.reason == EndReason::completed)  // failed while the last rows were written
    result.stop_reason = result.device_error;
  letTheClientGo(test, signal);

  Json figures;
  try {
    if (result.recorded) figures = metrics(RunFileReader(test.file()), project.folder);
  } catch (const DeviceError& error) {  // disk full, or test stopped before its first row
    note(std::string("note: no figures: ") + error.what());
  }
  if (!result.device_error.empty()) note("error: " + result.device_error);
  if (command.json) {
    printJson({{"file", test.file().string()},
               {"stop_reason", result.stop_reason},
               {"complete", result.complete},
               {"valid", result.valid},
               {"verdict", verdictJson(result.verdict)},
               {"ticks", result.ticks},
               {"late_ticks", result.late_ticks},
               {"missed_periods", result.missed_periods},
               {"realtime", test.realtimeSummary()},
               {"link", linkFigures(test)},
               {"metrics", figures}});
  } else {
    std::string text = figures.is_null() ? "" : figuresTable(figures);
    text += format("%llu ticks, %llu late ticks, %llu missed periods; real time: ",
                   static_cast<unsigned long long>(result.ticks), static_cast<unsigned long long>(result.late_ticks),
                   static_cast<unsigned long long>(result.missed_periods)) +
            test.realtimeSummary() + "\n";
    text += verdictText(verdictJson(result.verdict));
    if (result.verdict.ended != EndReason::completed) text += "stop reason: " + result.stop_reason + "\n";
    if (result.recorded) text += test.file().string() + "\n";
    print(text);
  }
  return exitCode(result);
}

/// The largest seed allowed in a project.
std::uint64_t largestSeed() {
  return schemaOf(templateDocument("three-mass"), "/rig/seed").at("maximum").get<std::uint64_t>();
}

}  // namespace

void addRun(CommandLine& line) {
  addSubcommand<RunCommand>(
      line, "run", "Runs a test and records it",
      [](CLI::App& command, RunCommand& options) {
        command.add_option("PROJECT", options.project, "Project file or template")->required();
        command.add_option("-o,--output", options.output, "Run file to write; default: named by title and time");
        auto* free_flag =
            command.add_flag("--free-run", options.free_run, "As fast as this computer can (the default)");
        command.add_flag("--real-time", options.real_time, "At the loop's rate")->excludes(free_flag);
        setOption(command, options.set);
        command.add_option("--duration", options.duration_s, "Duration of the excitation in s; 0: until stopped");
        command.add_option("--seed", options.seed, "Seed of the twin's sensor noise")
            ->check(wholeNumber(0, largestSeed()));
        auto* begin_option =
            command.add_option("--begin-with", options.begin_with,
                               "Run file; the compensation starts with the initial state of its best trial");
        command.add_option("--trial", options.trial, "This trial of the run file instead of the best")
            ->needs(begin_option)
            ->check(wholeNumber(1, std::numeric_limits<std::int32_t>::max()));
        command.add_option(
            "--go-on", options.go_on,
            "Run file of a stopped frequency sweep: continues at the next frequency and keeps those already measured");
        acceptOption(command);
        jsonFlag(command, options.json);
      },
      run);
}

}  // namespace hyb::app
