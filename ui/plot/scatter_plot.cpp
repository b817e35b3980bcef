#include "ui/plot/scatter_plot.h"

#include <qwt_plot_curve.h>
#include <qwt_symbol.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace hyb::ui {
namespace {

struct Look {
  Role role;
  QwtSymbol::Style symbol;
  Qt::PenStyle line;
};
constexpr Look kLooks[] = {{Role::target, QwtSymbol::Ellipse, Qt::SolidLine},
                           {Role::measured, QwtSymbol::Rect, Qt::DashLine},
                           {Role::command, QwtSymbol::UTriangle, Qt::DashDotLine},
                           {Role::force, QwtSymbol::Diamond, Qt::DotLine},
                           {Role::gap, QwtSymbol::DTriangle, Qt::DashDotDotLine}};
static_assert(std::size(kLooks) == ScatterData::kMostGroups);

QVector<QPointF> means(const std::vector<QPointF>& points) {
  std::map<double, std::pair<double, int>> sums;
  for (const QPointF& point : points) {
    auto& [sum, count] = sums[point.x()];
    sum += point.y();
    ++count;
  }
  QVector<QPointF> line;
  for (const auto& [x, sum] : sums) line << QPointF(x, sum.first / sum.second);
  return line;
}

QString axisText(const ScatterData::Axis& axis) {
  return axis.unit.text.isEmpty() ? axis.title : QStringLiteral("%1 (%2)").arg(axis.title, axis.unit.text);
}

}  // namespace

struct ScatterPlot::Curves {
  QwtPlotCurve mean, points, stopped;
  bool visible = true;
};

ScatterPlot::ScatterPlot(const QString& name, QWidget* parent) : PlotView(name, parent) {}

ScatterPlot::~ScatterPlot() = default;  // curves leave the plot by themselves

bool ScatterPlot::hasData() const {
  return std::any_of(data_.groups.begin(), data_.groups.end(),
                     [](const ScatterData::Group& group) { return !group.points.empty() || !group.stopped.empty(); });
}

void ScatterPlot::setData(ScatterData data) {
  data_ = std::move(data);
  data_.groups.resize(std::min(data_.groups.size(), ScatterData::kMostGroups));
  fit();
  curves_.clear();
  for (std::size_t g = 0; g < data_.groups.size(); ++g) {
    auto curves = std::make_unique<Curves>();
    double z = 5.0;
    for (QwtPlotCurve* curve : {&curves->mean, &curves->points, &curves->stopped}) {
      curve->setZ(z++);
      curve->attach(this);
      curve->setItemAttribute(QwtPlotItem::AutoScale, false);
    }
    curves->points.setStyle(QwtPlotCurve::NoCurve);
    curves->stopped.setStyle(QwtPlotCurve::NoCurve);
    curves_.push_back(std::move(curves));
  }
  applyColours();
  Q_EMIT legendChanged();
  refresh();
}

void ScatterPlot::updateData() {
  Extremes x = Extremes::none(), y = Extremes::none();
  for (std::size_t g = 0; g < curves_.size(); ++g) {
    const ScatterData::Group& group = data_.groups[g];
    Curves& curves = *curves_[g];
    for (QwtPlotCurve* curve : {&curves.mean, &curves.points, &curves.stopped}) curve->setVisible(curves.visible);
    curves.mean.setSamples(means(group.points));
    curves.points.setSamples(QVector<QPointF>(group.points.begin(), group.points.end()));
    curves.stopped.setSamples(QVector<QPointF>(group.stopped.begin(), group.stopped.end()));
    if (!curves.visible) continue;
    for (const auto* points : {&group.points, &group.stopped})
      for (const QPointF& point : *points) x.add(point.x()), y.add(point.y());
  }
  const auto scale = [this](QwtAxisId axis, const Extremes& range, const DisplayUnit& unit, int parts) {
    double from = range.empty() ? 0.0 : range.min, to = range.empty() ? 1.0 / unit.factor : range.max;
    const double margin = to > from ? 0.05 * (to - from) : std::max(0.05 * std::abs(from), 1e-9);
    const QwtInterval shown = manualRange(axis).value_or(QwtInterval(from - margin, to + margin));
    setScale(axis, shown.minValue(), shown.maxValue(), unit.factor, {}, std::clamp(parts, 2, 8));
  };
  scale(QwtAxis::XBottom, x, data_.x.unit, canvas()->width() / 70);
  scale(QwtAxis::YLeft, y, data_.y.unit, canvas()->height() / 32);
}

void ScatterPlot::applyColours() {
  const QColor panel = exporting() ? QColor(Qt::white) : colourOf(Role::panel);
  for (std::size_t g = 0; g < curves_.size(); ++g) {
    const Look& look = kLooks[g];
    const QColor hue = colourOf(look.role);
    const bool many = data_.groups[g].points.size() > 2000;
    curves_[g]->mean.setPen(penOf(look.role, look.line));
    curves_[g]->points.setSymbol(
        new QwtSymbol(look.symbol, hue, many ? QPen(Qt::NoPen) : QPen(panel), many ? QSize(3, 3) : QSize(8, 8)));
    curves_[g]->stopped.setSymbol(new QwtSymbol(QwtSymbol::XCross, Qt::NoBrush, QPen(hue, 1.6), QSize(9, 9)));
  }
  styleAxis(QwtAxis::XBottom, axisText(data_.x), 0);
  styleAxis(QwtAxis::YLeft, axisText(data_.y), 44);
}

QString ScatterPlot::reading() const {
  std::size_t points = 0, stopped = 0;
  for (const ScatterData::Group& group : data_.groups) points += group.points.size(), stopped += group.stopped.size();
  if (points + stopped == 0) return {};
  return stopped == 0 ? tr("%1 runs").arg(points)
                      : tr("%1 runs, %2 ended early (crosses)").arg(points + stopped).arg(stopped);
}

std::vector<LegendEntry> ScatterPlot::legendEntries() const {
  std::vector<LegendEntry> entries;
  for (std::size_t g = 0; g < curves_.size(); ++g)
    entries.push_back({data_.groups[g].name, kLooks[g].role, kLooks[g].line, curves_[g]->visible});
  return entries;
}

void ScatterPlot::setEntryVisible(std::size_t entry, bool visible) {
  if (entry >= curves_.size()) return;
  curves_[entry]->visible = visible;
  refresh();
}

ValueTable ScatterPlot::valueTable() const {
  ValueTable table;
  table.headers << tr("group") << axisText(data_.x) << axisText(data_.y) << tr("ended early");
  QStringList names;
  for (std::size_t g = 0; g < data_.groups.size(); ++g) {
    names << QStringLiteral("%1: %2").arg(g + 1).arg(data_.groups[g].name);
    for (const auto* points : {&data_.groups[g].points, &data_.groups[g].stopped})
      for (const QPointF& point : *points)
        table.rows.push_back({static_cast<double>(g + 1), point.x() * data_.x.unit.factor,
                              point.y() * data_.y.unit.factor, points == &data_.groups[g].points ? 0.0 : 1.0});
  }
  if (names.size() > 1) table.remark = names.join(QStringLiteral("; "));
  return table;
}

}  // namespace hyb::ui
