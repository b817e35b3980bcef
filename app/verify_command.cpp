#include "app/verify_command.h"

#include <chrono>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "core/study/journal_tools.h"

namespace hyb::app {
namespace {

namespace fs = std::filesystem;

/// A progress bar that appears after one second.
SealWatch barFor(Progress& bar, const fs::path& file) {
  return [&bar, name = file.filename().string(), begun = std::chrono::steady_clock::now()](double share) {
    if (std::chrono::steady_clock::now() - begun > std::chrono::seconds(1)) bar.show(share, "checking " + name);
    return true;
  };
}

int verifyJournal(const fs::path& file, bool json) {
  const JournalCheck check = checkJournal(file);
  const bool sound = check.damaged == 0;
  const std::string finished =
      format("%zu of %zu runs are finished, and their checksums match.", check.finished, check.runs);
  const std::string sentence = sound ? finished
                                     : format("Damaged or truncated lines: %zu. ", check.damaged) + finished +
                                           " Run the command of the study again to repeat the others.";
  if (json)
    printJson({{"file", file.string()},
               {"kind", "journal"},
               {"state", sound ? "whole" : "damaged"},
               {"runs", check.runs},
               {"finished", check.finished},
               {"damaged_lines", check.damaged},
               {"sentence", sentence}});
  else
    print(file.string() + ": " + sentence + "\n");
  return sound ? kDone : kDeviceError;
}

struct VerifyCommand {
  std::string file;
  bool json = false;
};
/// `hybridbench verify FILE`: recomputes the checksums of a run, a study or its journal. Exit code 0: they match, or
/// there are none and no fault was found; 3: damaged, not finished, or without its seal.
int verifyFile(const VerifyCommand& command) {
  const std::string& file = command.file;
  if (isJournal(file) || fs::path(file).extension() == ".part") return verifyJournal(file, command.json);
  Integrity integrity;
  {
    Progress bar;
    integrity = checkFile(file, Columns::all, barFor(bar, file));
  }
  if (command.json) {
    Json report = {{"file", file}, {"kind", integrity.study ? "study" : "run"}};
    report.update(integrityJson(integrity));
    report["recovered"] = integrity.recovered;
    report["columns"] = integrity.columns;
    printJson(report);
  } else {
    print(file + ": " + integrity.sentence() +
          (integrity.state == Integrity::State::whole && integrity.columns > 0
               ? format(" The checksums of %zu columns match.", integrity.columns)
               : "") +
          "\n");
  }
  return integrity.sound() ? kDone : kDeviceError;
}

}  // namespace

Integrity checkedFile(const fs::path& file) {
  Integrity integrity;
  {
    Progress bar;
    integrity = checkFile(file, Columns::where_needed, barFor(bar, file));
  }
  if (!integrity.readable) throw DeviceError(file.string() + ": " + integrity.sentence());
  // Skip tests in progress and killed tests: their figures report the missing end.
  const bool ended = integrity.state != Integrity::State::recording && integrity.state != Integrity::State::unfinished;
  if (ended && integrity.state != Integrity::State::whole)
    note((integrity.sound() ? "note: " : "warning: ") + file.string() + ": " + integrity.sentence());
  return integrity;
}

Json integrityJson(const Integrity& integrity) {
  return {{"state", name(integrity.state)}, {"damage", integrity.damage}, {"sentence", integrity.sentence()}};
}

void addIntegrity(Json& report, const Integrity& integrity) {
  if (integrity.state != Integrity::State::whole) report["integrity"] = integrityJson(integrity);
}

void addVerify(CommandLine& line) {
  addSubcommand<VerifyCommand>(
      line, "verify", "Recomputes the checksums of a run, a study or its journal and reports damage",
      [](CLI::App& command, VerifyCommand& options) {
        command.add_option("FILE", options.file, "Run file, study file or the .part file of an unfinished study")
            ->required();
        jsonFlag(command, options.json);
      },
      verifyFile);
}

}  // namespace hyb::app
