#include "ui/plot/subspace_plot.h"

#include <qwt_plot_curve.h>
#include <qwt_plot_marker.h>
#include <qwt_symbol.h>

#include <algorithm>
#include <cmath>

#include "ui/plot/quantity_text.h"

namespace hyb::ui {

SubspacePlot::SubspacePlot(const QString& name, TimeView* view, QWidget* parent)
    : PlotView(name, parent), view_(view), range_(1e-6) {
  clock_.start();
  diagonal_ = new QwtPlotCurve;
  diagonal_->setZ(5);
  diagonal_->attach(this);
  const auto make = [this](XySeries*& series, double z) {
    series = new XySeries;
    auto* curve = new QwtPlotCurve;
    curve->setPaintAttribute(QwtPlotCurve::FilterPoints, false);
    curve->setData(series);
    curve->setZ(z);
    curve->attach(this);
    return curve;
  };
  curve_ = make(series_, 10);
  second_curve_ = make(second_series_, 11);
  newest_ = new QwtPlotMarker;
  newest_->setZ(20);
  newest_->setVisible(false);
  newest_->attach(this);
}

void SubspacePlot::setInterface(std::size_t i, double window_s, double frequency_hz) {
  interface_ = i;
  window_s_ = window_s;
  frequency_hz_ = frequency_hz;
  nameAxes();
}

void SubspacePlot::setSource(std::shared_ptr<const RunHistory> run, std::shared_ptr<const RunHistory> second) {
  run_ = std::move(run);
  second_ = std::move(second);
  range_.reset();
  nameAxes();
  Q_EMIT legendChanged();
}

std::pair<std::uint64_t, std::uint64_t> SubspacePlot::shownRows(const RunHistory& run) const {
  // The last periods of the time shown in the linked plots, under full excitation if available.
  const RowHistory& rows = run.rows();
  const TimeView::Range range = view_->range(rows);
  const double moving_until = run.motionEnd();
  const double until = moving_until > range.from_s ? std::min(range.to_s, moving_until) : range.to_s;
  std::uint64_t end = view_->endRow(rows);
  end = rows.lowerBound(RowLayout::kTime, until + 0.5 / run.rateHz(), rows.begin(), end);
  if (end <= rows.begin()) return {rows.begin(), rows.begin()};
  const double to = rows.at(RowLayout::kTime, end - 1);
  return {rows.lowerBound(RowLayout::kTime, to - window_s_, rows.begin(), end), end};
}

void SubspacePlot::updateData() {
  Extremes extremes = Extremes::none();
  const auto update = [&](const RunHistory* run, XySeries& series) {
    if (run == nullptr || interface_ >= run->layout().interfaces()) return series.clear();
    constexpr std::size_t kMostPoints = 4000;
    const auto [first, last] = shownRows(*run);
    const std::size_t z = run->layout().target(interface_), x = run->layout().tracked(interface_);
    series.update(&run->rows(), z, x, first, last, kMostPoints);
    extremes.add(run->rows().extremes(z, first, last));
    extremes.add(run->rows().extremes(x, first, last));
  };
  update(run_.get(), *series_);
  update(second_.get(), *second_series_);

  // Equal scales: the range applies to the shorter side of the canvas.
  const double now_s = static_cast<double>(clock_.elapsed()) / 1000.0;
  const double reach = range_.update(extremes, now_s, true).maxValue();
  const double width = std::max(1, canvas()->width()), height = std::max(1, canvas()->height());
  const double shorter = std::min(width, height);
  const QwtInterval x =
      manualRange(QwtAxis::XBottom).value_or(QwtInterval(-reach * width / shorter, reach * width / shorter));
  const QwtInterval y =
      manualRange(QwtAxis::YLeft).value_or(QwtInterval(-reach * height / shorter, reach * height / shorter));
  setScale(QwtAxis::XBottom, x.minValue(), x.maxValue(), unit().factor, {},
           std::clamp(static_cast<int>(width / 60), 2, 8));
  setScale(QwtAxis::YLeft, y.minValue(), y.maxValue(), unit().factor, {},
           std::clamp(static_cast<int>(height / 32), 2, 8));
  const double low = std::max(x.minValue(), y.minValue()), high = std::min(x.maxValue(), y.maxValue());
  const QPointF ends[] = {{low, low}, {high, high}};
  diagonal_->setSamples(QVector<QPointF>(std::begin(ends), std::end(ends)));
  curve_->setVisible(first_visible_ || !second_);
  second_curve_->setVisible(second_visible_);
  newest_->setVisible(series_->size() > 0 && curve_->isVisible());
  if (series_->size() > 0) newest_->setValue(series_->sample(series_->size() - 1));
}

void SubspacePlot::applyColours() {
  diagonal_->setPen(penOf(Role::excitation, Qt::DashLine));
  curve_->setPen(penOf(Role::measured));
  second_curve_->setPen(penOf(Role::target, Qt::DashLine));
  newest_->setSymbol(
      new QwtSymbol(QwtSymbol::Ellipse, colourOf(Role::measured), QPen(colourOf(Role::panel)), QSize(8, 8)));
  nameAxes();
}

DisplayUnit SubspacePlot::unit() const {
  const bool known = run_ && interface_ < run_->layout().interfaces();
  return displayUnit(known ? run_->layout().units(run_->layout().target(interface_)) : "m");
}

bool SubspacePlot::ofForce() const {
  return run_ && interface_ < run_->layout().interfaces() && run_->layout().signals()[interface_].asksForForce();
}

void SubspacePlot::nameAxes() {
  styleAxis(QwtAxis::XBottom, tr("target z (%1)").arg(unit().text), 0);
  styleAxis(QwtAxis::YLeft, (ofForce() ? tr("measured f (%1)") : tr("measured x (%1)")).arg(unit().text), 34);
}

Synchronisation SubspacePlot::read(const RunHistory* run) const {
  if (run == nullptr || interface_ >= run->layout().interfaces()) return {};
  const auto [first, last] = shownRows(*run);
  constexpr std::uint64_t kFewest = 16;
  if (last - first < kFewest) return {};
  const RowHistory& rows = run->rows();
  // The reading needs equal steps; a few missed ticks do not matter, but missing rows do.
  const double ticks = rows.at(RowLayout::kTick, last - 1) - rows.at(RowLayout::kTick, first) + 1.0;
  if (ticks > 1.02 * static_cast<double>(last - first)) return {};
  rows.copy(run->layout().target(interface_), first, last, target_);
  rows.copy(run->layout().tracked(interface_), first, last, measured_);
  return synchronisation(target_, measured_, 1.0 / run->rateHz(), frequency_hz_);
}

QString SubspacePlot::text(const Synchronisation& reading) {
  if (!reading.valid) return {};
  return tr("ratio %1 · delay %2%3\u2009ms")
      .arg(QString::number(reading.amplitude_ratio, 'f', 3),
           reading.delay_s < 0.0 ? QStringLiteral("−") : QStringLiteral("+"),
           QString::number(std::abs(reading.delay_s) * 1e3, 'f', 2));
}

QString SubspacePlot::reading() const { return text(read(run_.get())); }

QString SubspacePlot::secondReading() const { return text(read(second_.get())); }

std::vector<LegendEntry> SubspacePlot::legendEntries() const {
  if (!second_) return {};
  return {{tr("A"), Role::measured, Qt::SolidLine, first_visible_},
          {tr("B"), Role::target, Qt::DashLine, second_visible_}};
}

void SubspacePlot::setEntryVisible(std::size_t entry, bool visible) {
  (entry == 0 ? first_visible_ : second_visible_) = visible;
  refresh();
}

ValueTable SubspacePlot::valueTable() const {
  ValueTable table;
  table.headers << tr("time (s)") << tr("z (%1)").arg(unit().text)
                << (ofForce() ? tr("f (%1)") : tr("x (%1)")).arg(unit().text);
  if (!hasData()) return table;
  const auto [first, last] = shownRows(*run_);
  const RowHistory& rows = run_->rows();
  for (std::uint64_t row = first; row < last; ++row)
    table.rows.push_back({rows.at(RowLayout::kTime, row),
                          unit().factor * rows.at(run_->layout().target(interface_), row),
                          unit().factor * rows.at(run_->layout().tracked(interface_), row)});
  return table;
}

}  // namespace hyb::ui
