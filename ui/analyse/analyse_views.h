#pragma once
#include <QTabWidget>
#include <memory>
#include <vector>

#include "ui/plot/frame_stats.h"
#include "ui/plot/run_loader.h"
#include "ui/plot/time_view.h"

class QComboBox;
class QSplitter;

namespace hyb::ui {

class CapacityPlot;
class GapPlot;
class PeriodicPages;
class PlotPanel;
class PlotView;
class PowerView;
class StrideView;
class SubspacePlot;
class TimePlot;
class TimingPlot;
class TrialsView;

/// Plots of a recorded run A with an overlay of a second run B (dashed). All plots are linked in time.
class AnalyseViews : public QTabWidget {
  Q_OBJECT
 public:
  explicit AnalyseViews(QWidget* parent = nullptr);
  ~AnalyseViews() override;
  /// `a` has rows. `b` may be null.
  void show(std::shared_ptr<const LoadedRun> a, std::shared_ptr<const LoadedRun> b);
  /// Centres a window of 2 s on this instant.
  void showInstant(double time_s);
  /// Part of the run from which the figures are computed; empty: not known.
  void setAnalysedPart(const QString& sentence);
  /// Sentence on the scatter of the trials, for the page Trials; empty: none.
  void setRepeatability(const QString& sentence);
  const std::vector<SubspacePlot*>& subspacePlots() const { return subspace_; }
  GapPlot* gapPlot() const { return gap_; }

 Q_SIGNALS:
  /// Requests that the next test starts from this trial of run A.
  void beginRequested(int trial);
  /// Requests that the next test continues the sweep of run A.
  void goOnRequested();

 private:
  void build(std::size_t interfaces);
  PlotPanel* addPanel(PlotView* plot, QSplitter* row);
  void showInterface();
  void showTrials();
  void refreshAll();

  TimeView view_;
  FrameStats no_frames_;
  std::shared_ptr<const LoadedRun> a_, b_;
  std::size_t interfaces_ = 0;
  bool refresh_due_ = false;
  std::vector<PlotPanel*> panels_;
  std::vector<SubspacePlot*> subspace_;
  GapPlot* gap_ = nullptr;
  PlotPanel* gap_panel_ = nullptr;
  QString part_;
  TimePlot *time_ = nullptr, *tracking_ = nullptr, *adapted_ = nullptr;
  CapacityPlot* capacity_ = nullptr;
  TimingPlot* timing_ = nullptr;
  TrialsView* trials_ = nullptr;
  StrideView* stride_ = nullptr;
  PowerView* power_ = nullptr;
  PeriodicPages* periodic_ = nullptr;
  QComboBox *gap_interface_ = nullptr, *time_interface_ = nullptr, *adapted_group_ = nullptr;
};

}  // namespace hyb::ui
