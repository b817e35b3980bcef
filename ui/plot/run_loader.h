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

/// A recorded run in memory, ready to be drawn.
struct LoadedRun {
  QString file;
  RunFileInfo info;
  Integrity integrity;
  std::shared_ptr<const RunHistory> history;  // null: no rows
  std::vector<RecordedEvent> events;
  TrialList trials;                // none where the test ran once
  SweepList sweep;                 // none where it was no sweep
  std::optional<Project> project;  // none: made by another version, `project_error` says why
  QString project_error;
  double frequency_hz = 0.0, window_s = 0.5;
  GapTolerance tolerance;
  std::uint64_t rows_left_out = 0;  // beyond what fits into memory
};

/// What loadRun() and its caller in another thread tell each other.
struct LoadProgress {
  std::atomic<double> share{0.0};
  std::atomic<bool> cancel{false};
};

/// Reads a whole run. Null when cancelled. Throws DeviceError. For a worker thread.
std::shared_ptr<const LoadedRun> loadRun(const QString& file, LoadProgress& progress);

/// What a row of the list says about a file.
struct RunSummary {
  enum class Condition { ended, writing, unreadable };  // killed: has ended, the verdict says so
  QString file, title, started_at, detail;              // detail: stop reason, or why it cannot be read
  Condition condition = Condition::unreadable;
  QString template_name;  // of the built-in project with its title; empty: none has
  Verdict verdict;        // where it has ended
};
/// Never throws. For a worker thread. `recording`: file that this program is writing, which must not be opened.
RunSummary summarise(const QString& file, const QString& recording);

}  // namespace hyb::ui
