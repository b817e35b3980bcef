#include <string>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/verify_command.h"
#include "core/record/run_file_reader.h"

namespace hyb::app {
namespace {

struct RecoverCommand {
  std::string file, output;  // output empty: the run file itself
  bool json = false;
};

int recoverRun(const RecoverCommand& command) {
  const std::string& file = command.file;
  const RecoverReport report = recover(file, command.output);
  // Recovery cannot restore damaged values in a file with complete rows.
  const bool damaged = !report.needed && checkedFile(file).damaged();
  if (command.json)
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

}  // namespace

void addRecover(CommandLine& line) {
  addSubcommand<RecoverCommand>(
      line, "recover", "Completes the file of a killed run",
      [](CLI::App& command, RecoverCommand& options) {
        command.add_option("RUN", options.file, "Run file")->required();
        command.add_option("-o,--output", options.output, "File to write; default: the run file itself");
        jsonFlag(command, options.json);
      },
      recoverRun);
}

}  // namespace hyb::app
