#pragma once
#include <memory>

#include "ui/plot/plot_view.h"
#include "ui/plot/response_plot.h"

class QwtPlotCurve;

namespace hyb::ui {

/// A frequency response from stepped sines in the complex plane: output over input of each single period as a dot,
/// their mean at each frequency with its 95 % circle, joined over the frequency, and the model. Both axes have one
/// scale.
class PhasorPlot : public PlotView {
  Q_OBJECT
 public:
  explicit PhasorPlot(const QString& name, QWidget* parent = nullptr);
  /// Null, or without phasors: no data.
  void setCurves(std::shared_ptr<const ResponseCurves> curves);
  QString reading() const override;
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;
  QString saidAt(const QPointF& canvas_px) const override;
  /// Shows the scatter at the nearest frequency; a double click shows all again.
  void clickedAt(const QPointF& canvas_px) override;
  /// The nearest frequency in reach.
  std::optional<std::size_t> lineAt(const QPointF& canvas_px) const;

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override { return curves_ && !curves_->phasors.empty(); }

 private:
  std::shared_ptr<const ResponseCurves> curves_;
  QwtPlotCurve *single_, *mean_, *circles_, *model_;
};

}  // namespace hyb::ui
