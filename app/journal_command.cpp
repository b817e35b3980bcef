#include "app/journal_command.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/console.h"
#include "core/base/file_bytes.h"
#include "core/study/journal_tools.h"

namespace hyb::app {
namespace {

struct JournalCommand {
  std::vector<std::string> files;
  std::string output;
  bool json = false;
};

/// Exit code of a journal that was read.
int toldDamage(std::size_t lines) {
  if (lines == 0) return kDone;
  note(format("warning: damaged or truncated lines of the journal: %zu; their runs are left out.", lines));
  return kDeviceError;
}

int printJournal(const JournalCommand& command) {
  constexpr std::size_t kMostColumns = 12;  // of a readable table
  const JournalContent content = readJournal(command.files.front());
  std::string text;
  for (const JournalStudy& study : content.studies) {
    const auto finished = static_cast<std::size_t>(std::ranges::count(content.runs, study.id, &JournalRun::study));
    text += "study " + study.id + (study.title.empty() ? "" : ", " + study.title) +
            format(": %zu of %zu runs are finished", finished, study.runs) +
            (study.started_at.empty() ? "" : ", started " + study.started_at) +
            (study.software_version.empty() ? "" : ", HybridBench " + study.software_version) + "\n";
  }
  std::vector<std::vector<std::string>> rows = journalRows(content);
  const std::size_t columns = rows.front().size();
  for (std::vector<std::string>& row : rows) row.resize(std::min(columns, kMostColumns));
  print(text + "\n" + columnsText(rows));
  if (columns > kMostColumns)
    print(format("%zu more columns: hybridbench study journal export\n", columns - kMostColumns));
  return toldDamage(content.damaged);
}

int exportJournal(const JournalCommand& command) {
  const JournalContent content = readJournal(command.files.front());
  if (command.output.empty())
    print(journalCsv(content));
  else
    writeWhole(command.output, journalCsv(content));
  return toldDamage(content.damaged);
}

int mergeCommand(const JournalCommand& command) {
  const MergeReport report = mergeJournals({command.files.begin(), command.files.end()}, command.output);
  for (const std::string& conflict : report.conflicts) note("conflict: " + conflict);
  if (command.json)
    printJson({{"file", command.output},
               {"runs", report.runs},
               {"same", report.same},
               {"conflicts", report.conflicts},
               {"damaged_lines", report.damaged}});
  else
    print(format("%zu runs, %zu of them in several journals, %zu conflicts\n", report.runs, report.same,
                 report.conflicts.size()) +
          command.output + "\n");
  if (!report.conflicts.empty()) return kStopped;
  return toldDamage(report.damaged);
}

void addJournalCommand(CommandLine& line, CLI::App& journal, const char* name, const char* description,
                       void (*declare)(CLI::App& command, JournalCommand& options),
                       int (*run)(const JournalCommand& options)) {
  CLI::App* const command = journal.add_subcommand(name, description);
  const auto options = std::make_shared<JournalCommand>();
  declare(*command, *options);
  command->callback([&line, options, run] { line.exit_code = run(*options); });
}

void oneFile(CLI::App& command, JournalCommand& options) {
  command.add_option("FILE", options.files, "Journal: OUTPUT.part, or the one of --journal")->required()->expected(1);
}

}  // namespace

void addJournal(CommandLine& line, CLI::App& study) {
  CLI::App* const journal = study.add_subcommand("journal", "Journals of studies: print, export, merge");
  journal->require_subcommand(1);
  addJournalCommand(line, *journal, "print", "Prints the runs of a journal as a table", oneFile, printJournal);
  addJournalCommand(
      line, *journal, "export", "Writes the runs of a journal as comma-separated values",
      [](CLI::App& command, JournalCommand& options) {
        oneFile(command, options);
        command.add_option("-o,--output", options.output, "File to write; default: standard output");
      },
      exportJournal);
  addJournalCommand(
      line, *journal, "merge", "Puts the runs of several journals into a new one",
      [](CLI::App& command, JournalCommand& options) {
        command.add_option("FILES", options.files, "Journals")->required()->expected(1, 1000);
        command.add_option("-o,--output", options.output, "Journal to write")->required();
        jsonFlag(command, options.json);
      },
      mergeCommand);
}

}  // namespace hyb::app
