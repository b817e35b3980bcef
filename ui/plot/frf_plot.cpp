#include "ui/plot/frf_plot.h"

#include <qwt_plot_curve.h>
#include <qwt_plot_marker.h>
#include <qwt_symbol.h>
#include <qwt_text.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/numbers.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr double kPointReach_px = 12.0;
constexpr double kLogFrom = 30.0;  // largest over smallest amplitude: logarithmic scale from here

double degreesOf(std::complex<double> z) { return std::arg(z) * 180.0 / kPi; }
double besidePhase(double degrees, double before) { return degrees + 360.0 * std::round((before - degrees) / 360.0); }

}  // namespace

FrfPlot::FrfPlot(const QString& name, Shows shows, QWidget* parent)
    : PlotView(name, parent),
      shows_(shows),
      good_(new QwtPlotCurve),
      bad_(new QwtPlotCurve),
      line_curve_(new QwtPlotCurve),
      unstable_(new QwtPlotCurve),
      ring_(new QwtPlotMarker) {
  double z = 5.0;
  for (QwtPlotCurve* curve : {line_curve_, good_, unstable_, bad_}) addCurve(curve, z += 2.0);
  for (QwtPlotCurve* curve : {good_, unstable_, bad_})
    curve->setStyle(shows == Shows::iterations ? QwtPlotCurve::Sticks : QwtPlotCurve::NoCurve);
  ring_->setZ(z + 1.0);
  ring_->setVisible(false);
  ring_->attach(this);
  if (shows == Shows::amplitude) {
    band_from_ = new QwtPlotMarker;
    band_to_ = new QwtPlotMarker;
    for (QwtPlotMarker* mark : {band_from_, band_to_}) {
      mark->setLineStyle(QwtPlotMarker::VLine);
      mark->setZ(3.0);
      mark->setVisible(false);
      mark->attach(this);
    }
    band_to_->setLabelAlignment(Qt::AlignRight | Qt::AlignTop);
  }
}

void FrfPlot::addCurve(QwtPlotCurve* curve, double z) {
  curve->setItemAttribute(QwtPlotItem::AutoScale, false);
  curve->setZ(z);
  curve->attach(this);
}

const SweepList::Quantity* FrfPlot::quantity() const {
  return sweep_ != nullptr && quantity_ < sweep_->quantities().size() ? &sweep_->quantities()[quantity_] : nullptr;
}

void FrfPlot::setSweep(const SweepList* sweep, std::size_t quantity, std::shared_ptr<const SweepReference> reference) {
  const bool had = !line_.empty();
  sweep_ = sweep;
  quantity_ = quantity;
  reference_ = std::move(reference);
  line_ = referenceLine();
  if (had != !line_.empty()) Q_EMIT legendChanged();
  applyColours();
  refresh();
}

void FrfPlot::setCurrent(std::optional<std::size_t> row) {
  if (current_ == row) return;
  current_ = row;
  refresh();
}

std::vector<QPointF> FrfPlot::referenceLine() const {
  std::vector<QPointF> line;
  const SweepList::Quantity* q = quantity();
  if (q == nullptr || shows_ == Shows::iterations) return line;
  double before = 0.0;
  for (const auto& [hz, motion] : referenceOf(reference_.get(), *q)) {
    if (shows_ == Shows::amplitude) {
      line.emplace_back(hz, std::abs(motion));
    } else {
      before = line.empty() ? degreesOf(motion) : besidePhase(degreesOf(motion), before);
      line.emplace_back(hz, before);
    }
  }
  return line;
}

double FrfPlot::valueOf(std::size_t row) const {
  if (shows_ == Shows::iterations) return sweep_->iterations(row);
  const SweepList::Quantity& q = *quantity();
  if (shows_ == Shows::amplitude) return sweep_->at(row, q.measured);
  const double degrees = sweep_->at(row, q.measured_phase), hz = sweep_->frequency_hz(row);
  // Phase of the reference, so that both are on the same turn.
  const auto beside = std::min_element(line_.begin(), line_.end(), [hz](const QPointF& a, const QPointF& b) {
    return std::abs(a.x() - hz) < std::abs(b.x() - hz);
  });
  return beside == line_.end() ? degrees : besidePhase(degrees, beside->y());
}

QPointF FrfPlot::placeOf(std::size_t row) const {
  return {transform(QwtAxis::XBottom, sweep_->frequency_hz(row)), transform(QwtAxis::YLeft, valueOf(row))};
}

std::optional<std::size_t> FrfPlot::pointAt(const QPointF& at) const {
  std::optional<std::size_t> nearest;
  double least = kPointReach_px;
  if (quantity() == nullptr || !points_visible_) return nearest;
  for (std::size_t row = 0; row < sweep_->count(); ++row) {
    QPointF way = placeOf(row) - at;
    if (shows_ == Shows::iterations && way.y() < 0.0) way.setY(0.0);  // any place on the bar counts
    const double distance = std::hypot(way.x(), way.y());
    if (distance < least) {
      least = distance;
      nearest = row;
    }
  }
  return nearest;
}

QString FrfPlot::saidAt(const QPointF& canvas_px) const {
  const auto row = pointAt(canvas_px);
  return row && meaning_ ? meaning_(*row) : QString();
}

void FrfPlot::clickedAt(const QPointF& canvas_px) {
  if (const auto row = pointAt(canvas_px)) Q_EMIT pointPicked(*row);
}

void FrfPlot::updateData() {
  QVector<QPointF> good, unstable, bad;
  std::vector<QVector<QPointF>> joined;
  double pass = std::nan("");
  double least_hz = std::numeric_limits<double>::infinity(), most_hz = -least_hz, least = least_hz, most = -least;
  const auto reach = [&](const QPointF& point) {
    least_hz = std::min(least_hz, point.x());
    most_hz = std::max(most_hz, point.x());
    least = std::min(least, point.y());
    most = std::max(most, point.y());
  };
  if (quantity() != nullptr)
    for (std::size_t row = 0; row < sweep_->count(); ++row) {
      const QPointF point(sweep_->frequency_hz(row), valueOf(row));
      if (!std::isfinite(point.y())) continue;
      (!sweep_->converged(row) ? bad : sweep_->unstable(row) ? unstable : good) << point;
      if (sweep_->converged(row) && shows_ != Shows::iterations) {
        if (sweep_->pass(row) != pass) joined.emplace_back();
        pass = sweep_->pass(row);
        joined.back() << point;
      }
      if (points_visible_) reach(point);
    }
  if (line_visible_)
    for (const QPointF& point : line_) reach(point);
  const bool nothing = !(most >= least);
  if (reference_ != nullptr)  // if points will follow; plots have the same width
    for (const SweepReference::Point& point : reference_->points) {
      least_hz = std::min(least_hz, point.frequency_hz);
      most_hz = std::max(most_hz, point.frequency_hz);
    }
  good_->setSamples(good);
  bad_->setSamples(bad);
  unstable_->setSamples(unstable);
  while (joined_.size() < joined.size()) {
    joined_.push_back(new QwtPlotCurve);
    addCurve(joined_.back(), 6.0);
    joined_.back()->setPen(penOf(Role::measured));
  }
  joined.resize(joined_.size());
  for (std::size_t k = 0; k < joined_.size(); ++k) {
    joined_[k]->setSamples(joined[k]);
    joined_[k]->setVisible(points_visible_);
  }
  line_curve_->setSamples(QVector<QPointF>(line_.begin(), line_.end()));
  for (QwtPlotCurve* curve : {good_, unstable_, bad_}) curve->setVisible(points_visible_);
  line_curve_->setVisible(line_visible_);
  const bool ringed = current_ && quantity() != nullptr && *current_ < sweep_->count() && points_visible_;
  ring_->setVisible(ringed);
  if (ringed) ring_->setValue(sweep_->frequency_hz(*current_), valueOf(*current_));

  if (!(most_hz >= least_hz)) {
    least_hz = 0.0;
    most_hz = 1.0;
  }
  const double margin_hz = most_hz > least_hz ? 0.04 * (most_hz - least_hz) : 0.02 * most_hz + 0.1;
  const QwtInterval across =
      manualRange(QwtAxis::XBottom).value_or(QwtInterval(least_hz - margin_hz, most_hz + margin_hz));
  setScale(QwtAxis::XBottom, across.minValue(), across.maxValue(), 1.0, {}, std::clamp(canvas()->width() / 70, 2, 10));
  const int parts = std::clamp(canvas()->height() / 30, 2, 6);
  const auto manual = manualRange(QwtAxis::YLeft);
  if (shows_ == Shows::iterations) {
    const QwtInterval up = manual.value_or(QwtInterval(0.0, nothing ? 10.0 : std::max(1.0, 1.15 * most)));
    setScale(QwtAxis::YLeft, up.minValue(), up.maxValue(), 1.0, {},
             std::min(parts, std::max(1, static_cast<int>(up.maxValue()))));
  } else if (shows_ == Shows::phase) {
    const double margin = nothing ? 0.0 : std::max(5.0, 0.08 * (most - least));
    const QwtInterval up =
        manual.value_or(nothing ? QwtInterval(-180.0, 180.0) : QwtInterval(least - margin, most + margin));
    setScale(QwtAxis::YLeft, up.minValue(), up.maxValue(), 1.0, {}, parts);
  } else {
    const double factor = quantity() != nullptr ? displayUnit(quantity()->unit).factor : 1.0;
    const bool log = !nothing && least > 0.0 && most > kLogFrom * least;
    setLog(QwtAxis::YLeft, log);
    const QwtInterval up = manual.value_or(nothing ? QwtInterval(0.0, 1e-3)
                                           : log   ? QwtInterval(0.7 * least, 1.6 * most)
                                                   : QwtInterval(0.0, 1.12 * most));
    if (log)
      setLogScale(QwtAxis::YLeft, std::max(up.minValue(), 1e-15), std::max(up.maxValue(), 2e-15), factor);
    else
      setScale(QwtAxis::YLeft, up.minValue(), up.maxValue(), factor, {}, parts);
    showBand();
  }
}

/// Marks the amplitude of the peak divided by the root of 2.
void FrfPlot::showBand() {
  const auto peak = quantity() != nullptr && points_visible_ ? sweep_->resonance(*quantity()) : std::nullopt;
  const HalfPower* const band = peak && peak->half_power ? &*peak->half_power : nullptr;
  for (QwtPlotMarker* mark : {band_from_, band_to_}) mark->setVisible(band != nullptr);
  if (band == nullptr) return;
  band_from_->setXValue(band->from_hz);
  band_to_->setXValue(band->to_hz);
  QwtText text(tr("\u2212 3 dB"));
  text.setFont(figureFont(0.85));
  text.setColor(colourOf(Role::mutedText));
  band_to_->setLabel(text);
}

QString FrfPlot::axisName() const {
  if (shows_ == Shows::phase) return tr("phase (°)");
  if (shows_ == Shows::iterations) return tr("iterations");
  const QString unit = quantity() != nullptr ? displayUnit(quantity()->unit).text : QString();
  return unit.isEmpty() ? tr("amplitude") : tr("amplitude (%1)").arg(unit);
}

void FrfPlot::applyColours() {
  const QColor panel = exporting() ? QColor(Qt::white) : colourOf(Role::panel);
  const QColor hue = colourOf(Role::measured), wrong = colourOf(Role::error);
  if (shows_ == Shows::iterations) {
    const auto bar = [&](const QColor& colour) {
      QPen pen(colour, 7.0);
      pen.setCapStyle(Qt::FlatCap);
      return pen;
    };
    for (QwtPlotCurve* curve : {good_, unstable_}) curve->setPen(bar(colourOf(Role::excitation)));
    bad_->setPen(bar(wrong));
    bad_->setSymbol(new QwtSymbol(QwtSymbol::XCross, Qt::NoBrush, QPen(wrong, 2.0), QSize(11, 11)));
  } else {
    good_->setSymbol(new QwtSymbol(QwtSymbol::Ellipse, hue, QPen(panel, 1.0), QSize(9, 9)));
    unstable_->setSymbol(new QwtSymbol(QwtSymbol::Ellipse, panel, QPen(hue, 1.6), QSize(8, 8)));
    bad_->setSymbol(new QwtSymbol(QwtSymbol::XCross, Qt::NoBrush, QPen(wrong, 2.2), QSize(11, 11)));
    for (QwtPlotCurve* curve : joined_) curve->setPen(penOf(Role::measured));
    QPen pen = penOf(Role::target, Qt::DashLine);
    pen.setWidthF(1.5);
    line_curve_->setPen(pen);
  }
  ring_->setSymbol(new QwtSymbol(QwtSymbol::Ellipse, Qt::NoBrush, QPen(colourOf(Role::text), 1.8), QSize(17, 17)));
  if (band_from_ != nullptr)
    for (QwtPlotMarker* mark : {band_from_, band_to_}) mark->setLinePen(penOf(Role::toleranceEdge, Qt::DotLine));
  styleAxis(QwtAxis::XBottom, tr("frequency (Hz)"), 0);
  styleAxis(QwtAxis::YLeft, axisName(), 44);
}

QString FrfPlot::reading() const {
  const SweepList::Quantity* q = quantity();
  if (q == nullptr || sweep_->count() == 0) return {};
  const std::size_t last = sweep_->count() - 1;
  if (shows_ == Shows::iterations) {
    double all = 0.0;
    for (std::size_t row = 0; row <= last; ++row) all += sweep_->iterations(row);
    return tr("mean %1").arg(figureText(all / static_cast<double>(last + 1)));
  }
  const QString hz = figureText(sweep_->frequency_hz(last), 5);
  if (shows_ == Shows::phase) return tr("last %1° at %2 Hz").arg(numberText(valueOf(last)), hz);
  return tr("last %1 at %2 Hz").arg(quantityText(valueOf(last), displayUnit(q->unit)), hz);
}

std::vector<LegendEntry> FrfPlot::legendEntries() const {
  if (line_.empty()) return {};
  return {{tr("measured"), Role::measured, Qt::SolidLine, points_visible_},
          {sweep_->followsPath() ? tr("computed") : tr("assembled"), Role::target, Qt::DashLine, line_visible_}};
}

void FrfPlot::setEntryVisible(std::size_t entry, bool visible) {
  (entry == 0 ? points_visible_ : line_visible_) = visible;
  refresh();
}

ValueTable FrfPlot::valueTable() const {
  ValueTable table;
  table.headers << tr("frequency (Hz)") << axisName() << tr("converged");
  if (quantity() == nullptr) return table;
  const double factor = shows_ == Shows::amplitude ? displayUnit(quantity()->unit).factor : 1.0;
  for (const std::size_t row : sweep_->byFrequency())
    table.rows.push_back({sweep_->frequency_hz(row), factor * valueOf(row), sweep_->converged(row) ? 1.0 : 0.0});
  return table;
}

}  // namespace hyb::ui
