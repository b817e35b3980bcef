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
constexpr Qt::PenStyle kDashes[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine};
constexpr std::size_t kHues = std::size(kLooks) - 1;  // of many families
static_assert(kHues * std::size(kDashes) == ScatterData::kMostFamilies);
constexpr double kCurveReach_px = 12.0;
constexpr std::size_t kPointsMarked = 100;  // per curve; if one curve has more, only lines are drawn
constexpr double kLeastShare = 1e-14;       // of the largest, on a logarithmic scale

Look lookOf(std::size_t group, std::size_t groups) {
  if (groups <= std::size(kLooks)) return kLooks[group];
  return {kLooks[group % kHues].role, kLooks[group % kHues].symbol, kDashes[group / kHues % std::size(kDashes)]};
}

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
  std::vector<std::unique_ptr<QwtPlotCurve>> lines, references;  // [curve], [reference]
  bool visible = true;
};

bool ScatterData::curved() const noexcept {
  return std::any_of(groups.begin(), groups.end(), [](const Group& group) { return !group.curves.empty(); });
}

ScatterPlot::ScatterPlot(const QString& name, QWidget* parent) : PlotView(name, parent) {}

ScatterPlot::~ScatterPlot() = default;  // curves detach themselves

bool ScatterPlot::hasData() const {
  return std::any_of(data_.groups.begin(), data_.groups.end(),
                     [](const ScatterData::Group& group) { return !group.points.empty() || !group.stopped.empty(); }) ||
         data_.curved();
}

bool ScatterPlot::hasReferences() const {
  return std::any_of(data_.groups.begin(), data_.groups.end(),
                     [](const ScatterData::Group& group) { return !group.references.empty(); });
}

void ScatterPlot::emphasise(std::optional<std::size_t> run) {
  if (run == emphasised_) return;
  emphasised_ = run;
  applyColours();
  refresh();
}

std::optional<ScatterPlot::Place> ScatterPlot::placeAt(const QPointF& canvas_px) const {
  std::optional<Place> nearest;
  double least = kCurveReach_px;
  for (std::size_t g = 0; g < curves_.size(); ++g) {
    if (!curves_[g]->visible) continue;
    for (const ScatterData::Curve& curve : data_.groups[g].curves)
      for (const QPointF& point : curve.points) {
        const QPointF way(transform(QwtAxis::XBottom, point.x()) - canvas_px.x(),
                          transform(QwtAxis::YLeft, point.y()) - canvas_px.y());
        const double distance = std::hypot(way.x(), way.y());
        if (distance >= least) continue;
        least = distance;
        nearest = Place{&curve, point};
      }
  }
  return nearest;
}

QString ScatterPlot::saidAt(const QPointF& canvas_px) const {
  const auto place = placeAt(canvas_px);
  if (!place) return {};
  return tr("%1\n%2 at %3")
      .arg(place->curve->name,
           data_.y.unit.text.isEmpty() ? numberText(place->point.y()) : quantityText(place->point.y(), data_.y.unit),
           quantityText(place->point.x(), data_.x.unit));
}

void ScatterPlot::clickedAt(const QPointF& canvas_px) {
  if (const auto place = placeAt(canvas_px)) Q_EMIT curvePicked(place->curve->run);
}

void ScatterPlot::setData(ScatterData data) {
  data_ = std::move(data);
  data_.groups.resize(
      std::min(data_.groups.size(), data_.curved() ? ScatterData::kMostFamilies : ScatterData::kMostGroups));
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
    for (auto* lines : {&curves->lines, &curves->references}) {
      const std::size_t count =
          lines == &curves->lines ? data_.groups[g].curves.size() : data_.groups[g].references.size();
      for (std::size_t k = 0; k < count; ++k) {
        lines->push_back(std::make_unique<QwtPlotCurve>());
        lines->back()->setItemAttribute(QwtPlotItem::AutoScale, false);
        lines->back()->setZ(lines == &curves->lines ? 10.0 : 4.0);
        lines->back()->attach(this);
      }
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
    const auto take = [&](const std::vector<QPointF>& points) {
      for (const QPointF& point : points)
        if (!data_.y.log || point.y() > 0.0) x.add(point.x()), y.add(point.y());
    };
    for (std::size_t k = 0; k < curves.lines.size(); ++k) {
      const std::vector<QPointF>& points = group.curves[k].points;
      curves.lines[k]->setSamples(QVector<QPointF>(points.begin(), points.end()));
      curves.lines[k]->setVisible(curves.visible);
      if (curves.visible) take(points);
    }
    for (std::size_t k = 0; k < curves.references.size(); ++k) {
      const std::vector<QPointF>& points = group.references[k];
      curves.references[k]->setSamples(QVector<QPointF>(points.begin(), points.end()));
      curves.references[k]->setVisible(curves.visible && references_visible_);
      if (curves.visible && references_visible_) take(points);
    }
    if (!curves.visible) continue;
    for (const auto* points : {&group.points, &group.stopped}) take(*points);
  }
  setLog(QwtAxis::YLeft, data_.y.log);
  const auto scale = [this](QwtAxisId axis, const Extremes& range, const DisplayUnit& unit, int parts) {
    double from = range.empty() ? 0.0 : range.min, to = range.empty() ? 1.0 / unit.factor : range.max;
    const double margin = to > from ? 0.05 * (to - from) : std::max(0.05 * std::abs(from), 1e-9);
    const QwtInterval shown = manualRange(axis).value_or(QwtInterval(from - margin, to + margin));
    setScale(axis, shown.minValue(), shown.maxValue(), unit.factor, {}, std::clamp(parts, 2, 8));
  };
  scale(QwtAxis::XBottom, x, data_.x.unit, canvas()->width() / 70);
  if (data_.y.log && !y.empty()) {
    const QwtInterval up =
        manualRange(QwtAxis::YLeft).value_or(QwtInterval(0.6 * std::max(y.min, kLeastShare * y.max), 1.8 * y.max));
    setLogScale(QwtAxis::YLeft, std::max(up.minValue(), 1e-30), std::max(up.maxValue(), 2e-30), data_.y.unit.factor);
  } else {
    scale(QwtAxis::YLeft, y, data_.y.unit, canvas()->height() / 32);
  }
}

void ScatterPlot::applyColours() {
  const QColor panel = exporting() ? QColor(Qt::white) : colourOf(Role::panel);
  bool marked = true;
  for (const ScatterData::Group& group : data_.groups)
    for (const ScatterData::Curve& curve : group.curves) marked = marked && curve.points.size() <= kPointsMarked;
  for (std::size_t g = 0; g < curves_.size(); ++g) {
    const Look look = lookOf(g, curves_.size());
    const QColor hue = colourOf(look.role);
    const bool many = data_.groups[g].points.size() > 2000;
    curves_[g]->mean.setPen(penOf(look.role, look.line));
    curves_[g]->points.setSymbol(
        new QwtSymbol(look.symbol, hue, many ? QPen(Qt::NoPen) : QPen(panel), many ? QSize(3, 3) : QSize(8, 8)));
    curves_[g]->stopped.setSymbol(new QwtSymbol(QwtSymbol::XCross, Qt::NoBrush, QPen(hue, 1.6), QSize(9, 9)));
    for (std::size_t k = 0; k < curves_[g]->lines.size(); ++k) {
      const ScatterData::Curve& curve = data_.groups[g].curves[k];
      const bool chosen = emphasised_ == curve.run;
      QwtPlotCurve& line = *curves_[g]->lines[k];
      QPen pen = penOf(look.role, look.line);
      pen.setWidthF(chosen ? 3.0 : 1.4);
      line.setPen(pen);
      line.setZ(chosen ? 12.0 : 10.0);
      line.setSymbol(marked ? new QwtSymbol(look.symbol, hue, QPen(panel), chosen ? QSize(9, 9) : QSize(6, 6))
                            : nullptr);
    }
    QPen thin = penOf(Role::mutedText, Qt::DashLine);
    thin.setWidthF(1.0);
    for (const auto& reference : curves_[g]->references) reference->setPen(thin);
  }
  styleAxis(QwtAxis::XBottom, axisText(data_.x), 0);
  styleAxis(QwtAxis::YLeft, axisText(data_.y), 44);
}

QString ScatterPlot::reading() const {
  if (data_.curved()) {
    std::size_t curves = 0;
    for (const ScatterData::Group& group : data_.groups)
      for (const ScatterData::Curve& curve : group.curves) {
        if (emphasised_ == curve.run)
          return curve.said.isEmpty() ? curve.name : tr("run %1: %2").arg(curve.run).arg(curve.said);
        ++curves;
      }
    return tr("%1 curves").arg(curves);
  }
  std::size_t points = 0, stopped = 0;
  for (const ScatterData::Group& group : data_.groups) points += group.points.size(), stopped += group.stopped.size();
  if (points + stopped == 0) return {};
  return stopped == 0 ? tr("%1 runs").arg(points)
                      : tr("%1 runs, %2 ended early (crosses)").arg(points + stopped).arg(stopped);
}

std::vector<LegendEntry> ScatterPlot::legendEntries() const {
  std::vector<LegendEntry> entries;
  for (std::size_t g = 0; g < curves_.size(); ++g) {
    const QString& name = data_.groups[g].name;
    const Look look = lookOf(g, curves_.size());
    entries.push_back({name.isEmpty() ? tr("runs") : name, look.role, look.line, curves_[g]->visible});
  }
  if (hasReferences()) entries.push_back({tr("assembled"), Role::mutedText, Qt::DashLine, references_visible_});
  return entries;
}

void ScatterPlot::setEntryVisible(std::size_t entry, bool visible) {
  if (entry > curves_.size()) return;
  (entry < curves_.size() ? curves_[entry]->visible : references_visible_) = visible;
  refresh();
}

ValueTable ScatterPlot::valueTable() const {
  ValueTable table;
  if (data_.curved()) {
    table.headers << tr("run") << axisText(data_.x) << axisText(data_.y);
    for (const ScatterData::Group& group : data_.groups)
      for (const ScatterData::Curve& curve : group.curves)
        for (const QPointF& point : curve.points)
          table.rows.push_back(
              {static_cast<double>(curve.run), point.x() * data_.x.unit.factor, point.y() * data_.y.unit.factor});
    return table;
  }
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
