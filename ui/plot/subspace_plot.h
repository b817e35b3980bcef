#pragma once
#include <QElapsedTimer>
#include <memory>

#include "core/fidelity/synchronisation.h"
#include "ui/plot/auto_range.h"
#include "ui/plot/plot_view.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/series.h"
#include "ui/plot/time_view.h"

class QwtPlotCurve;
class QwtPlotMarker;

namespace hyb::ui {

/// Synchronisation subspace of one interface DOF: target z to the right, measured x upward, equal scales, only the last
/// periods. A closed diagonal is perfect synchronisation; a lag opens it to an ellipse that runs anticlockwise.
class SubspacePlot : public PlotView {
  Q_OBJECT
 public:
  SubspacePlot(const QString& name, TimeView* view, QWidget* parent = nullptr);
  /// Interface i from 0; window_s: length of the sliding window; frequency_hz: of the excitation, 0 = not periodic.
  void setInterface(std::size_t i, double window_s, double frequency_hz);
  void setSource(std::shared_ptr<const RunHistory> run, std::shared_ptr<const RunHistory> second = nullptr);
  /// Reading of the shown window.
  Synchronisation synchronisationNow() const { return read(run_.get()); }
  QString reading() const override;
  QString secondReading() const;  // of the second run
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override { return run_ && !run_->rows().empty(); }

 private:
  DisplayUnit unit() const;
  bool ofForce() const;  // the target is a force
  void nameAxes();
  std::pair<std::uint64_t, std::uint64_t> shownRows(const RunHistory& run) const;
  static QString text(const Synchronisation& reading);
  Synchronisation read(const RunHistory* run) const;

  TimeView* view_;
  std::shared_ptr<const RunHistory> run_, second_;
  std::size_t interface_ = 0;
  double window_s_ = 0.5, frequency_hz_ = 0.0;
  AutoRange range_;
  QElapsedTimer clock_;
  bool first_visible_ = true, second_visible_ = true;
  XySeries *series_, *second_series_;
  QwtPlotCurve *curve_, *second_curve_, *diagonal_;
  QwtPlotMarker* newest_;
  mutable std::vector<double> target_, measured_;  // scratch of read()
};

}  // namespace hyb::ui
