#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/face_command.h"
#include "app/journal_command.h"
#include "app/stop_signal.h"
#include "core/base/figure_text.h"
#include "core/study/run_study.h"
#include "core/study/study_file.h"
#include "core/study/study_statistics.h"
#include "hardware/drivers.h"

namespace hyb::app {
namespace {

struct StudyCommand {
  std::string study, output;  // output empty: "<study>.h5" in the current folder
  std::string journal;        // shared by studies; empty: one beside the output
  std::string runs;           // FACE: folder for one run file per test; empty: no run files
  unsigned jobs = 0;          // 0: one per core
  bool real_time = false;     // same as "pace": "real-time"
  bool list = false;
  bool json = false;
};

namespace fs = std::filesystem;

std::string progressText(const StudyProgress& progress) {
  std::string text =
      format("%zu of %zu %s", progress.done, progress.total, progress.checking ? "combinations checked" : "runs");
  if (progress.remaining_s >= 0.0) text += ", " + timeText(progress.remaining_s) + " left";
  return text;
}

/// Varied values and results of the runs; "" if the table exceeds one screen.
std::string runsText(const StudyTable& table) {
  constexpr std::size_t kMostRuns = 40, kMostFigures = 6;
  if (table.status.size() > kMostRuns || table.figures.size() > kMostFigures) return "";
  const auto cell = [](const std::string& text, std::size_t width) {
    return text + std::string(width > text.size() ? width - text.size() : 0, ' ') + "  ";
  };
  std::size_t widest = 0;
  for (const std::string& label : table.label) widest = std::max(widest, label.size());
  std::string text = cell("run", 3) + cell("", widest);
  std::vector<std::string> heads;
  for (const StudyTable::Column& figure : table.figures)
    text += cell(heads.emplace_back(figure.units.empty() ? figure.name : figure.name + " (" + figure.units + ")"), 0);
  for (std::size_t run = 0; run < table.status.size(); ++run) {
    text += "\n" + cell(std::to_string(run), 3) + cell(table.label[run], widest);
    for (std::size_t f = 0; f < heads.size(); ++f) {
      const double value = table.figures[f].numbers[run];
      text += cell(std::isfinite(value) ? figureText(value, 4) : "-", heads[f].size());
    }
  }
  return text + "\n";
}

std::vector<FigureStatistics> statisticsOf(const Study& study, const StudyTable& table) {
  return studyStatistics(study, table.status, table.figures.size(),
                         [&](std::size_t column, std::size_t run) { return table.figures[column].numbers[run]; });
}

std::string number(double value) { return std::isfinite(value) ? figureText(value, 4) : "-"; }

std::string intervalText(const Estimate& estimate) {
  if (!std::isfinite(estimate.low) || !std::isfinite(estimate.high)) return number(estimate.value);
  return number(estimate.value) + " [" + number(estimate.low) + ", " + number(estimate.high) + "]";
}

/// Statistics of each figure, and the Sobol indices; "" if there are none or the table exceeds one screen.
std::string statisticsText(const Study& study, const StudyTable& table) {
  constexpr std::size_t kMostRows = 40;
  const std::vector<FigureStatistics> all = statisticsOf(study, table);
  if (all.empty()) return "";
  if (all.size() * std::max<std::size_t>(1, all.front().indices.size()) > kMostRows)
    return "Statistics of " + std::to_string(all.size()) + " figures are in /statistics of the file.\n";
  const auto name = [&](const FigureStatistics& entry) {
    const StudyTable::Column& figure = table.figures[entry.column];
    return figure.units.empty() ? figure.name : figure.name + " (" + figure.units + ")";
  };
  std::vector<std::vector<std::string>> rows{
      {"", "figure", "runs", "mean [95 %]", "deviation [95 %]", "median", "5 % to 95 %", "outliers", "runs for 5 %"}};
  std::vector<std::vector<std::string>> indices{{"", "figure", "setting", "first order [95 %]", "total [95 %]"}};
  for (const FigureStatistics& entry : all) {
    const SampleStatistics& s = entry.sample;
    const std::size_t enough = runsForMean(s, 0.05);
    rows.push_back({study.words(entry.combination), name(entry), std::to_string(s.count - s.missing),
                    intervalText(s.mean), intervalText(s.deviation), number(s.median.value),
                    number(s.low5.value) + " to " + number(s.high95.value), std::to_string(s.outliers.size()),
                    enough > 0 ? std::to_string(enough) : "-"});
    for (std::size_t i = 0; i < entry.indices.size(); ++i)
      indices.push_back({study.words(entry.combination), name(entry), study.random.settings[i].name,
                         intervalText(entry.indices[i].first), intervalText(entry.indices[i].total)});
  }
  return columnsText(rows) + (indices.size() > 1 ? "\n" + columnsText(indices) : "");
}

/// The best candidate of a search and how far the goal has come, generation by generation.
std::string searchText(const Study& study, const StudySummary& summary, const StudyTable& table) {
  if (!study.search) return "";
  if (!summary.best) return "No candidate has a value: each has a run that did not come to its end.\n";
  const std::size_t run = *summary.best * study.runsOfCombination();
  std::string text = "Best candidate " + std::to_string(*summary.best) + " of generation " +
                     std::to_string(*summary.best / study.search->population) + ": goal " + number(summary.best_value) +
                     "\n";
  std::vector<std::vector<std::string>> rows;
  for (std::size_t v = 0; v < study.variations.size(); ++v)
    rows.push_back({study.variations[v].name, number(table.plan[v].numbers[run])});
  return text + columnsText(rows);
}

Json statisticsJson(const Study& study, const StudyTable& table) {
  Json list = Json::array();
  const auto estimate = [](const Estimate& e) { return Json{e.value, e.low, e.high}; };
  for (const FigureStatistics& entry : statisticsOf(study, table)) {
    Json one = {{"label", study.words(entry.combination)}, {"figure", table.figures[entry.column].name}};
    for (const StatisticColumn& column : statisticColumns()) one[column.name] = column.of(entry.sample);
    for (std::size_t i = 0; i < entry.indices.size(); ++i)
      one["indices"][study.random.settings[i].name] = {{"first_order", estimate(entry.indices[i].first)},
                                                       {"total", estimate(entry.indices[i].total)}};
    list.push_back(std::move(one));
  }
  return list;
}

int listStudies(bool json) {
  Json list = Json::array();
  std::string text;
  for (const ShippedStudy& study : shippedStudies()) {
    list.push_back({{"name", study.name}, {"title", study.title}});
    text += format("%-22s ", study.name.c_str()) + study.title + "\n";
  }
  if (json)
    printJson({{"studies", list}});
  else
    print(text);
  return kDone;
}

/// `hybridbench study`, including FACE campaigns: exit code 1 if it was cancelled and can be resumed.
int runStudyCommand(const StudyCommand& command) {
  if (command.list) return listStudies(command.json);
  if (command.study.empty())
    throw InputError("STUDY", "is missing; give a study file or the name of a built-in study (study --list).");
  const fs::path file = command.output.empty() ? fs::path(command.study).stem().string() + ".h5" : command.output;
  if (std::optional<FaceJob> face = loadFaceJob(command.study)) {
    if (!command.journal.empty())
      throw InputError("--journal", "is not for a FACE campaign, whose tests are not shared; leave it out.");
    face->options.runs = command.runs;
    face->options.devices = makeDevice;
    face->options.paced = face->options.paced || command.real_time;
    return runFaceCommand(*face, file, command.json);
  }
  StopSignal signal;
  Study study = loadStudy(command.study);
  if (command.real_time) {
    study.paced = true;
    study.document["pace"] = "real-time";
  }
  StudySummary summary;
  {
    Progress bar;
    const StudyWatch watch = [&](const StudyProgress& progress) {
      bar.show(static_cast<double>(progress.done) / static_cast<double>(progress.total), progressText(progress));
      return !signal.received();
    };
    summary = runStudy(study, file, command.jobs, watch, makeDevice, &signal.token(), command.journal);
  }
  noteDamagedLines(summary.damaged);
  for (const std::string& remark : study.notes) note(remark);
  if (summary.reused > 0) note(format("%zu runs were taken from other studies in the journal.", summary.reused));
  const StudyTable table = summary.file.empty() ? StudyTable() : readStudyFile(summary.file);
  const std::size_t finished = summary.done + summary.stopped + summary.failed;
  if (command.json)
    printJson({{"file", summary.file.string()},
               {"runs", summary.runs},
               {"done", summary.done},
               {"stopped", summary.stopped},
               {"failed", summary.failed},
               {"pending", summary.runs - finished},
               {"segments", summary.segments},
               {"resumed", summary.resumed},
               {"reused", summary.reused},
               {"damaged_lines", summary.damaged},
               {"cancelled", summary.cancelled},
               {"statistics", table.status.empty() ? Json::array() : statisticsJson(study, table)},
               {"best", summary.best ? Json(*summary.best) : Json()},
               {"best_value", summary.best ? Json(summary.best_value) : Json()},
               {"elapsed_s", summary.elapsed_s}});
  else if (!summary.file.empty())
    print(runsText(table) + searchText(study, summary, table) + (study.search ? "" : statisticsText(study, table)) +
          format("%zu runs: %zu done, %zu stopped before their end, %zu could not be run; %s\n", finished, summary.done,
                 summary.stopped, summary.failed, timeText(summary.elapsed_s).c_str()) +
          (summary.segments > 0
               ? format("%zu trials, frequencies or points of paths are kept of them, in /segments\n", summary.segments)
               : "") +
          summary.file.string() + "\n");
  if (!summary.cancelled) return kDone;
  if (summary.file.empty())
    note(
        "cancelled before the first run. Runs that were finished earlier are kept; run the same command again to "
        "continue.");
  else
    note(format("cancelled: %zu of %zu runs are finished and kept. Run the same command again to continue.", finished,
                summary.runs));
  return kStopped;
}

}  // namespace

void addStudy(CommandLine& line) {
  addSubcommand<StudyCommand>(
      line, "study", "Runs a project many times with varied values",
      [](CLI::App& command, StudyCommand& options) {
        command.add_option("STUDY", options.study,
                           "Study file, name of a built-in study, or a project with a FACE section");
        command.add_flag("--list", options.list, "Lists the built-in studies");
        command.add_option("-o,--output", options.output,
                           "File to write; default: STUDY.h5. An unfinished file is continued");
        command.add_option("--jobs", options.jobs, "Runs at the same time; default: one per core")
            ->check(CLI::Range(1, 256));
        command.add_option("--journal", options.journal,
                           "Journal that several studies share: runs of one are not repeated by another. It is kept");
        command.add_option("--runs", options.runs, "FACE: keeps one run file per test in this folder")
            ->type_name("FOLDER");
        command.add_flag("--real-time", options.real_time,
                         "At the loop's rate, as \"pace\": \"real-time\" in the study");
        acceptOption(command);
        jsonFlag(command, options.json);
      },
      runStudyCommand);
  addJournal(line, *line.app.get_subcommand("study"));
}

}  // namespace hyb::app
