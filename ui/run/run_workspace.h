#pragma once
#include <QAction>
#include <QList>
#include <QWidget>
#include <memory>
#include <span>

#include "core/project/project.h"
#include "ui/control/run_controller.h"
#include "ui/plot/frame_stats.h"

namespace hyb::ui {

/// Workspace "Run": live views of the test that `controller` owns, and everything the operator acts on, except STOP.
/// `controller` must outlive it.
class RunWorkspace : public QWidget {
  Q_OBJECT
 public:
  explicit RunWorkspace(RunController* controller, QWidget* parent = nullptr);
  ~RunWorkspace() override;
  /// The project that the next Arm takes. Ignored while a test is active until that test has ended.
  void setProject(const hyb::Project& project);
  /// Another project is being opened: clears the plots of the last run, unless a test or a fault keeps them.
  void forgetRun();
  /// Starts the next test from this trial of a recorded run; shows a message if that is not possible.
  void beginWith(const QString& file, int trial);
  /// Continues the sweep of this run file with the next test; shows a message if that is not possible.
  void goOnWith(const QString& file);
  /// Arm (F5), Run (F6), Hold (F7), Reset fault (F8), Note (F2), Freeze view (F9): their shortcuts live in these
  /// actions, so that a menu shows them by taking the same ones. They are enabled as the state allows.
  QList<QAction*> runActions() const;
  /// Takes the key of Run while Run waits for the pre-flight list, and tells the operator why.
  QAction* earlyRun() const;
  /// Reason why Arm is blocked, shown on the page and in the tooltip of Arm; empty: not blocked.
  void holdArm(const QString& reason);
  /// Drawing time of the live views.
  const FrameStats& frameStats() const;

 Q_SIGNALS:
  /// The operator asks to see the recorded file in Analyse.
  void openInAnalyse(const QString& file);
  /// Arm or Run was requested: show this workspace.
  void wanted();
  /// Rows of the running test from its display ring.
  void rowsTaken(std::span<const double> rows);

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyb::ui
