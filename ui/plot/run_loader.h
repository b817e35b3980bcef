#pragma once
#include <QString>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "core/project/project.h"
#include "core/record/integrity.h"
#include "core/record/run_file_reader.h"
#include "ui/plot/run_history.h"
#include "ui/plot/sweep_list.h"
#include "ui/plot/trial_list.h"

namespace hyb::ui {

/// A recorded run in memory, ready for drawing.
struct LoadedRun {
  QString file;
  RunFileInfo info;
  Integrity integrity;
  std::shared_ptr<const RunHistory> history;  // null: no rows
  std::vector<RecordedEvent> events;
  TrialList trials;                // none for a test without trials
  SweepList sweep;                 // none without a sweep
  std::optional<Project> project;  // none: from another version; reason in `project_error`
  QString project_error;
  double frequency_hz = 0.0, window_s = 0.5;
  GapTolerance tolerance;
  std::uint64_t rows_left_out = 0;  // beyond the memory limit
};

/// Communication between loadRun() and its caller in another thread.
struct LoadProgress {
  std::atomic<double> share{0.0};
  std::atomic<bool> cancel{false};
};

/// Reads a whole run. Null if cancelled. Throws DeviceError. For a worker thread.
std::shared_ptr<const LoadedRun> loadRun(const QString& file, LoadProgress& progress);

/// Content of a row in the list of runs.
struct RunSummary {
  enum class Condition { ended, writing, unreadable };  // killed: counts as ended, see the verdict
  QString file, title, started_at, detail;              // detail: stop reason, or reading error
  Condition condition = Condition::unreadable;
  QString template_name;  // built-in project with this title; empty: none
  Verdict verdict;        // if it has ended
};
/// Never throws. For a worker thread. `recording`: the file that this program writes, which must not be opened.
RunSummary summarise(const QString& file, const QString& recording);

}  // namespace hyb::ui
