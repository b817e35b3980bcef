#pragma once
#include <QObject>
#include <optional>

#include "core/run/go_on.h"
#include "core/run/learnt_start.h"
#include "core/run/test_run.h"
#include "ui/base/latest_task.h"

namespace hyb::ui {

class ControlPanel;

/// What the next test may begin with in place of nothing: the values learnt before a trial of another test, or the
/// frequencies that a stopped sweep has done. Shown by `panel` as a box to tick.
class StartOffer : public QObject {
  Q_OBJECT
 public:
  /// `panel` must outlive it.
  explicit StartOffer(ControlPanel* panel, QObject* parent = nullptr);
  /// The project of the next test; an offer that does not fit it is withdrawn.
  void setProject(const Project& project);
  void withdraw();
  /// Offers the best trial of a test that has ended. Trial 1 needs no offer: its start was known before. An offer that
  /// this test has used stays.
  void offerBest(const TestRun& test, const RunResult& result);
  /// Offers to continue the stopped sweep of a test that has ended, if it was recorded.
  void offerRest(const TestRun& test, const RunResult& result);
  /// Offers a trial of a recorded run; its start is found by a replay.
  void beginWith(const QString& file, int trial);
  /// Offers to continue the sweep of a run file.
  void goOnWith(const QString& file);
  /// Puts what is offered and ticked into the options of a test.
  void fill(RunOptions& options) const;

 private:
  void offerTrial(const LearntStart& start, bool ticked);
  void offerSweep(const StoppedSweep& sweep, bool ticked);
  void take(const LearntStart& found);
  void withdrawUnfit();

  ControlPanel* panel_;
  std::optional<Project> project_;
  std::optional<LearntStart> trial_;
  std::optional<StoppedSweep> sweep_;
  LatestTask replay_;
};

}  // namespace hyb::ui
