#include "ui/plot/period_plot.h"

#include <qwt_plot_curve.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

double largestOf(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values)
    if (std::abs(value) > most) most = std::abs(value);
  return most;
}

QVector<QPointF> pairedOf(const std::vector<double>& x, const std::vector<double>& y) {
  QVector<QPointF> points;
  for (std::size_t k = 0; k < std::min(x.size(), y.size()); ++k) points << QPointF(x[k], y[k]);
  return points;
}

}  // namespace

PeriodPlot::PeriodPlot(const QString& name, Shows shows, QWidget* parent)
    : PlotView(name, parent),
      shows_(shows),
      raw_(new QwtPlotCurve),
      averaged_(new QwtPlotCurve),
      computed_(new QwtPlotCurve) {
  double z = 5.0;
  for (QwtPlotCurve* curve :
       shows == Shows::periods ? std::array{raw_, averaged_, computed_} : std::array{computed_, raw_, averaged_}) {
    curve->setItemAttribute(QwtPlotItem::AutoScale, false);
    curve->setZ(z++);
    curve->attach(this);
  }
}

const PointPeriods::Trace* PeriodPlot::trace() const {
  return periods_ && trace_ < periods_->traces.size() ? &periods_->traces[trace_] : nullptr;
}

void PeriodPlot::setTrace(std::shared_ptr<const PointPeriods> periods, std::size_t trace) {
  periods_ = std::move(periods);
  trace_ = trace;
  applyColours();
  Q_EMIT legendChanged();
  refresh();
}

void PeriodPlot::updateData() {
  const PointPeriods::Trace* of = trace();
  if (of == nullptr) {
    for (QwtPlotCurve* curve : {raw_, averaged_, computed_}) curve->setSamples(QVector<QPointF>());
    return;
  }
  const double factor = displayUnit(of->unit).factor;
  double most = std::max(largestOf(of->averaged), largestOf(of->computed));
  if (raw_visible_) most = std::max(most, largestOf(of->raw));
  if (!(most > 0.0)) most = 1e-3 / factor;
  const bool over_time = shows_ == Shows::periods;
  const std::vector<double>& x = over_time ? periods_->cycles : of->computed;
  raw_->setSamples(pairedOf(x, of->raw));
  averaged_->setSamples(pairedOf(x, of->averaged));
  computed_->setSamples(over_time ? pairedOf(x, of->computed)
                                  : QVector<QPointF>{{-2.0 * most, -2.0 * most}, {2.0 * most, 2.0 * most}});
  raw_->setVisible(raw_visible_);
  averaged_->setVisible(averaged_visible_);
  computed_->setVisible(!over_time || computed_visible_);
  const auto scale = [&](QwtAxisId axis, const QwtInterval& usual, double shown, int parts) {
    const QwtInterval range = manualRange(axis).value_or(usual);
    setScale(axis, range.minValue(), range.maxValue(), shown, {}, parts);
  };
  const int across = std::clamp(canvas()->width() / 60, 2, 8), up = std::clamp(canvas()->height() / 32, 2, 6);
  const QwtInterval values(-1.1 * most, 1.1 * most);
  scale(QwtAxis::YLeft, values, factor, up);
  if (over_time)
    scale(QwtAxis::XBottom, QwtInterval(periods_->cycles.front(), periods_->cycles.back()), 1.0, across);
  else
    scale(QwtAxis::XBottom, values, factor, across);
}

void PeriodPlot::applyColours() {
  raw_->setPen(penOf(Role::excitation));
  QPen thick = penOf(Role::measured);
  thick.setWidthF(2.0);
  averaged_->setPen(thick);
  QPen other = shows_ == Shows::periods ? penOf(Role::target, Qt::DashLine) : penOf(Role::zeroLine);
  if (shows_ == Shows::periods) other.setWidthF(1.5);
  computed_->setPen(other);
  const QString unit = trace() != nullptr ? displayUnit(trace()->unit).text : QString();
  const auto named = [&](const QString& text) {
    return unit.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, unit);
  };
  styleAxis(QwtAxis::XBottom, shows_ == Shows::periods ? tr("periods") : named(tr("computed")), 0);
  styleAxis(QwtAxis::YLeft, named(shows_ == Shows::periods ? QString() : tr("measured")).trimmed(), 36);
}

QString PeriodPlot::reading() const {
  const PointPeriods::Trace* of = trace();
  if (of == nullptr) return {};
  double squares = 0.0, error = 0.0, spread = 0.0;
  for (std::size_t k = 0; k < of->averaged.size(); ++k) {
    squares += of->averaged[k] * of->averaged[k];
    error += (of->computed[k] - of->averaged[k]) * (of->computed[k] - of->averaged[k]);
    if (k < of->raw.size()) spread += (of->raw[k] - of->averaged[k]) * (of->raw[k] - of->averaged[k]);
  }
  if (!(squares > 0.0)) return {};
  const auto percent = [squares](double part) { return numberText(100.0 * std::sqrt(part / squares)); };
  if (shows_ == Shows::synchronisation) return tr("apart %1\u2009%").arg(percent(error));
  return of->raw.empty() ? QString() : tr("sensors off the average %1\u2009%").arg(percent(spread));
}

std::vector<LegendEntry> PeriodPlot::legendEntries() const {
  std::vector<LegendEntry> entries{{tr("sensors"), Role::excitation, Qt::SolidLine, raw_visible_},
                                   {tr("averaged"), Role::measured, Qt::SolidLine, averaged_visible_}};
  if (shows_ == Shows::periods) entries.push_back({tr("computed"), Role::target, Qt::DashLine, computed_visible_});
  return entries;
}

void PeriodPlot::setEntryVisible(std::size_t entry, bool visible) {
  bool* const shown[] = {&raw_visible_, &averaged_visible_, &computed_visible_};
  *shown[std::min<std::size_t>(entry, 2)] = visible;
  refresh();
}

ValueTable PeriodPlot::valueTable() const {
  ValueTable table;
  const PointPeriods::Trace* of = trace();
  if (of == nullptr) return table;
  const DisplayUnit unit = displayUnit(of->unit);
  table.headers << tr("period") << tr("averaged (%1)").arg(unit.text) << tr("computed (%1)").arg(unit.text)
                << tr("sensors (%1)").arg(unit.text);
  for (std::size_t k = 0; k < periods_->cycles.size(); ++k)
    table.rows.push_back({periods_->cycles[k], unit.factor * of->averaged[k], unit.factor * of->computed[k],
                          k < of->raw.size() ? unit.factor * of->raw[k] : std::nan("")});
  return table;
}

}  // namespace hyb::ui
