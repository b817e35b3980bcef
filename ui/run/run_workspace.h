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
  /// Another project is being opened: the plots of the last run go with it, unless a fault or a test keeps them.
  void forgetRun();
  /// The next test is to begin with what this trial of a recorded run began with; says where it cannot.
  void beginWith(const QString& file, int trial);
  /// The next test is to go on with the sweep of this run file; says where it cannot.
  void goOnWith(const QString& file);
  /// Arm (F5), Run (F6), Hold (F7), Reset fault (F8), Note (F2), Freeze view (F9): their shortcuts live in these
  /// actions, so that a menu shows them by taking the same ones. They are enabled as the state allows.
  QList<QAction*> runActions() const;
  /// Takes Run's key while Run waits for the list before a test, and says so.
  QAction* earlyRun() const;
  /// Why nothing can be armed, in view and in the tooltip of Arm; empty: it can.
  void holdArm(const QString& reason);
  /// What the drawing of the live views costs.
  const FrameStats& frameStats() const;

 Q_SIGNALS:
  /// The operator asks to see the recorded file in Analyse.
  void openInAnalyse(const QString& file);
  /// Arm or Run was asked for: what is to be read and watched stands here.
  void wanted();
  /// Rows of the test under way, as they come from its display ring.
  void rowsTaken(std::span<const double> rows);

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyb::ui
