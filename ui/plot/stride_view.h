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

/// The walker of a test, drawn and played, with ground forces, hip and feet beside it, against the reference gait. Live
/// it shows the newest row; an ended test can be played or stepped row by row. All parts share one instant of the
/// TimeView.
class StrideView : public QWidget {
  Q_OBJECT
 public:
  /// `view` must outlive it.
  explicit StrideView(TimeView* view, QWidget* parent = nullptr);
  ~StrideView() override;
  /// The test to come, or the one whose rows follow. False: it has no walker.
  bool setProject(const Project& project);
  /// Rows of the test; null: none yet.
  void setRun(std::shared_ptr<const RunHistory> run);
  /// True: rows continue to arrive, and the newest is shown.
  void setLive(bool live);
  /// Takes new rows and redraws if visible.
  void frame();
  /// Redraws after a change of the shown time.
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
  /// Time of the first row of the walk; before, the rig moves to its start. Requires rows.
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
  std::uint64_t taken_ = 0, trial_tick_ = 0;  // processed rows; first tick of this trial
  bool walks_ = false, between_ = true, live_ = false, due_ = false;
  std::vector<PlotPanel*> panels_;
  StrideFigure* figure_;
  TimePlot *ground_, *hip_, *feet_;
  QToolButton *play_, *back_, *on_, *export_;
  QSlider* slider_;
  QComboBox* speed_;
  QLabel* time_;
  QTimer timer_;
  std::int64_t looked_ns_ = 0;  // clock time of the last frame, for playing
  double played_s_ = 0.0;
};

}  // namespace hyb::ui
