#pragma once
#include <memory>

#include "core/assess/spring_trade.h"
#include "ui/plot/plot_view.h"

namespace hyb::ui {

/// "542 N/mm"
QString stiffnessText(double n_per_m);

/// The trade-off of a compliance spring: stroke of the piston on the left and force bandwidth on the right, over the
/// stiffness, all logarithmic. Limits of the piston are lines, springs beyond them are shaded, good springs are in a
/// lighter band; a draggable line selects one spring.
class SpringPlot : public PlotView {
  Q_OBJECT
 public:
  explicit SpringPlot(const QString& name, QWidget* parent = nullptr);
  ~SpringPlot() override;
  /// Null, or one without points: no data.
  void setTrade(std::shared_ptr<const SpringTrade> trade);
  const SpringTrade* trade() const { return hasData() ? trade_.get() : nullptr; }
  /// Within the trade-off; `movable`: by the operator.
  void setChosen(double stiffness_n_per_m, bool movable);

  QString reading() const override;
  QString spoken() const override;
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;
  QString saidAt(const QPointF& canvas_px) const override;
  int cursorAt(int x_px, int reach_px) const override;
  void moveCursor(int cursor, double stiffness_n_per_m) override;
  void stepCursor(double way) override;
  /// Tooltip text at this stiffness.
  QString tipAt(double stiffness_n_per_m) const;

 Q_SIGNALS:
  void chosen(double stiffness_n_per_m);

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override { return trade_ && !trade_->points.empty(); }

 private:
  struct Items;
  void scaleAxes();
  void placeMarks();
  std::optional<double> velocityLimitAt() const;

  std::shared_ptr<const SpringTrade> trade_;
  double chosen_ = 0.0;
  bool movable_ = false;
  bool stroke_visible_ = true, force_visible_ = true, plain_visible_ = true;
  std::unique_ptr<Items> items_;
};

}  // namespace hyb::ui
