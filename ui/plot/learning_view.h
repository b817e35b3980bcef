#pragma once
#include <QElapsedTimer>
#include <QWidget>
#include <vector>

#include "ui/plot/learning_record.h"

class QLabel;
class QTableWidget;

namespace hyb::ui {

class HarmonicsPlot;
class LearningPlot;
class PlotPanel;

/// Learning of a harmonic command: the closing gap, the amplitudes as families, the present harmonics as bars and
/// phasors, and the identified transfer matrix of each harmonic.
class LearningView : public QWidget {
  Q_OBJECT
 public:
  explicit LearningView(QWidget* parent = nullptr);
  ~LearningView() override;
  /// For a test that has not begun, or a complete recorded one.
  void showRecord(LearningRecord record);
  /// Rows of the display, in the order of their ticks; shown by refresh().
  void push(std::span<const double> rows);
  /// At most five times a second.
  void refresh();
  /// Shows all received rows.
  void refreshNow();
  const LearningRecord& record() const noexcept { return record_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void say();
  void fillResponse();
  LearningRecord record_;
  bool stale_ = false;
  QElapsedTimer clock_;
  LearningPlot *gap_, *amplitudes_;
  HarmonicsPlot *bars_, *phasors_;
  std::vector<PlotPanel*> panels_;
  QLabel* state_;
  QTableWidget* response_;
};

}  // namespace hyb::ui
