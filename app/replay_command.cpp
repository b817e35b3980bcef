#include <filesystem>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/verify_command.h"
#include "core/base/words.h"
#include "core/project/files.h"
#include "core/run/replay.h"
#include "core/run/run_record.h"

namespace hyb::app {

namespace fs = std::filesystem;

namespace {

struct ReplayCommand {
  std::string file, output;  // output empty: nothing is recorded
  std::string folder;        // base of the project's relative files; empty: beside the run file
  std::vector<std::string> set;
  bool json = false;
};

/// Replays the run. If relative files of the project are missing, the message names the option for their folder.
ReplayReport replayIn(const RunFileReader& run, const ReplayOptions& options) {
  try {
    return replay(run, options);
  } catch (const InputError& error) {
    const std::vector<std::string> missing = missingFiles(Json::parse(run.projectJson()), options.folder);
    if (missing.empty()) throw;
    std::vector<Issue> issues = error.issues();
    const std::string folder = options.folder.empty() ? "this folder" : options.folder.string();
    issues.push_back(
        {"--folder",
         quoted(missing.front()) + (missing.size() > 1 ? " and " + std::to_string(missing.size() - 1) + " more" : "") +
             " of the project cannot be found in " + folder + ". Give the folder of the project with --folder."});
    throw InputError(std::move(issues));
  }
}

/// `hybridbench replay`: exit code 1 if a command differs.
int replayRun(const ReplayCommand& command) {
  std::error_code error;
  if (!command.output.empty() && fs::exists(command.output, error))
    throw InputError("-o " + command.output, "exists already; give another name, or delete it first.");
  const Integrity integrity = checkedFile(command.file);
  const RunFileReader run(command.file);
  ReplayOptions options;
  options.changes = command.set;
  options.folder = command.folder.empty() ? projectFolder(run, command.file) : fs::path(command.folder);
  options.output = command.output;
  const ReplayReport report = replayIn(run, options);

  if (command.json) {
    Json first;
    if (report.first)
      first = {{"tick", report.first->tick},
               {"channel", report.first->channel},
               {"recorded", report.first->recorded},
               {"replayed", report.first->replayed}};
    Json said = {{"file", command.file},
                 {"output", command.output},
                 {"rows", report.rows},
                 {"exact", report.exact()},
                 {"differing_rows", report.differing_rows},
                 {"first_difference", first},
                 {"early_end", report.early_end}};
    addIntegrity(said, integrity);
    printJson(said);
  } else {
    const auto rows = static_cast<unsigned long long>(report.rows);
    std::string text = format("%llu rows replayed", rows);
    if (report.exact()) text += ": every command came out bit for bit";
    if (report.first)
      text += format(", %llu differ; the first at tick %llu: %s was %.17g m, is %.17g m",
                     static_cast<unsigned long long>(report.differing_rows),
                     static_cast<unsigned long long>(report.first->tick), report.first->channel.c_str(),
                     report.first->recorded, report.first->replayed);
    if (!report.early_end.empty()) text += "\n" + report.early_end;
    print(text + "\n" + (command.output.empty() ? "" : command.output + "\n"));
  }
  if (integrity.damaged()) return kDeviceError;
  return report.exact() ? kDone : kStopped;
}

}  // namespace

void addReplay(CommandLine& line) {
  addSubcommand<ReplayCommand>(
      line, "replay", "Replays the readings of a run and compares the commands",
      [](CLI::App& command, ReplayCommand& options) {
        command.add_option("RUN", options.file, "Run file")->required();
        command.add_option("-o,--output", options.output, "Run file of the replay; default: none");
        command.add_option(
            "--folder", options.folder,
            "Base folder of the project's relative files; default: the folder of the run, or beside RUN");
        setOption(command, options.set);
        acceptOption(command);
        jsonFlag(command, options.json);
      },
      replayRun);
}

}  // namespace hyb::app
