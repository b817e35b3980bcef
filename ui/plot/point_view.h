#pragma once
#include <QWidget>
#include <memory>
#include <vector>

#include "ui/plot/harmonic_set.h"
#include "ui/plot/point_periods.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace hyb::ui {

class HarmonicsPlot;
class PeriodPlot;
class PlotPanel;

/// An opened point of a sweep: balance of both sides of the cut in each quantity, averaged values beside sensor values,
/// and the harmonics as bars and phasors.
class PointView : public QWidget {
  Q_OBJECT
 public:
  explicit PointView(QWidget* parent = nullptr);
  /// All must live until another point is shown; history and reference may be null.
  void showPoint(const SweepList& sweep, std::size_t row, const RunHistory* history, const SweepReference* reference,
                 const QString& sentence);

 Q_SIGNALS:
  void closed();
  void stepped(int way);  // -1, +1: the neighbour in frequency

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void buildSynchronisation();
  void showQuantity();
  void showHarmonics();
  std::shared_ptr<const PointPeriods> periods_;
  std::vector<HarmonicSet> sets_;
  std::vector<PeriodPlot*> synchronisation_;
  std::vector<PlotPanel*> panels_;
  QHBoxLayout* top_;
  PeriodPlot* over_time_;
  HarmonicsPlot *bars_, *phasors_;
  QComboBox *quantity_, *set_;
  QLabel *sentence_, *remark_;
  QToolButton *back_, *previous_, *next_;
};

}  // namespace hyb::ui
