#pragma once
#include <memory>

#include "ui/plot/plot_view.h"
#include "ui/plot/point_periods.h"

class QwtPlotCurve;

namespace hyb::ui {

/// A quantity of the cut at one point of a sweep: measured over computed (a closed diagonal is a balance), or both over
/// the periods. Thin: sensor values of each tick; thick: averaged.
class PeriodPlot : public PlotView {
  Q_OBJECT
 public:
  enum class Shows { synchronisation, periods };
  PeriodPlot(const QString& name, Shows shows, QWidget* parent = nullptr);
  /// trace: index in these periods.
  void setTrace(std::shared_ptr<const PointPeriods> periods, std::size_t trace);
  QString reading() const override;
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override { return trace() != nullptr; }

 private:
  const PointPeriods::Trace* trace() const;
  Shows shows_;
  std::shared_ptr<const PointPeriods> periods_;
  std::size_t trace_ = 0;
  bool raw_visible_ = true, averaged_visible_ = true, computed_visible_ = true;
  QwtPlotCurve *raw_, *averaged_, *computed_;  // computed_: the diagonal of a synchronisation
};

}  // namespace hyb::ui
