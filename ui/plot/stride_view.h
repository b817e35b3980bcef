#pragma once
#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>

#include "core/assess/reference_gait.h"
#include "ui/plot/time_view.h"

class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace hyb::ui {

class PlotPanel;
class PlotView;
class StrideFigure;
class TimePlot;

/// The walker of a test, drawn and played: forces of the ground, hip and feet beside it, against the reference gait.
/// Live it shows the newest row; a test that has ended is played, or gone through row by row. One instant of the
/// TimeView for all of it.
class StrideView : public QWidget {
  Q_OBJECT
 public:
  /// `view` must outlive it.
  explicit StrideView(TimeView* view, QWidget* parent = nullptr);
  ~StrideView() override;
  /// The test to come, or the one whose rows follow. False: nobody walks in it.
  bool setProject(const Project& project);
  /// Rows of it; null: none yet.
  void setRun(std::shared_ptr<const RunHistory> run);
  /// Rows keep coming, and the newest is shown.
  void setLive(bool live);
  /// Takes new rows in and redraws, while it is seen.
  void frame();
  /// Redraws what another stretch of time changes.
  void refresh();

  bool playing() const { return timer_.isActive(); }
  void play(bool on);
  StrideFigure* figure() const { return figure_; }

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void takeRows();
  void setCurves(const RowLayout& layout);
  void markSteps();
  void showInstant();
  /// Time of the row in which it begins to walk: before, the rig is brought to where that is. It must have rows.
  double begins_s() const;
  void goTo(std::uint64_t row);
  void step(double rows);
  void advance();
  void updateControls();
  PlotPanel* addPanel(PlotView* plot);

  TimeView* view_;
  std::optional<ReferenceGait> gait_;
  std::shared_ptr<const RunHistory> run_;
  std::shared_ptr<RunHistory> reference_;
  std::uint64_t taken_ = 0, trial_tick_ = 0;  // rows taken in; tick in which this trial began
  bool walks_ = false, between_ = true, live_ = false, due_ = false;
  std::vector<PlotPanel*> panels_;
  StrideFigure* figure_;
  TimePlot *ground_, *hip_, *feet_;
  QToolButton *play_, *back_, *on_, *export_;
  QSlider* slider_;
  QComboBox* speed_;
  QLabel* time_;
  QTimer timer_;
  std::int64_t looked_ns_ = 0;  // at the clock, by which it plays
  double played_s_ = 0.0;
};

}  // namespace hyb::ui
