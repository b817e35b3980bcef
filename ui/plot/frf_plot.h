#pragma once
#include <complex>
#include <functional>
#include <memory>
#include <optional>

#include "ui/plot/plot_view.h"
#include "ui/plot/sweep_list.h"

class QwtPlotCurve;
class QwtPlotMarker;

namespace hyb::ui {

/// A quantity of a sweep over the frequency: amplitude or phase, with the assembled reference as a line, or the
/// iterations per point as bars. Points that did not converge are crosses in another colour; unstable points of a path
/// are hollow. A click on a point opens it; linked plots zoom together in frequency.
class FrfPlot : public PlotView {
  Q_OBJECT
 public:
  enum class Shows { amplitude, phase, iterations };
  FrfPlot(const QString& name, Shows shows, QWidget* parent = nullptr);
  /// Both must live until others are set; null: none. Call again when the sweep has grown.
  void setSweep(const SweepList* sweep, std::size_t quantity, std::shared_ptr<const SweepReference> reference);
  /// Draws a ring around this point.
  void setCurrent(std::optional<std::size_t> row);
  /// Tooltip text of a point.
  void setMeaning(std::function<QString(std::size_t row)> meaning) { meaning_ = std::move(meaning); }
  /// The nearest point; none within reach.
  std::optional<std::size_t> pointAt(const QPointF& canvas_px) const;
  QPointF placeOf(std::size_t row) const;  // on the canvas, px

  QString reading() const override;
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;
  QString saidAt(const QPointF& canvas_px) const override;
  void clickedAt(const QPointF& canvas_px) override;

 Q_SIGNALS:
  void pointPicked(std::size_t row);

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override { return sweep_ != nullptr && (sweep_->count() > 0 || !line_.empty()); }

 private:
  const SweepList::Quantity* quantity() const;
  double valueOf(std::size_t row) const;
  std::vector<QPointF> referenceLine() const;
  void addCurve(QwtPlotCurve* curve, double z);
  void showBand();
  QString axisName() const;

  Shows shows_;
  const SweepList* sweep_ = nullptr;
  std::size_t quantity_ = 0;
  std::shared_ptr<const SweepReference> reference_;
  std::vector<QPointF> line_;  // of the reference
  std::optional<std::size_t> current_;
  std::function<QString(std::size_t)> meaning_;
  bool points_visible_ = true, line_visible_ = true;
  QwtPlotCurve *good_, *bad_, *line_curve_, *unstable_;
  std::vector<QwtPlotCurve*> joined_;  // of each pass
  QwtPlotMarker *ring_, *band_from_ = nullptr, *band_to_ = nullptr;
};

}  // namespace hyb::ui
