#include "ui/plot/phasor_plot.h"

#include <qwt_plot_curve.h>
#include <qwt_symbol.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/numbers.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr int kCircleCorners = 48;
constexpr double kPhasorReach_px = 12.0, kDegPerRadian = 180.0 / kPi;

QPointF pointAtPhasor(std::complex<double> z) { return {z.real(), z.imag()}; }

}  // namespace

PhasorPlot::PhasorPlot(const QString& name, QWidget* parent)
    : PlotView(name, parent),
      single_(new QwtPlotCurve),
      mean_(new QwtPlotCurve),
      circles_(new QwtPlotCurve),
      model_(new QwtPlotCurve) {
  double z = 6.0;
  for (QwtPlotCurve* curve : {circles_, single_, mean_, model_}) {
    curve->setZ(z++);
    curve->setItemAttribute(QwtPlotItem::AutoScale, false);
    curve->attach(this);
  }
  single_->setStyle(QwtPlotCurve::NoCurve);
}

void PhasorPlot::setCurves(std::shared_ptr<const ResponseCurves> curves) {
  curves_ = std::move(curves);
  Q_EMIT legendChanged();
  applyColours();
  refresh();
}

void PhasorPlot::updateData() {
  QVector<QPointF> single, mean, circles, model;
  double left = 0.0, right = 0.0, low = 0.0, high = 0.0;  // with the origin, which is the place of phase and magnitude
  const auto reach = [&](std::complex<double> z, double radius) {
    left = std::min(left, z.real() - radius);
    right = std::max(right, z.real() + radius);
    low = std::min(low, z.imag() - radius);
    high = std::max(high, z.imag() + radius);
  };
  if (hasData()) {
    const std::vector<ResponseLine>& lines = curves_->measured.lines;
    const double gap = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t k = 0; k < lines.size() && k < curves_->phasors.size(); ++k) {
      mean << pointAtPhasor(lines[k].h1);
      for (const std::complex<double> phasor : curves_->phasors[k].periods) {
        single << pointAtPhasor(phasor);
        reach(phasor, 0.0);
      }
      if (k < curves_->model.size()) model << pointAtPhasor(curves_->model[k]);
      if (!std::isfinite(lines[k].radius)) continue;
      for (int c = 0; c <= kCircleCorners; ++c)
        circles << pointAtPhasor(lines[k].h1 + std::polar(lines[k].radius, kTwoPi * c / kCircleCorners));
      circles << QPointF(gap, gap);  // lifts the pen
    }
  }
  single_->setSamples(single);
  mean_->setSamples(mean);
  circles_->setSamples(circles);
  model_->setSamples(model);
  const double wide = std::max(1, canvas()->width()), tall = std::max(1, canvas()->height());
  double half = 0.55 * std::max((right - left) / wide, (high - low) / tall);  // of a pixel, SI
  if (!(half > 0.0)) half = 1.0 / std::min(wide, tall);
  const auto scale = [&](QwtAxisId axis, double middle, double pixels, int parts) {
    const QwtInterval range = manualRange(axis).value_or(QwtInterval(middle - half * pixels, middle + half * pixels));
    setScale(axis, range.minValue(), range.maxValue(), 1.0, {}, parts);
  };
  scale(QwtAxis::XBottom, 0.5 * (left + right), wide, std::clamp(static_cast<int>(wide) / 70, 2, 8));
  scale(QwtAxis::YLeft, 0.5 * (low + high), tall, std::clamp(static_cast<int>(tall) / 30, 2, 6));
}

void PhasorPlot::applyColours() {
  const QColor hue = colourOf(Role::measured);
  QColor pale = hue;
  pale.setAlphaF(0.45F);
  single_->setSymbol(new QwtSymbol(QwtSymbol::Ellipse, pale, QPen(Qt::NoPen), QSize(4, 4)));
  mean_->setPen(penOf(Role::measured));
  mean_->setSymbol(new QwtSymbol(QwtSymbol::Cross, Qt::NoBrush, QPen(hue, 1.5), QSize(8, 8)));
  circles_->setPen(QPen(hue, 1.0));
  model_->setPen(penOf(Role::target, Qt::DashLine));
  styleAxis(QwtAxis::XBottom, tr("real"), 0);
  styleAxis(QwtAxis::YLeft, tr("imaginary"), 44);
}

QString PhasorPlot::reading() const {
  if (!hasData()) return {};
  const ResponseLine* worst = nullptr;
  for (const ResponseLine& line : curves_->measured.lines)
    if (std::isfinite(line.radius) &&
        (worst == nullptr || line.radius * std::abs(worst->h1) > worst->radius * std::abs(line.h1)))
      worst = &line;
  if (worst == nullptr) return tr("one period: no scatter");
  return tr("95 % within %1 % or less").arg(figureText(100.0 * worst->radius / std::abs(worst->h1), 2));
}

std::vector<LegendEntry> PhasorPlot::legendEntries() const {
  if (!hasData()) return {};
  std::vector<LegendEntry> entries{{tr("single periods"), Role::measured, Qt::DotLine, single_->isVisible()},
                                   {tr("mean, 95 %"), Role::measured, Qt::SolidLine, mean_->isVisible()}};
  if (!curves_->model.empty()) entries.push_back({tr("model"), Role::target, Qt::DashLine, model_->isVisible()});
  return entries;
}

void PhasorPlot::setEntryVisible(std::size_t entry, bool visible) {
  if (entry == 0) single_->setVisible(visible);
  if (entry == 1) {
    mean_->setVisible(visible);
    circles_->setVisible(visible);
  }
  if (entry == 2) model_->setVisible(visible);
  refresh();
}

ValueTable PhasorPlot::valueTable() const {
  ValueTable table;
  table.headers << tr("frequency (Hz)") << tr("period") << tr("real") << tr("imaginary") << tr("mean, real")
                << tr("mean, imaginary") << tr("95 % within");
  if (!hasData()) return table;
  const std::vector<ResponseLine>& lines = curves_->measured.lines;
  for (std::size_t k = 0; k < lines.size() && k < curves_->phasors.size(); ++k) {
    double period = 0.0;
    for (const std::complex<double> phasor : curves_->phasors[k].periods)
      table.rows.push_back({lines[k].frequency_hz, ++period, phasor.real(), phasor.imag(), lines[k].h1.real(),
                            lines[k].h1.imag(), lines[k].radius});
  }
  return table;
}

std::optional<std::size_t> PhasorPlot::lineAt(const QPointF& canvas_px) const {
  std::optional<std::size_t> nearest;
  if (!hasData()) return nearest;
  const std::vector<ResponseLine>& lines = curves_->measured.lines;
  double least_px = kPhasorReach_px;
  for (std::size_t k = 0; k < lines.size() && k < curves_->phasors.size(); ++k) {
    const double away_px = std::hypot(transform(QwtAxis::XBottom, lines[k].h1.real()) - canvas_px.x(),
                                      transform(QwtAxis::YLeft, lines[k].h1.imag()) - canvas_px.y());
    if (away_px >= least_px) continue;
    least_px = away_px;
    nearest = k;
  }
  return nearest;
}

void PhasorPlot::clickedAt(const QPointF& canvas_px) {
  const std::optional<std::size_t> chosen = lineAt(canvas_px);
  if (!chosen) return;
  const ResponseLine& line = curves_->measured.lines[*chosen];
  double reach = std::isfinite(line.radius) ? line.radius : 0.0;
  for (const std::complex<double> phasor : curves_->phasors[*chosen].periods)
    reach = std::max(reach, std::abs(phasor - line.h1));
  if (!(reach > 0.0)) return;
  const double wide = std::max(1, canvas()->width()), tall = std::max(1, canvas()->height()),
               per_px = 2.3 * reach / std::min(wide, tall);
  zoomTo(QwtAxis::XBottom, line.h1.real() - 0.5 * per_px * wide, line.h1.real() + 0.5 * per_px * wide);
  zoomTo(QwtAxis::YLeft, line.h1.imag() - 0.5 * per_px * tall, line.h1.imag() + 0.5 * per_px * tall);
  refresh();
}

QString PhasorPlot::saidAt(const QPointF& canvas_px) const {
  const std::optional<std::size_t> nearest = lineAt(canvas_px);
  if (!nearest) return {};
  const ResponseLine& line = curves_->measured.lines[*nearest];
  const StepPhasors& phasors = curves_->phasors[*nearest];
  return tr("%1 Hz: %2, %3°; 95 % within %4; scatter of %5 periods %6")
      .arg(figureText(line.frequency_hz, 4), figureText(std::abs(line.h1), 4),
           figureText(kDegPerRadian * std::arg(line.h1), 4), figureText(line.radius, 2),
           QString::number(phasors.periods.size()), figureText(phasors.scatter, 2));
}

}  // namespace hyb::ui
