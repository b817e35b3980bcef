#pragma once
#include <QElapsedTimer>
#include <QWidget>
#include <memory>
#include <span>
#include <vector>

#include "core/run/test_run.h"
#include "ui/plot/frame_stats.h"
#include "ui/plot/run_history.h"
#include "ui/plot/time_view.h"

class QComboBox;
class QLabel;
class QSplitter;
class QToolButton;

namespace hyb::ui {

class CapacityPlot;
class GapPlot;
class PlotPanel;
class PlotView;
class SubspacePlot;
class TimePlot;
class TimingPlot;

/// The live plots of a test: synchronisation, gap, time history, tracking and energy, adapted parameters, actuator
/// capacity, timing. Drains the display ring once per frame; redraws half of the plots in each.
class LiveViews : public QWidget {
  Q_OBJECT
 public:
  explicit LiveViews(QWidget* parent = nullptr);
  ~LiveViews() override;
  /// Empty views for a project with so many interface DOF.
  void prepare(const Project& project, std::size_t interfaces);
  /// Views of a test that has just been armed. `run` must live until detach() or the next attach().
  void attach(TestRun& run, Pace pace);
  /// Takes the remaining rows from the ring; the plots stay.
  void detach();
  /// One display frame: takes new rows, redraws.
  void frame();
  /// Freezes the plots; rows are still taken from the ring.
  void setFrozen(bool frozen);
  bool frozen() const { return frozen_; }

  /// History in view; null before the first test.
  const RunHistory* history() const { return shown_.get(); }
  std::shared_ptr<const RunHistory> sharedHistory() const { return shown_; }
  /// The views show a run with this number of interfaces.
  bool showsRun(std::size_t interfaces) const { return shown_ != nullptr && interfaces == interfaces_; }
  /// Shows a run read back from its file in place of the rows that came through the ring.
  void replaceHistory(std::shared_ptr<const RunHistory> history);
  const FrameStats& frameStats() const { return stats_; }
  const std::vector<SubspacePlot*>& subspacePlots() const { return subspace_; }
  QByteArray saveLayout() const;
  void restoreLayout(const QByteArray& state);

 Q_SIGNALS:
  void freezeRequested(bool frozen);
  void rowsTaken(std::span<const double> rows);  // from the display ring

 protected:
  bool event(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void build(std::size_t interfaces);
  void configure(const Project& project, const RowLayout& layout);
  void showColumns(const RowLayout& layout);
  void setSources(const std::shared_ptr<const RunHistory>& rows);
  void showInterface();
  void showAdaptedGroup();
  void drain();
  void refreshAll();
  void updateReadings();
  void solo(PlotPanel* panel);
  PlotPanel* addPanel(PlotView* plot, QSplitter* row);

  TimeView view_;
  FrameStats stats_;
  FrameGovernor governor_;
  TestRun* run_ = nullptr;
  Pace pace_ = Pace::real_time;
  std::shared_ptr<RunHistory> history_;
  std::shared_ptr<const RunHistory> shown_;
  std::vector<double> rows_;
  std::size_t interfaces_ = 0;
  GapTolerance tolerance_;
  double envelope_s_ = 0.5;
  bool frozen_ = false, refresh_due_ = false;
  std::uint64_t frame_ = 0;
  FrameStats::Clock::time_point frame_start_;
  QElapsedTimer reading_clock_;

  QSplitter* rows_splitter_ = nullptr;
  QLabel* frozen_banner_;
  std::vector<PlotPanel*> panels_;
  std::vector<SubspacePlot*> subspace_;
  GapPlot* gap_ = nullptr;
  TimePlot *time_ = nullptr, *tracking_ = nullptr, *adapted_ = nullptr;
  CapacityPlot* capacity_ = nullptr;
  TimingPlot* timing_ = nullptr;
  PlotPanel* timing_panel_ = nullptr;
  QComboBox *gap_interface_ = nullptr, *time_interface_ = nullptr, *window_ = nullptr, *adapted_group_ = nullptr;
  QToolButton* freeze_ = nullptr;
};

}  // namespace hyb::ui
