#pragma once
#include <QTabWidget>

#include "core/run/test_run.h"
#include "ui/base/latest_task.h"
#include "ui/control/run_controller.h"
#include "ui/plot/trial_list.h"

namespace hyb::ui {

class LiveViews;
class MeasuresView;
class PeriodicPages;
class PlatformFigure;
class PlotPanel;
class PowerView;
class StrideView;
class TimeView;
class TrialsView;

/// The pages of workspace "Run": plots, fidelity, trials, power, stride, platform and those of a sweep, of one test at
/// a time. A finished test stays in view until the next one is armed or forget() is called.
class RunPages : public QTabWidget {
  Q_OBJECT
 public:
  /// `controller` must outlive it.
  explicit RunPages(RunController* controller, QWidget* parent = nullptr);
  /// The project of the next test: empty pages, where no finished test is in view.
  void setProject(const Project& project);
  /// Empty pages for this project in place of a finished test.
  void forget(const Project& project);
  /// Pages of a test that has just been armed.
  void attach(TestRun& test, Pace pace);
  /// One display frame of the test.
  void frame();
  /// The test of the controller has ended: takes its last rows.
  void end();
  /// Shows the recorded rows of an ended test: a free run is faster than the screen, which shows a sample of them.
  void readBack(const QString& file);
  LiveViews* views() const { return views_; }
  TrialsView* trials() const { return trials_; }
  /// The sweep in view was stopped, and a test can continue it.
  bool sweepCanGoOn() const;

 Q_SIGNALS:
  void rowsTaken(std::span<const double> rows);  // from the display ring
  void failed(const QString& text);              // the recorded rows could not be read

 private:
  void prepare(const Project& project, std::size_t interfaces);
  void announceTrials(const Project& project);
  void showTrials(TrialList list, bool over);
  void takeSegments();
  void showHistory();
  void showPlatform();

  RunController* controller_;
  LiveViews* views_;
  MeasuresView* measures_;
  TrialsView* trials_;
  TimeView* moving_view_;  // of stride, platform and power
  PowerView* power_;
  StrideView* stride_;
  PlatformFigure* platform_;
  PlotPanel* platform_panel_;
  PeriodicPages* periodic_;
  unsigned moving_frame_ = 0;
  LatestTask reading_back_;
};

}  // namespace hyb::ui
