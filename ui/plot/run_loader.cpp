#include "ui/plot/run_loader.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/record/run_table.h"
#include "core/run/build.h"
#include "core/run/run_record.h"

namespace hyb::ui {
namespace {

constexpr std::uint64_t kSlice = 65536;       // rows between two checks of `cancel`
constexpr double kCheckShare = 0.2;           // share of the progress of reading a run
constexpr double kMostBytes = 1.5e9;          // of one run in memory
constexpr double kPyramidShare = 2.0 / 15.0;  // minima and maxima on top of the values

QString loaderText(const char* text) { return QCoreApplication::translate("RunLoader", text); }

/// Source of each column of a row; none: not in the file.
std::vector<std::optional<std::size_t>> sourcesOf(const RowLayout& layout, const Table& table) {
  std::vector<std::optional<std::size_t>> sources;
  for (const Channel& column : layout.columns()) sources.push_back(find(table, column.name));
  return sources;
}

std::shared_ptr<RunHistory> readRows(const Table& table, const AnalysisWindow& analysed, LoadProgress& progress,
                                     std::uint64_t& rows_left_out) {
  const RowLayout layout = RowLayout::of(table.channels);
  const double row_bytes = static_cast<double>(layout.width() + layout.interfaces() + 1) * 8.0 * (1.0 + kPyramidShare);
  const std::uint64_t rows = std::min(table.rows, static_cast<std::uint64_t>(kMostBytes / row_bytes));
  rows_left_out = table.rows - rows;
  if (rows == 0) return nullptr;
  auto history =
      std::make_shared<RunHistory>(layout, table.rate_hz, static_cast<std::size_t>(rows), CountedRows(analysed));
  const std::vector<std::optional<std::size_t>> sources = sourcesOf(layout, table);
  std::vector<std::vector<double>> columns(sources.size());
  std::vector<double> row(layout.width());
  for (std::uint64_t first = 0; first < rows; first += kSlice) {
    const std::uint64_t count = std::min(kSlice, rows - first);
    for (std::size_t column = 0; column < sources.size(); ++column) {
      if (progress.cancel.load()) return nullptr;
      if (sources[column])
        columns[column] = table.read(*sources[column], first, count);
      else
        columns[column].assign(static_cast<std::size_t>(count), kNoValue);
      if (column == RowLayout::kFlags)
        std::replace_if(
            columns[column].begin(), columns[column].end(), [](double v) { return !(v >= 0.0); }, 0.0);
    }
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t column = 0; column < sources.size(); ++column) row[column] = columns[column][r];
      history->append(row);
    }
    progress.share.store(kCheckShare +
                         (1.0 - kCheckShare) * static_cast<double>(first + count) / static_cast<double>(rows));
  }
  return history;
}

}  // namespace

std::shared_ptr<const LoadedRun> loadRun(const QString& file, LoadProgress& progress) {
  auto run = std::make_shared<LoadedRun>();
  run->file = file;
  // Before HDF5 reads the structure of the file.
  run->integrity = checkFile(file.toStdString(), Columns::where_needed, [&](double share) {
    progress.share.store(kCheckShare * share);
    return !progress.cancel.load();
  });
  if (progress.cancel.load()) return nullptr;
  if (!run->integrity.readable) throw DeviceError(file.toStdString() + ": " + run->integrity.sentence());
  const auto file_reader = std::make_shared<const RunFileReader>(file.toStdString());
  const RunFileReader& reader = *file_reader;
  run->info = reader.info();
  if (!(run->info.rate_hz > 0.0)) throw DeviceError(file.toStdString() + ": damaged, the sampling rate is missing");
  const Table table = recordedTable(file_reader);
  run->events = table.events;
  AnalysisWindow analysed;
  try {
    const Json document = Json::parse(reader.projectJson());
    analysed = analysisWindow(document, run->info.rate_hz);
    run->project = parseRecorded(document, projectFolder(reader, file.toStdString()));
    run->frequency_hz = excitationFrequency_hz(*run->project);
    run->window_s = run->project->analysis.window_s;
    run->tolerance = run->project->analysis.gap_tolerance;
  } catch (const std::exception& error) {
    run->project_error = QString::fromUtf8(error.what());
  }
  TrialSpec rules;
  if (run->project) rules = run->project->loop.trials;
  run->trials = TrialList::of(table, rules);
  run->sweep = SweepList::of(table);
  run->history = readRows(table, analysed, progress, run->rows_left_out);
  if (progress.cancel.load()) return nullptr;
  return run;
}

RunSummary summarise(const QString& file, const QString& recording) {
  RunSummary summary;
  summary.file = file;
  summary.title = QFileInfo(file).completeBaseName();
  if (QFileInfo(file) == QFileInfo(recording)) {
    summary.condition = RunSummary::Condition::writing;
    summary.detail = loaderText("This test is being recorded now.");
    return summary;
  }
  try {
    const RunFileReader reader(file.toStdString());
    const RunFileInfo& info = reader.info();
    if (!info.title.empty()) summary.title = QString::fromStdString(info.title);
    for (const Template& known : templates())
      if (known.title == info.title) summary.template_name = QString::fromStdString(known.name);
    summary.verdict = info.verdict;
    summary.started_at = QString::fromStdString(info.started_at);
    summary.condition = info.writing ? RunSummary::Condition::writing : RunSummary::Condition::ended;
    summary.detail = info.writing ? loaderText("This test is being recorded now.")
                     : info.live  ? loaderText("The program that recorded it was killed; open it to recover its rows.")
                                  : QString::fromStdString(info.stop_reason);
  } catch (const std::exception& error) {
    summary.detail = QString::fromUtf8(error.what());
  }
  return summary;
}

}  // namespace hyb::ui
