#pragma once
#include <QFrame>
#include "ui/base/widgets.h"

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace hyb::ui {

class PartsLabel;
class PlotView;

/// A plot with its title, legend (click switches a curve) and live reading.
class PlotPanel : public Panel {
  Q_OBJECT
 public:
  explicit PlotPanel(PlotView* plot, QWidget* parent = nullptr);
  PlotView* plot() const { return plot_; }
  /// Extra control at the right end of the header.
  void addControl(QWidget* control);
  /// Text under the plot; empty: no line.
  void setFootnote(const QString& text, const QString& meaning = {});
  /// Updates the header and the description with the plot's reading; call at 5 Hz at most.
  void updateReading();

 protected:
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 Q_SIGNALS:
  /// Double click on the header: show only this panel, or all again.
  void soloRequested(hyb::ui::PlotPanel* panel);

 private:
  void rebuildLegend();
  /// Where the names do not fit beside the title, the legend gets a line of its own in a tall panel, and shows only
  /// line samples in any other.
  void fitLegend();
  void putLegend(bool below);
  PlotView* plot_;
  QWidget* legend_;
  QLabel* title_;
  PartsLabel *reading_, *footnote_;
  QHBoxLayout* header_;
  bool legend_below_ = false;
};

}  // namespace hyb::ui
