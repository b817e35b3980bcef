#include "ui/plot/run_loader.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/run/build.h"
#include "core/run/run_rows.h"

namespace hyb::ui {
namespace {

constexpr std::uint64_t kSlice = 65536;       // rows between two checks of `cancel`
constexpr double kCheckShare = 0.2;           // share of the progress of reading a run
constexpr double kMostBytes = 1.5e9;          // of one run in memory
constexpr double kPyramidShare = 2.0 / 15.0;  // minima and maxima on top of the values

QString loaderText(const char* text) { return QCoreApplication::translate("RunLoader", text); }

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Columns of scheme and rig: those in the file beside the `usual` ones.
std::vector<Channel> furtherChannels(const RunFileReader& reader, const std::vector<Channel>& usual) {
  std::vector<Channel> further;
  for (const std::string& name : reader.info().acquisition) {
    const bool known = name == "tick" || name == "time" || name == "flags" ||
                       std::any_of(usual.begin(), usual.end(), [&](const Channel& c) { return c.name == name; });
    if (known) continue;
    const auto attribute = [&](const char* key) { return reader.attribute("acquisition/" + name, key); };
    further.push_back({name, attribute("units"), {}, 0, attribute("title"), attribute("group")});
  }
  return further;
}

RowLayout layoutOf(const RunFileReader& reader) {
  const RunFileInfo& info = reader.info();
  std::size_t interfaces = 0, excitations = 0;
  while (has(info.acquisition, "target_" + std::to_string(interfaces + 1))) ++interfaces;
  while (has(info.acquisition, "excitation_" + std::to_string(excitations + 1))) ++excitations;
  if (interfaces == 0) throw DeviceError("the file holds no interface (acquisition/target_1)");
  std::vector<Channel> signals;
  for (std::size_t j = 1; j <= excitations; ++j) {
    const std::string name = "excitation_" + std::to_string(j);
    signals.push_back({name, reader.attribute("acquisition/" + name, "units"), {}, 0});
  }
  std::vector<Adapted> adapted;
  for (const std::string& name : info.adaptation) {
    const auto attribute = [&](const char* key) { return reader.attribute("adaptation/" + name + "/value", key); };
    adapted.push_back({name, attribute("units"), {}, attribute("title"), attribute("group")});
  }
  std::vector<AxisSignals> axes;
  for (std::size_t i = 1; i <= interfaces; ++i) {
    const auto kind = [&](const char* stem) {
      const std::string name = stem + std::to_string(i);
      return has(info.acquisition, name) ? signalKind(reader.attribute("acquisition/" + name, "units"))
                                         : SignalKind::displacement;
    };
    axes.push_back({"interface " + std::to_string(i), kind("measured_"), kind("target_"), kind("command_")});
  }
  const bool reference = has(info.acquisition, "reference_1");
  return RowLayout(interfaces, signals, reference, adapted, axes,
                   furtherChannels(reader, RowLayout(interfaces, signals, reference, {}).channels()));
}

/// Adapted quantities are stored at changes: every row shows the last value before it.
class HeldValue {
 public:
  HeldValue(const RunFileReader& reader, const std::string& name)
      : ticks_(reader.read("adaptation/" + name + "/tick")), values_(reader.read("adaptation/" + name + "/value")) {}
  double at(double tick) {
    const std::size_t count = std::min(ticks_.size(), values_.size());
    while (next_ < count && ticks_[next_] <= tick) ++next_;
    return next_ > 0 ? values_[next_ - 1] : kNoValue;
  }

 private:
  std::vector<double> ticks_, values_;
  std::size_t next_ = 0;
};

/// Source of each column of a row in the file; empty: not in the file.
std::vector<std::string> datasetsOf(const RowLayout& layout, const RunFileInfo& info) {
  std::vector<std::string> names(layout.width());
  names[RowLayout::kTick] = "acquisition/tick";
  names[RowLayout::kTime] = "acquisition/time";
  names[RowLayout::kFlags] = "acquisition/flags";
  names[RowLayout::kWakeLate] = "timing/wake_late_ns";
  names[RowLayout::kCompute] = "timing/compute_ns";
  names[RowLayout::kIo] = "timing/io_ns";
  for (std::size_t c = 0; c < layout.channels().size(); ++c)
    if (has(info.acquisition, layout.channels()[c].name))
      names[RowLayout::kFirstChannel + c] = "acquisition/" + layout.channels()[c].name;
  return names;
}

std::shared_ptr<RunHistory> readRows(const RunFileReader& reader, const AnalysisWindow& analysed,
                                     LoadProgress& progress, std::uint64_t& rows_left_out) {
  const RunFileInfo& info = reader.info();
  const RowLayout layout = layoutOf(reader);
  const double row_bytes = static_cast<double>(layout.width() + layout.interfaces() + 1) * 8.0 * (1.0 + kPyramidShare);
  const std::uint64_t rows = std::min(info.rows, static_cast<std::uint64_t>(kMostBytes / row_bytes));
  rows_left_out = info.rows - rows;
  if (rows == 0) return nullptr;
  auto history =
      std::make_shared<RunHistory>(layout, info.rate_hz, static_cast<std::size_t>(rows), CountedRows(analysed));
  const std::vector<std::string> names = datasetsOf(layout, info);
  std::vector<HeldValue> adapted;
  for (const std::string& name : info.adaptation) adapted.emplace_back(reader, name);

  std::vector<std::vector<double>> columns(names.size());
  std::vector<double> row(layout.width());
  for (std::uint64_t first = 0; first < rows; first += kSlice) {
    const std::uint64_t count = std::min(kSlice, rows - first);
    for (std::size_t column = 0; column < names.size(); ++column) {
      if (progress.cancel.load()) return nullptr;
      if (names[column].empty()) {
        columns[column].assign(static_cast<std::size_t>(count), kNoValue);
        continue;
      }
      columns[column] = reader.read(names[column], first, count);
      columns[column].resize(static_cast<std::size_t>(count), kNoValue);
      if (column == RowLayout::kFlags)
        std::replace_if(
            columns[column].begin(), columns[column].end(), [](double v) { return !(v >= 0.0); }, 0.0);
    }
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t column = 0; column < names.size(); ++column) row[column] = columns[column][r];
      for (std::size_t a = 0; a < adapted.size(); ++a)
        row[layout.adaptedColumn(a)] = adapted[a].at(row[RowLayout::kTick]);
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
  const RunFileReader reader(file.toStdString());
  run->info = reader.info();
  if (!(run->info.rate_hz > 0.0)) throw DeviceError(file.toStdString() + ": damaged, the sampling rate is missing");
  run->events = reader.events();
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
  run->trials = TrialList::of(reader, rules);
  run->sweep = SweepList::of(reader);
  run->history = readRows(reader, analysed, progress, run->rows_left_out);
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
