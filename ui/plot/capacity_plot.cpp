#include "ui/plot/capacity_plot.h"

#include <qwt_plot_curve.h>

#include <algorithm>
#include <cmath>

#include "core/transfer/actuator.h"
#include "ui/plot/auto_range.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr std::size_t kMostPoints = 1500;

bool limited(const ActuatorSpec& params) {
  return std::isfinite(params.velocity_limit_m_per_s) || std::isfinite(params.force_limit_n);
}

/// Right half of the envelope (v >= 0) from the lowest to the highest force; the left half is its mirror through 0.
QVector<QPointF> rightHalf(const ActuatorSpec& params, double most_v, double most_f) {
  QVector<QPointF> points;
  const double v0 = params.velocity_limit_m_per_s, f0 = params.force_limit_n;
  const double reach_f = std::isfinite(f0) ? f0 : most_f;
  if (!std::isfinite(v0)) return {{0.0, reach_f}, {most_v, reach_f}};
  constexpr int kPieces = 48;
  points << QPointF(v0, -reach_f) << QPointF(v0, 0.0);
  for (int step = 1; step <= kPieces; ++step) {
    const double force = reach_f * step / kPieces;
    points << QPointF(velocityCapacity(params, force), force);
  }
  return points;
}

}  // namespace

CapacityPlot::CapacityPlot(const QString& name, TimeView* view, QWidget* parent)
    : PlotView(name, parent), view_(view) {}

Role CapacityPlot::roleOf(std::size_t i) {
  constexpr Role roles[] = {Role::measured, Role::target, Role::command, Role::force};
  return roles[i % std::size(roles)];
}

void CapacityPlot::setActuators(const std::vector<ActuatorSpec>& actuators, std::size_t interfaces) {
  for (const Actuator& actuator : actuators_)
    for (QwtPlotCurve* curve : {actuator.points, actuator.right, actuator.left}) delete curve;
  actuators_.clear();
  if (!actuators.empty())
    for (std::size_t i = 0; i < interfaces; ++i) {
      Actuator actuator{actuators[std::min(i, actuators.size() - 1)], new QwtPlotCurve, new QwtPlotCurve,
                        new QwtPlotCurve, new XySeries};
      actuator.points->setData(actuator.series);
      actuator.points->setStyle(QwtPlotCurve::Dots);
      actuator.points->setZ(10);
      for (QwtPlotCurve* curve : {actuator.points, actuator.right, actuator.left}) curve->attach(this);
      actuators_.push_back(actuator);
    }
  applyColours();
  Q_EMIT legendChanged();
}

void CapacityPlot::setSource(std::shared_ptr<const RunHistory> run) { run_ = std::move(run); }

std::pair<std::uint64_t, std::uint64_t> CapacityPlot::shownRows() const {
  const RowHistory& rows = run_->rows();
  const TimeView::Range range = view_->range(rows);
  const std::uint64_t end = view_->endRow(rows);
  const std::uint64_t first = rows.lowerBound(RowLayout::kTime, range.from_s, rows.begin(), end);
  return {first, rows.lowerBound(RowLayout::kTime, range.to_s + 0.5 / run_->rateHz(), first, end)};
}

void CapacityPlot::updateData() {
  constexpr double kNothingYet = 1.0;  // m/s and N: without data
  double most_v = 0.0, most_f = 0.0;
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    Actuator& actuator = actuators_[i];
    for (QwtPlotCurve* curve : {actuator.points, actuator.right, actuator.left}) curve->setVisible(actuator.visible);
    if (!actuator.visible) continue;
    if (std::isfinite(actuator.params.velocity_limit_m_per_s))
      most_v = std::max(most_v, actuator.params.velocity_limit_m_per_s);
    if (std::isfinite(actuator.params.force_limit_n)) most_f = std::max(most_f, actuator.params.force_limit_n);
    if (!hasData()) {
      actuator.series->clear();
      continue;
    }
    const auto [first, last] = shownRows();
    const std::size_t v = run_->layout().velocity(i), f = run_->layout().force(i);
    actuator.series->update(&run_->rows(), v, f, first, last, exporting() ? 20000 : kMostPoints, -1.0);
    // The scale follows the whole run, so that it does not fluctuate.
    most_v = std::max(most_v, run_->peak(v));
    most_f = std::max(most_f, run_->peak(f));
  }
  if (most_v <= 0.0) most_v = kNothingYet;
  if (most_f <= 0.0) most_f = kNothingYet;
  for (Actuator& actuator : actuators_) {
    QVector<QPointF> half = limited(actuator.params) ? rightHalf(actuator.params, most_v, most_f) : QVector<QPointF>();
    actuator.right->setSamples(half);
    for (QPointF& point : half) point = -point;
    actuator.left->setSamples(half);
  }
  const auto scale = [this](QwtAxisId axis, double most, int pixels, int per_part) {
    const QwtInterval range = manualRange(axis).value_or(QwtInterval(-1.1 * most, 1.1 * most));
    setScale(axis, range.minValue(), range.maxValue(), 1.0, {}, std::clamp(pixels / per_part, 2, 8));
  };
  scale(QwtAxis::XBottom, most_v, canvas()->width(), 60);
  scale(QwtAxis::YLeft, most_f, canvas()->height(), 32);
}

void CapacityPlot::applyColours() {
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    QPen dots = penOf(roleOf(i));
    dots.setWidthF(2.0);
    dots.setCapStyle(Qt::SquareCap);
    actuators_[i].points->setPen(dots);
    for (QwtPlotCurve* curve : {actuators_[i].right, actuators_[i].left})
      curve->setPen(penOf(Role::limit, i == 0 ? Qt::SolidLine : Qt::DashLine));
  }
  styleAxis(QwtAxis::XBottom, tr("velocity (m/s)"), 0);
  styleAxis(QwtAxis::YLeft, tr("actuator force (N)"), 34);
}

double CapacityPlot::usedShare() const {
  double most = std::nan("");
  if (!hasData()) return most;
  const auto [first, last] = shownRows();
  const std::uint64_t stride = std::max<std::uint64_t>(1, (last - first) / 10000);
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    const ActuatorSpec& params = actuators_[i].params;
    if (!limited(params)) continue;
    for (std::uint64_t row = first; row < last; row += stride) {
      const double v = run_->rows().at(run_->layout().velocity(i), row),
                   f = run_->rows().at(run_->layout().force(i), row);
      const double opposing = v >= 0.0 ? -f : f;
      double share = std::max(0.0, opposing) / params.force_limit_n;
      if (std::isfinite(params.velocity_limit_m_per_s)) {
        const double available = velocityCapacity(params, opposing);
        share = available > 0.0 ? std::max(share, std::abs(v) / available) : std::max(share, 1.0);
      }
      if (!(most >= share)) most = share;
    }
  }
  return most;
}

QString CapacityPlot::reading() const {
  if (actuators_.empty()) return {};
  const bool none = std::none_of(actuators_.begin(), actuators_.end(),
                                 [](const Actuator& actuator) { return limited(actuator.params); });
  if (none) return tr("no limits set");
  const double used = usedShare();
  if (!std::isfinite(used)) return {};
  return tr("up to %1\u2009% used").arg(100.0 * used, 0, 'f', 0);
}

std::vector<LegendEntry> CapacityPlot::legendEntries() const {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < actuators_.size(); ++i)
    entries.push_back({QString::number(i + 1), roleOf(i), Qt::SolidLine, actuators_[i].visible});
  return entries;
}

void CapacityPlot::setEntryVisible(std::size_t entry, bool visible) {
  if (entry >= actuators_.size()) return;
  actuators_[entry].visible = visible;
  refresh();
}

ValueTable CapacityPlot::valueTable() const {
  ValueTable table;
  table.headers << tr("time (s)");
  for (std::size_t i = 0; i < actuators_.size(); ++i)
    table.headers << tr("v %1 (m/s)").arg(i + 1) << tr("force %1 (N)").arg(i + 1);
  if (!hasData()) return table;
  constexpr std::uint64_t kMostRows = 20000;
  const auto [first, last] = shownRows();
  const std::uint64_t stride = std::max<std::uint64_t>(1, (last - first + kMostRows - 1) / kMostRows);
  for (std::uint64_t row = first; row < last; row += stride) {
    std::vector<double> values{run_->rows().at(RowLayout::kTime, row)};
    for (std::size_t i = 0; i < actuators_.size(); ++i) {
      values.push_back(run_->rows().at(run_->layout().velocity(i), row));
      values.push_back(-run_->rows().at(run_->layout().force(i), row));
    }
    table.rows.push_back(std::move(values));
  }
  return table;
}

}  // namespace hyb::ui
