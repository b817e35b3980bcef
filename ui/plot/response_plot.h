#pragma once
#include <complex>
#include <memory>
#include <vector>

#include "core/identification/stepped_response.h"
#include "ui/plot/plot_view.h"

class QwtPlotCurve;
class QwtPlotIntervalCurve;
class QwtPlotMarker;

namespace hyb::ui {

/// A measured frequency response (or a computed one, without error band), and that of a model at the same lines.
struct ResponseCurves {
  MeasuredResponse measured;
  std::vector<std::complex<double>> model;  // [lines]; empty: none
  /// Continuous phases of both, rad, [lines] each, if known; empty: the nearest phase from line to line.
  std::vector<double> phase, model_phase;
  QString unit;                      // of the magnitude; empty: none
  std::vector<StepPhasors> phasors;  // [lines] of a stepped sine; otherwise empty
};

/// Magnitude, phase, delay or coherence over the frequency, with the 95 % band of the true response.
class ResponsePlot : public PlotView {
  Q_OBJECT
 public:
  enum class Shows { magnitude, phase, delay, coherence };
  enum class Over { frequency, decades };  // scale of the frequency: linear or logarithmic
  /// Names of both curves in the legend; none: "measured" and "model".
  struct Names {
    QString measured, model;
  };
  ResponsePlot(const QString& name, Shows shows, Over over = Over::frequency, const Names& names = {},
               QWidget* parent = nullptr);
  /// Null: no data.
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
    double frequency_hz, value, low, high, model;  // model: NaN without a model
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
