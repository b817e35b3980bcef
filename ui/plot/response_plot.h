#pragma once
#include <complex>
#include <memory>
#include <vector>

#include "core/identification/cross_spectra.h"
#include "ui/plot/plot_view.h"

class QwtPlotCurve;
class QwtPlotIntervalCurve;
class QwtPlotMarker;

namespace hyb::ui {

/// A frequency response as measured (or computed: nothing is known of its errors then), and that of a model at the same
/// lines.
struct ResponseCurves {
  MeasuredResponse measured;
  std::vector<std::complex<double>> model;  // [lines]; empty: none
  /// Phases of both, rad, [lines] each, by who knows them without a jump; empty: from line to line the nearest.
  std::vector<double> phase, model_phase;
  QString unit;  // of the magnitude; empty: none
};

/// Magnitude, phase, delay or coherence over the frequency, with the band in which the true response lies with 95 %.
class ResponsePlot : public PlotView {
  Q_OBJECT
 public:
  enum class Shows { magnitude, phase, delay, coherence };
  enum class Over { frequency, decades };  // of it: a linear or a logarithmic scale
  /// Names of both curves in the legend; none: of a measurement and its model.
  struct Names {
    QString measured, model;
  };
  ResponsePlot(const QString& name, Shows shows, Over over = Over::frequency, const Names& names = {},
               QWidget* parent = nullptr);
  /// Null: nothing is known.
  void setCurves(std::shared_ptr<const ResponseCurves> curves);
  QString reading() const override;
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override { return curves_ && !curves_->measured.lines.empty(); }

 private:
  struct Point {
    double frequency_hz, value, low, high, model;  // model: not a number where there is none
  };
  std::vector<Point> points() const;
  bool errorsKnown() const;

  Shows shows_;
  Over over_;
  Names names_;
  std::shared_ptr<const ResponseCurves> curves_;
  QwtPlotCurve *measured_, *model_;
  QwtPlotIntervalCurve* band_;
  QwtPlotMarker* least_ = nullptr;
};

}  // namespace hyb::ui
