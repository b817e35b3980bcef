#include "ui/plot/link_plot.h"

#include <qwt_plot_histogram.h>
#include <qwt_scale_engine.h>
#include <qwt_series_data.h>

#include <algorithm>
#include <cmath>

#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

double binStartUs(std::size_t bin) { return bin == 0 ? 0.5 : LinkFigures::binEndNs(bin - 1) / 1e3; }
double binEndUs(std::size_t bin) { return LinkFigures::binEndNs(bin) / 1e3; }

}  // namespace

/// The bins at the last drawing; x in microseconds.
class LinkSeries : public QwtSeriesData<QwtIntervalSample> {
 public:
  std::array<std::uint64_t, LinkFigures::kBins> counts{};
  std::size_t size() const override { return counts.size(); }
  QwtIntervalSample sample(std::size_t bin) const override {
    // Half a count represents zero, which a logarithmic scale does not have.
    return {std::max(0.5, static_cast<double>(counts[bin])), binStartUs(bin), binEndUs(bin)};
  }
  QRectF boundingRect() const override { return {0, 0, -1, -1}; }
};

LinkPlot::LinkPlot(const QString& name, QWidget* parent)
    : PlotView(name, parent), series_(new LinkSeries), bars_(new QwtPlotHistogram) {
  setAxisScaleEngine(QwtAxis::XBottom, new QwtLogScaleEngine);
  setAxisScaleEngine(QwtAxis::YLeft, new QwtLogScaleEngine);
  bars_->setStyle(QwtPlotHistogram::Columns);
  bars_->setBaseline(0.5);
  bars_->setData(series_);
  bars_->setZ(10);
  bars_->attach(this);
}

void LinkPlot::setSource(const LinkFigures* link) { link_ = link; }

bool LinkPlot::hasData() const {
  return std::any_of(series_->counts.begin(), series_->counts.end(), [](std::uint64_t count) { return count > 0; });
}

void LinkPlot::updateData() {
  if (link_) {
    for (std::size_t bin = 0; bin < LinkFigures::kBins; ++bin)
      series_->counts[bin] = link_->round_trips[bin].load(std::memory_order_relaxed);
    const auto ms = [this](double share) { return numberText(link_->roundTripNs(share) / 1e6, 3); };
    reading_ = hasData() ? tr("%1 ms, 99.9\u2009% %2 ms").arg(ms(0.5), ms(0.999)) : QString();
    detail_ = tr("sent %1 · received %2 · lost %3 · corrupt %4 · out of order %5 · clipped %6")
                  .arg(link_->sent.load())
                  .arg(link_->received.load())
                  .arg(link_->lost.load())
                  .arg(link_->corrupt.load())
                  .arg(link_->out_of_order.load())
                  .arg(link_->clipped.load());
    const auto also = [this](const QString& name, std::uint64_t count) {
      if (count > 0) detail_ += QStringLiteral(" \u00b7 %1 %2").arg(name).arg(count);
    };
    also(tr("late"), link_->late.load());
    also(tr("doubled"), link_->doubled.load());
    also(tr("foreign"), link_->foreign.load());
  }
  double most = 10.0, first_us = 100.0, last_us = 1000.0;
  for (std::size_t bin = 0; bin < LinkFigures::kBins; ++bin) {
    if (series_->counts[bin] == 0) continue;
    most = std::max(most, 2.0 * static_cast<double>(series_->counts[bin]));
    first_us = std::min(first_us, binStartUs(bin));
    last_us = std::max(last_us, binEndUs(bin));
  }
  setDecades(first_us, last_us, most);
}

void LinkPlot::applyColours() {
  bars_->setBrush(colourOf(Role::accent));
  bars_->setPen(penOf(Role::panel));
  styleAxis(QwtAxis::XBottom, tr("round trip (µs)"), 0);
  styleAxis(QwtAxis::YLeft, tr("frames"), 34);
}

QString LinkPlot::reading() const { return reading_; }
QString LinkPlot::detail() const { return detail_; }

QString LinkPlot::detailMeaning() const {
  return tr(
      "Frames, lines or requests since the connection was opened. Lost: no reply in time. Corrupt: wrong checksum or "
      "form. Out of order: older than the newest value. Clipped: outside the agreed range.");
}

ValueTable LinkPlot::valueTable() const {
  ValueTable table;
  table.headers << tr("from (µs)") << tr("to (µs)") << tr("frames");
  for (std::size_t bin = 0; bin < LinkFigures::kBins; ++bin)
    if (series_->counts[bin] > 0)
      table.rows.push_back({binStartUs(bin), binEndUs(bin), static_cast<double>(series_->counts[bin])});
  return table;
}

}  // namespace hyb::ui
