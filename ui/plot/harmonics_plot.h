#pragma once
#include <memory>
#include <vector>

#include "ui/plot/harmonic_set.h"
#include "ui/plot/plot_view.h"

class QwtPlotCurve;
class QwtPlotMarker;

namespace hyb::ui {

/// Harmonics as bars, amplitude over the order, or as phasors in the complex plane: one arrow per signal and order; its
/// angle is the phase to cos w t.
class HarmonicsPlot : public PlotView {
  Q_OBJECT
 public:
  enum class Shows { bars, phasors };
  HarmonicsPlot(const QString& name, Shows shows, QWidget* parent = nullptr);
  ~HarmonicsPlot() override;
  void setHarmonics(HarmonicSet set);
  const HarmonicSet& harmonics() const { return set_; }
  QString reading() const override;
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override;

 private:
  struct Items;  // of a signal
  void rebuild();
  void updateBars(double most);
  void updatePhasors(double most);
  Shows shows_;
  HarmonicSet set_;
  std::vector<std::unique_ptr<Items>> items_;
};

}  // namespace hyb::ui
