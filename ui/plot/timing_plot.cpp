#include "ui/plot/timing_plot.h"

#include <qwt_plot_histogram.h>
#include <qwt_scale_engine.h>
#include <qwt_series_data.h>

#include <algorithm>
#include <cmath>

#include "ui/plot/quantity_text.h"

namespace hyb::ui {

/// The bins of the run's histogram; x in microseconds.
class TimingSeries : public QwtSeriesData<QwtIntervalSample> {
 public:
  std::shared_ptr<const RunHistory> run;
  std::size_t size() const override { return run ? TimingFigures::kBins : 0; }
  QwtIntervalSample sample(std::size_t bin) const override {
    // Half a count represents zero, which a logarithmic scale does not have.
    const double count = std::max(0.5, static_cast<double>(run->timing().lateness()[bin]));
    return {count, TimingFigures::binEdgeNs(bin) / 1e3, TimingFigures::binEdgeNs(bin + 1) / 1e3};
  }
  QRectF boundingRect() const override { return {0, 0, -1, -1}; }
};

TimingPlot::TimingPlot(const QString& name, const FrameStats* frames, QWidget* parent)
    : PlotView(name, parent), frames_(frames), series_(new TimingSeries), bars_(new QwtPlotHistogram) {
  setAxisScaleEngine(QwtAxis::XBottom, new QwtLogScaleEngine);
  setAxisScaleEngine(QwtAxis::YLeft, new QwtLogScaleEngine);
  bars_->setStyle(QwtPlotHistogram::Columns);
  bars_->setBaseline(0.5);
  bars_->setData(series_);
  bars_->setZ(10);
  bars_->attach(this);
}

void TimingPlot::setSource(std::shared_ptr<const RunHistory> run, bool paced) {
  run_ = std::move(run);
  paced_ = paced;
  series_->run = paced ? run_ : nullptr;
}

void TimingPlot::updateData() {
  double most = 10.0, first_us = 10.0, last_us = 100.0;
  if (hasData()) {
    const auto& bins = run_->timing().lateness();
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
      if (bins[bin] == 0) continue;
      most = std::max(most, 2.0 * static_cast<double>(bins[bin]));
      first_us = std::min(first_us, TimingFigures::binEdgeNs(bin) / 1e3);
      last_us = std::max(last_us, TimingFigures::binEdgeNs(bin + 1) / 1e3);
    }
  }
  setDecades(first_us, last_us, most);
}

void TimingPlot::applyColours() {
  bars_->setBrush(colourOf(Role::accent));
  bars_->setPen(penOf(Role::panel));
  styleAxis(QwtAxis::XBottom, tr("wake-up late by (µs)"), 0);
  styleAxis(QwtAxis::YLeft, tr("ticks"), 34);
}

QString TimingPlot::reading() const {
  if (!run_ || run_->rows().empty()) return {};
  if (!paced_) return tr("free run: no pacing");
  const TimingFigures& timing = run_->timing();
  return tr("%1\u2009% late").arg(100.0 * timing.lateShare(), 0, 'f', 2);
}

QString TimingPlot::detail(std::uint64_t rows_not_shown) const {
  QStringList parts;
  if (run_ && run_->timing().maxComputeNs() > 0.0)
    parts << tr("tick %1 / %2\u2009µs")
                 .arg(numberText(run_->timing().medianComputeNs() / 1e3, 2),
                      numberText(run_->timing().maxComputeNs() / 1e3, 2));
  if (frames_->frames() > 0)
    parts << tr("frame %1 / %2\u2009ms, %3\u2009Hz")
                 .arg(frames_->medianMs(), 0, 'f', 1)
                 .arg(frames_->p99Ms(), 0, 'f', 1)
                 .arg(frames_->framesPerSecond(), 0, 'f', 0);
  if (rows_not_shown > 0) parts << tr("%1 rows not shown").arg(rows_not_shown);
  return parts.join(QStringLiteral(" · "));
}

QString TimingPlot::detailMeaning() const {
  return tr(
      "Compute time of a tick: median and largest. Drawing time of a frame: median and 99th percentile, frames per "
      "second. Rows not shown are recorded all the same.");
}

ValueTable TimingPlot::valueTable() const {
  ValueTable table;
  table.headers << tr("from (µs)") << tr("to (µs)") << tr("ticks");
  if (hasData())
    for (std::size_t bin = 0; bin < TimingFigures::kBins; ++bin)
      if (const std::uint64_t count = run_->timing().lateness()[bin]; count > 0)
        table.rows.push_back(
            {TimingFigures::binEdgeNs(bin) / 1e3, TimingFigures::binEdgeNs(bin + 1) / 1e3, static_cast<double>(count)});
  return table;
}

}  // namespace hyb::ui
