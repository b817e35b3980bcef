#include "ui/plot/platform_figure.h"

#include <qwt_plot_item.h>
#include <qwt_scale_map.h>

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/project/project.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr double kTurn = 0.45, kViewed = 0.35;  // rad: about the vertical, and down from the horizon
constexpr double kMargin = 0.12;                // share of the picture
constexpr double kNearBound = 0.05;             // of a leg's stroke
constexpr std::uint64_t kMostTableRows = 20000;

/// A place seen obliquely from in front and above: x to the right, y into the picture, z up.
QPointF seen(const Eigen::Vector3d& place_m) {
  const double across = std::cos(kTurn) * place_m.x() - std::sin(kTurn) * place_m.y(),
               depth = std::sin(kTurn) * place_m.x() + std::cos(kTurn) * place_m.y();
  return {across, std::cos(kViewed) * place_m.z() + std::sin(kViewed) * depth};
}

QPolygonF outlineOf(std::vector<QPointF> points) {  // convex
  QPolygonF outline;
  std::ranges::sort(
      points, [](const QPointF& a, const QPointF& b) { return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y()); });
  const auto turn = [](const QPointF& a, const QPointF& b, const QPointF& c) {
    return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
  };
  for (int side = 0; side < 2; ++side) {
    const qsizetype first = outline.size();
    for (const QPointF& point : points) {
      while (outline.size() >= first + 2 && turn(outline[outline.size() - 2], outline.back(), point) <= 0.0)
        outline.removeLast();
      outline << point;
    }
    if (!outline.isEmpty()) outline.removeLast();
    std::ranges::reverse(points);
  }
  return outline;
}

}  // namespace

/// The drawing, in metres.
class PlatformFigure::Drawing : public QwtPlotItem {
 public:
  const PlatformFigure* plot;
  LegValues lengths_m;
  std::vector<Eigen::Vector3d> joints;  // of the platform
  Eigen::Vector3d point = Eigen::Vector3d::Zero();

  explicit Drawing(const PlatformFigure* figure) : plot(figure) { setZ(10); }

  void draw(QPainter* painter, const QwtScaleMap& x, const QwtScaleMap& y, const QRectF&) const override {
    if (!plot->geometry_ || joints.empty()) return;
    const RigGeometry& geometry = *plot->geometry_;
    const auto on = [&](const Eigen::Vector3d& place) {
      const QPointF flat = seen(place);
      return QPointF(x.transform(flat.x()), y.transform(flat.y()));
    };
    painter->setRenderHint(QPainter::Antialiasing);
    std::vector<QPointF> base, top;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      base.push_back(on(geometry.legs[i].base_m));
      top.push_back(on(joints[i]));
    }
    drawBody(*painter, base, Role::mutedText);
    for (std::size_t i = 0; i < joints.size(); ++i) {
      painter->setPen(
          QPen(plot->colourOf(nearBound(i) ? Role::limit : Role::measured), 3.0, Qt::SolidLine, Qt::RoundCap));
      painter->drawLine(base[i], top[i]);
    }
    drawBody(*painter, top, Role::physical);
    painter->setPen(QPen(plot->colourOf(Role::panel), 1.0));
    painter->setBrush(plot->colourOf(Role::interface));
    painter->drawEllipse(on(point), 5.0, 5.0);
    for (std::size_t i = 0; i < joints.size(); ++i) writeLength(*painter, i, 0.6 * base[i] + 0.4 * top[i]);
  }

 private:
  void drawBody(QPainter& painter, const std::vector<QPointF>& joints_px, Role role) const {
    const QColor hue = plot->colourOf(role);
    QColor fill = hue;
    fill.setAlphaF(0.2F);
    painter.setPen(QPen(hue, 2.0, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(fill);
    painter.drawPolygon(outlineOf(joints_px));
    painter.setBrush(hue);
    for (const QPointF& joint : joints_px) painter.drawEllipse(joint, 3.0, 3.0);
  }

  void writeLength(QPainter& painter, std::size_t i, const QPointF& at) const {
    const QString text =
        QStringLiteral("%1  %2").arg(QString::fromStdString(plot->geometry_->legs[i].name),
                                     quantityText(lengths_m[static_cast<Eigen::Index>(i)], displayUnit("m")));
    const QFontMetricsF metrics(painter.font());
    QRectF box = metrics.boundingRect(text);
    box.moveCenter(at);
    QColor ground = plot->colourOf(Role::panel);
    ground.setAlphaF(0.8F);
    painter.fillRect(box.adjusted(-2.0, 0.0, 2.0, 0.0), ground);
    painter.setPen(plot->colourOf(nearBound(i) ? Role::limit : Role::text));
    painter.drawText(box, Qt::AlignCenter, text);
  }

  bool nearBound(std::size_t i) const {
    const PlatformLeg& leg = plot->geometry_->legs[i];
    const double length = lengths_m[static_cast<Eigen::Index>(i)];
    if (!std::isfinite(leg.longest_m)) return length < leg.shortest_m;
    const double near = kNearBound * (leg.longest_m - leg.shortest_m);
    return length < leg.shortest_m + near || length > leg.longest_m - near;
  }
};

PlatformFigure::PlatformFigure(const QString& name, TimeView* view, QWidget* parent)
    : PlotView(name, parent), view_(view), drawing_(new Drawing(this)) {
  drawing_->attach(this);
  setEmptyText(tr("The platform of the rig in motion."));
}

PlatformFigure::~PlatformFigure() = default;

bool PlatformFigure::setProject(const Project& project) {
  geometry_ = project.rig.geometry;
  refresh();
  return geometry_.has_value();
}

void PlatformFigure::setRun(std::shared_ptr<const RunHistory> run) {
  run_ = std::move(run);
  refresh();
}

const LegValues& PlatformFigure::lengths_m() const { return drawing_->lengths_m; }

std::optional<std::size_t> PlatformFigure::columnOf(const std::string& name) const {
  return run_ ? run_->layout().find(name) : std::nullopt;
}

std::optional<std::uint64_t> PlatformFigure::row() const {
  if (!run_ || !columnOf("leg_1")) return {};
  const RowHistory& rows = run_->rows();
  const std::uint64_t end = view_->endRow(rows);
  return end > rows.begin() ? std::optional(end - 1) : std::nullopt;
}

Pose PlatformFigure::poseAt(std::uint64_t row) const {
  Pose pose = Pose::Zero();
  for (std::size_t i = 0; i < geometry_->axes.size() && i < run_->layout().interfaces(); ++i)
    pose[static_cast<Eigen::Index>(geometry_->axes[i])] = run_->rows().at(run_->layout().measured(i), row);
  for (const PoseComponent move : geometry_->moves)
    if (const auto column = columnOf("pose_" + std::string(hyb::name(move))))
      pose[static_cast<Eigen::Index>(move)] = run_->rows().at(*column, row);
  return pose.allFinite() ? pose : Pose::Zero();
}

void PlatformFigure::updateData() {
  drawing_->joints.clear();
  if (!geometry_) return;
  const auto shown = row();
  const Pose pose = shown ? poseAt(*shown) : Pose::Zero();
  legLengths(*geometry_, pose, drawing_->lengths_m);
  drawing_->point = geometry_->point_m + pose.head<3>();
  for (const PlatformLeg& leg : geometry_->legs) drawing_->joints.push_back(placeOf(*geometry_, pose, leg.platform_m));
  QRectF all(seen(geometry_->point_m), QSizeF(0.0, 0.0));
  const auto include = [&](const QPointF& place) {
    all.setCoords(std::min(all.left(), place.x()), std::min(all.top(), place.y()), std::max(all.right(), place.x()),
                  std::max(all.bottom(), place.y()));
  };
  for (const PlatformLeg& leg : geometry_->legs)  // as drawn, so that the picture stands still
    for (const Eigen::Vector3d& joint : {leg.base_m, leg.platform_m}) include(seen(joint));
  const double aspect = static_cast<double>(std::max(1, canvas()->width())) / std::max(1, canvas()->height()),
               margin = 1.0 + 2.0 * kMargin, high = margin * std::max({all.height(), all.width() / aspect, 0.05}),
               wide = aspect * high;
  const QwtInterval up = manualRange(QwtAxis::YLeft)
                             .value_or(QwtInterval(all.center().y() - 0.5 * high, all.center().y() + 0.5 * high)),
                    across = manualRange(QwtAxis::XBottom)
                                 .value_or(QwtInterval(all.center().x() - 0.5 * wide, all.center().x() + 0.5 * wide));
  setScale(QwtAxis::XBottom, across.minValue(), across.maxValue(), 1.0);
  setScale(QwtAxis::YLeft, up.minValue(), up.maxValue(), 1.0);
}

void PlatformFigure::applyColours() {
  styleAxis(QwtAxis::XBottom, tr("oblique view from the front (m)"), 0);
  styleAxis(QwtAxis::YLeft, tr("up (m)"), 34);
}

QString PlatformFigure::reading() const {
  if (!geometry_) return {};
  const auto shown = row();
  if (!shown) return tr("at rest, as drawn");
  const Pose pose = poseAt(*shown);
  QStringList parts;
  for (const PoseComponent move : geometry_->moves)
    parts << QStringLiteral("%1 %2").arg(
        QString::fromLatin1(hyb::name(move).data()),
        quantityText(pose[static_cast<Eigen::Index>(move)], displayUnit(turns(move) ? "rad" : "m"), true));
  QString text = parts.join(QStringLiteral(" · "));
  if (const auto column = columnOf("pose_condition"))
    text += tr(" · condition %1").arg(figureText(run_->rows().at(*column, *shown)));
  return text;
}

ValueTable PlatformFigure::valueTable() const {
  ValueTable table;
  if (!geometry_ || !row()) return table;
  std::vector<std::size_t> columns{RowLayout::kTime};
  table.headers << tr("time (s)");
  for (const char* stem : {"leg_", "leg_command_", "leg_force_"})
    for (std::size_t i = 1; i <= geometry_->legs.size(); ++i)
      if (const auto column = columnOf(stem + std::to_string(i))) {
        columns.push_back(*column);
        table.headers << QStringLiteral("%1 (%2)").arg(QString::fromStdString(run_->layout().column(*column).name),
                                                       QString::fromStdString(run_->layout().column(*column).units));
      }
  const RowHistory& rows = run_->rows();
  const std::uint64_t stride = 1 + (rows.end() - rows.begin()) / kMostTableRows;
  if (stride > 1) table.remark = tr("Every %1th row.").arg(stride);
  for (std::uint64_t row = rows.begin(); row < rows.end(); row += stride) {
    std::vector<double> values;
    for (const std::size_t column : columns) values.push_back(rows.at(column, row));
    table.rows.push_back(std::move(values));
  }
  return table;
}

}  // namespace hyb::ui
