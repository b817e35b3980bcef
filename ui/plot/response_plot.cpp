#include "ui/plot/response_plot.h"

#include <qwt_plot_curve.h>
#include <qwt_plot_intervalcurve.h>
#include <qwt_plot_marker.h>
#include <qwt_scale_engine.h>
#include <qwt_symbol.h>
#include <qwt_text.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/numbers.h"
#include "core/identification/findings.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr double kDegPerRad = 180.0 / kPi;
constexpr double kFewestLines = 60;  // from here on lines merge, and dots add nothing
constexpr double kLowest =
    1e-3;  // of the largest magnitude: lower end of a band that reaches 0, on a logarithmic scale
constexpr double kLowestComputed = 1e-6;  // likewise for a zero without damping

double turnedNear(double degrees, double beside) { return degrees + 360.0 * std::round((beside - degrees) / 360.0); }

}  // namespace

ResponsePlot::ResponsePlot(const QString& name, Shows shows, Over over, const Names& names, QWidget* parent)
    : PlotView(name, parent),
      shows_(shows),
      over_(over),
      names_(names),
      measured_(new QwtPlotCurve),
      model_(new QwtPlotCurve),
      band_(new QwtPlotIntervalCurve) {
  if (names_.measured.isEmpty()) names_ = {tr("measured"), tr("model")};
  if (shows == Shows::magnitude) setAxisScaleEngine(QwtAxis::YLeft, new QwtLogScaleEngine);
  setLog(QwtAxis::XBottom, over == Over::decades);
  band_->setZ(4);
  band_->setStyle(QwtPlotIntervalCurve::Tube);
  measured_->setZ(10);
  model_->setZ(12);
  band_->attach(this);
  for (QwtPlotCurve* curve : {measured_, model_}) {
    curve->setItemAttribute(QwtPlotItem::AutoScale, false);
    curve->attach(this);
  }
  if (shows != Shows::coherence) return;
  least_ = new QwtPlotMarker;
  least_->setLineStyle(QwtPlotMarker::HLine);
  least_->setYValue(kCoherent);
  least_->setZ(3);
  least_->attach(this);
}

void ResponsePlot::setCurves(std::shared_ptr<const ResponseCurves> curves) {
  const bool model = curves_ && !curves_->model.empty();
  curves_ = std::move(curves);
  if (model != (curves_ && !curves_->model.empty())) Q_EMIT legendChanged();
  applyColours();
  refresh();
}

std::vector<ResponsePlot::Point> ResponsePlot::points() const {
  std::vector<Point> all;
  if (!hasData()) return all;
  const std::vector<ResponseLine>& lines = curves_->measured.lines;
  double before = 0.0;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const ResponseLine& line = lines[k];
    const double size = std::abs(line.h1), radius = std::isfinite(line.radius) ? line.radius : 0.0;
    const std::complex<double>* model = k < curves_->model.size() ? &curves_->model[k] : nullptr;
    Point point{line.frequency_hz, 0.0, 0.0, 0.0, kNoValue};
    if (shows_ == Shows::magnitude) {
      point.value = size;
      point.low = std::max(0.0, size - radius);
      point.high = size + radius;
      if (model) point.model = std::abs(*model);
    } else if (shows_ == Shows::phase || shows_ == Shows::delay) {
      const bool known = k < curves_->phase.size(), model_known = k < curves_->model_phase.size();
      point.value = known ? kDegPerRad * curves_->phase[k] : turnedNear(kDegPerRad * std::arg(line.h1), before);
      const double half = radius < size ? kDegPerRad * std::asin(radius / size) : 180.0;
      point.low = point.value - half;
      point.high = point.value + half;
      if (model)
        point.model =
            model_known ? kDegPerRad * curves_->model_phase[k] : turnedNear(kDegPerRad * std::arg(*model), point.value);
      if (line.coherence > 0.0) before = point.value;
      if (shows_ == Shows::delay)
        for (double* value : {&point.value, &point.low, &point.high, &point.model})
          *value *= -1.0 / (360.0 * line.frequency_hz);
    } else {
      point.value = point.low = point.high = line.coherence;
    }
    if (std::isfinite(point.value)) all.push_back(point);
  }
  return all;
}

bool ResponsePlot::errorsKnown() const { return curves_ && curves_->measured.segments > 0; }

void ResponsePlot::updateData() {
  const std::vector<Point> all = points();
  QVector<QPointF> measured, model;
  QVector<QwtIntervalSample> band;
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const Point& point : all) {
    measured << QPointF(point.frequency_hz, point.value);
    if (std::isfinite(point.model)) model << QPointF(point.frequency_hz, point.model);
    // The scale follows the curves; a wider band is cut off.
    for (const double value : {point.value, std::isfinite(point.model) ? point.model : point.value}) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  const double lowest = (errorsKnown() ? kLowest : kLowestComputed) * std::max(most, 1e-12);
  for (const Point& point : all) {
    const bool log = shows_ == Shows::magnitude;
    band << QwtIntervalSample(point.frequency_hz, log ? std::max(point.low, lowest) : point.low, point.high);
  }
  measured_->setSamples(measured);
  model_->setSamples(model);
  band_->setSamples(shows_ == Shows::coherence || !errorsKnown() ? QVector<QwtIntervalSample>() : band);

  const QwtInterval across =
      manualRange(QwtAxis::XBottom)
          .value_or(all.empty() ? QwtInterval(0.0, 20.0) : QwtInterval(0.0, all.back().frequency_hz * 1.02));
  if (over_ == Over::decades) {
    const double first = all.empty() ? 0.1 : all.front().frequency_hz,
                 last = all.empty() ? 100.0 : all.back().frequency_hz;
    const QwtInterval decades = manualRange(QwtAxis::XBottom).value_or(QwtInterval(first, last));
    setLogScale(QwtAxis::XBottom, std::max(decades.minValue(), 1e-6), std::max(decades.maxValue(), 2e-6), 1.0);
  } else {
    setScale(QwtAxis::XBottom, across.minValue(), across.maxValue(), 1.0, {},
             std::clamp(canvas()->width() / 70, 2, 10));
  }
  const int parts = std::clamp(canvas()->height() / 30, 2, 6);
  if (shows_ == Shows::coherence) {
    const QwtInterval up = manualRange(QwtAxis::YLeft).value_or(QwtInterval(0.0, 1.05));
    setScale(QwtAxis::YLeft, up.minValue(), up.maxValue(), 1.0, {}, parts);
  } else if (shows_ == Shows::delay) {
    const double margin = all.empty() ? 0.01 : std::max(1e-4, 0.05 * (most - least));
    const QwtInterval up =
        manualRange(QwtAxis::YLeft)
            .value_or(all.empty() ? QwtInterval(0.0, margin) : QwtInterval(least - margin, most + margin));
    setScale(QwtAxis::YLeft, up.minValue(), up.maxValue(), 1e3, {}, parts);
  } else if (shows_ == Shows::phase) {
    const double margin = all.empty() ? 90.0 : std::max(5.0, 0.05 * (most - least));
    const QwtInterval up =
        manualRange(QwtAxis::YLeft)
            .value_or(all.empty() ? QwtInterval(-margin, margin) : QwtInterval(least - margin, most + margin));
    setScale(QwtAxis::YLeft, up.minValue(), up.maxValue(), 1.0, {}, parts);
  } else {
    const QwtInterval up =
        manualRange(QwtAxis::YLeft)
            .value_or(all.empty() ? QwtInterval(0.1, 10.0) : QwtInterval(0.8 * std::max(least, lowest), 1.25 * most));
    setLogScale(QwtAxis::YLeft, std::max(up.minValue(), 1e-12), std::max(up.maxValue(), 2e-12), 1.0);
  }
}

void ResponsePlot::applyColours() {
  const QColor hue = colourOf(Role::measured);
  QPen of_measured = penOf(Role::measured);
  if (hasData() && !errorsKnown() && !curves_->model.empty()) of_measured.setWidthF(3.5);  // below the other curve
  measured_->setPen(of_measured);
  const bool few = hasData() && static_cast<double>(curves_->measured.lines.size()) <= kFewestLines;
  measured_->setSymbol(few ? new QwtSymbol(QwtSymbol::Ellipse, hue, QPen(hue, 0.0), QSize(4, 4)) : nullptr);
  QPen of_model = penOf(Role::target, Qt::DashLine);
  of_model.setWidthF(1.5);
  model_->setPen(of_model);
  band_->setPen(QPen(Qt::NoPen));
  band_->setBrush(colourOf(Role::toleranceBand));
  if (least_) least_->setLinePen(penOf(Role::limit, Qt::DashLine));
  static const QString kTitles[] = {tr("magnitude"), tr("phase (°)"), tr("late by (ms)"), tr("coherence")};
  styleAxis(QwtAxis::XBottom, tr("frequency (Hz)"), 0);
  const bool with_unit = shows_ == Shows::magnitude && curves_ && !curves_->unit.isEmpty();
  const QString& title = kTitles[static_cast<int>(shows_)];
  styleAxis(QwtAxis::YLeft, with_unit ? QStringLiteral("%1 (%2)").arg(title, curves_->unit) : title, 44);
}

QString ResponsePlot::reading() const {
  const std::vector<Point> all = points();
  if (all.empty()) return {};
  const std::vector<ResponseLine>& lines = curves_->measured.lines;
  const ResponseLine& first = lines.front();
  if (shows_ == Shows::magnitude)
    return tr("%1 at %2 Hz").arg(figureText(std::abs(first.h1), 4), figureText(first.frequency_hz));
  if (shows_ == Shows::delay)
    return tr("%1 ms at %2 Hz").arg(figureText(1e3 * all.front().value, 4), figureText(first.frequency_hz));
  if (shows_ == Shows::phase) {
    // At small phases the phase is a delay; noise has the least effect a little further up.
    const Point& point = all[std::min<std::size_t>(all.size() - 1, all.size() / 8)];
    return tr("late by %1 ms at %2 Hz")
        .arg(figureText(-1e3 * point.value / (360.0 * point.frequency_hz)), figureText(point.frequency_hz));
  }
  const auto worst = std::ranges::min_element(lines, {}, &ResponseLine::coherence);
  QString text = tr("least %1 at %2 Hz").arg(figureText(worst->coherence), figureText(worst->frequency_hz));
  if (curves_->measured.segments > 0) text += tr(" · averages %1").arg(figureText(curves_->measured.averages));
  return text;
}

std::vector<LegendEntry> ResponsePlot::legendEntries() const {
  if (!curves_ || curves_->model.empty() || shows_ == Shows::coherence) return {};
  return {{names_.measured, Role::measured, Qt::SolidLine, measured_->isVisible()},
          {names_.model, Role::target, Qt::DashLine, model_->isVisible()}};
}

void ResponsePlot::setEntryVisible(std::size_t entry, bool visible) {
  if (entry == 1) {
    model_->setVisible(visible);
  } else {
    measured_->setVisible(visible);
    band_->setVisible(visible);
  }
  refresh();
}

ValueTable ResponsePlot::valueTable() const {
  ValueTable table;
  const double told = shows_ == Shows::delay ? 1e3 : 1.0;  // in the unit of the axis
  table.headers << tr("frequency (Hz)") << axisTitle(QwtAxis::YLeft).text();
  if (shows_ != Shows::coherence && errorsKnown()) table.headers << tr("95 % from") << tr("95 % to");
  if (shows_ != Shows::coherence) table.headers << names_.model;
  for (const Point& point : points()) {
    std::vector<double> row{point.frequency_hz, told * point.value};
    if (shows_ != Shows::coherence && errorsKnown()) row.insert(row.end(), {told * point.low, told * point.high});
    if (shows_ != Shows::coherence) row.push_back(told * point.model);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace hyb::ui
