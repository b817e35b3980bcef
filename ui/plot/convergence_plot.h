#pragma once
#include <memory>
#include <vector>

#include "core/base/json_fwd.h"
#include "ui/plot/plot_view.h"

class QwtPlotCurve;
class QwtPlotMarker;

namespace hyb::ui {

/// Factor of the error from one trial to the next, in dB over frequency, from learningReport(): for each addition one
/// curve without the specimen's laws, and one with the laws at their stiffest. Above 0 dB the error grows.
class ConvergencePlot : public PlotView {
  Q_OBJECT
 public:
  explicit ConvergencePlot(const QString& name, QWidget* parent = nullptr);
  ~ConvergencePlot() override;
  void setReport(const Json& learning);
  bool any() const noexcept { return !curves_.empty(); }
  QString reading() const override;
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override { return any(); }

 private:
  struct Curve;
  std::vector<std::unique_ptr<Curve>> curves_;
  QwtPlotMarker* bound_;
};

}  // namespace hyb::ui
