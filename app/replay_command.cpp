#include "app/replay_command.h"

#include <filesystem>

#include "app/console.h"
#include "core/run/replay.h"

namespace hyb::app {

namespace fs = std::filesystem;

int replayRun(const ReplayCommand& command) {
  std::error_code error;
  if (!command.output.empty() && fs::exists(command.output, error))
    throw InputError("-o " + command.output, "exists already; give another name, or delete it first.");
  ReplayOptions options;
  options.changes = command.set;
  options.folder = command.folder.empty() ? fs::path(command.file).parent_path() : fs::path(command.folder);
  options.output = command.output;
  const ReplayReport report = replay(RunFileReader(command.file), options);

  if (command.json) {
    Json first;
    if (report.first)
      first = {{"tick", report.first->tick},
               {"channel", report.first->channel},
               {"recorded", report.first->recorded},
               {"replayed", report.first->replayed}};
    printJson({{"file", command.file},
               {"output", command.output},
               {"rows", report.rows},
               {"exact", report.exact()},
               {"differing_rows", report.differing_rows},
               {"first_difference", first},
               {"early_end", report.early_end}});
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
  return report.exact() ? kDone : kStopped;
}

}  // namespace hyb::app
