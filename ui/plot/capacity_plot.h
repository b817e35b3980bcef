#pragma once
#include <memory>
#include <vector>

#include "core/transfer/params.h"
#include "ui/plot/plot_view.h"
#include "ui/plot/series.h"
#include "ui/plot/time_view.h"

class QwtPlotCurve;

namespace hyb::ui {

/// Velocity and force of the actuators over their capacity: |v| <= v0 sqrt(1 - F/F0) if the load F opposes the motion,
/// v0 if it assists. The force axis is the actuator's own force, so it drives in the upper right and lower left.
class CapacityPlot : public PlotView {
  Q_OBJECT
 public:
  CapacityPlot(const QString& name, TimeView* view, QWidget* parent = nullptr);
  /// One per interface DOF, or one for all.
  void setActuators(const std::vector<ActuatorSpec>& actuators, std::size_t interfaces);
  void setSource(std::shared_ptr<const RunHistory> run);
  /// Largest share of the speed available at its force, over the rows shown; NaN without limits or rows.
  double usedShare() const;
  QString reading() const override;
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override { return run_ && !run_->rows().empty(); }

 private:
  static Role roleOf(std::size_t i);
  std::pair<std::uint64_t, std::uint64_t> shownRows() const;
  struct Actuator {
    ActuatorSpec params;
    QwtPlotCurve *points, *right, *left;
    XySeries* series;
    bool visible = true;
  };
  TimeView* view_;
  std::shared_ptr<const RunHistory> run_;
  std::vector<Actuator> actuators_;
};

}  // namespace hyb::ui
