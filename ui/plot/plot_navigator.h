#pragma once
#include <qwt_axis_id.h>

#include <QObject>
#include <QPoint>

class QHelpEvent;
class QRubberBand;
class QMouseEvent;
class QWheelEvent;

namespace hyb::ui {

class PlotView;

/// Mouse on a plot: drag a box to zoom, wheel to zoom at the pointer (over a scale: only that scale), middle button or
/// Ctrl and drag to pan, double click to fit, right click for the menu; cursors can be dragged. Passes clicks and
/// tooltip requests to the plot.
class PlotNavigator : public QObject {
  Q_OBJECT
 public:
  explicit PlotNavigator(PlotView* plot);
  /// Asks for a file and exports the plot into it.
  void chooseExport();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  enum class Drag { none, box, pan, cursor };
  bool press(const QMouseEvent& event);
  bool move(const QMouseEvent& event);
  bool release(const QMouseEvent& event);
  bool tell(const QHelpEvent& event);
  void wheel(const QWheelEvent& event, QwtAxisId axis, bool both);
  void showMenu(const QPoint& at);
  void showTable();

  PlotView* plot_;
  const QObject* canvas_;  // receives events while the plot is being destroyed: compared, never used
  QRubberBand* band_;
  Drag drag_ = Drag::none;
  int cursor_ = -1;
  QPoint start_, last_;
};

}  // namespace hyb::ui
