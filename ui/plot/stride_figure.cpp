#include "ui/plot/stride_figure.h"

#include <qwt_plot_item.h>
#include <qwt_scale_map.h>

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "core/coupling/walker_coupling.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr double kPath_s = 2.0;                     // length of the drawn paths
constexpr std::size_t kPathPoints = 300;            // per path
constexpr double kForce_m = 0.7;                    // arrow length of one body weight, in legs
constexpr double kBelow_m = 0.12, kAbove_m = 1.72;  // limits of the picture, in legs
constexpr double kSwings = 0.4;                     // colour share of a swinging leg
constexpr double kDocumentAspect = 1.78;            // canvas of an exported picture

double at(const WalkerRow& row, WalkerColumn column) { return row[static_cast<std::size_t>(column)]; }
QPointF pointOf(const WalkerRow& row, WalkerColumn x) { return {at(row, x), row[static_cast<std::size_t>(x) + 1]}; }

}  // namespace

std::optional<WalkerColumns> walkerColumns(const RowLayout& layout) {
  static const std::vector<Channel> kNamed = walkerChannels();
  WalkerColumns columns{};
  for (std::size_t c = 0; c < kWalkerColumns; ++c) {
    const std::optional<std::size_t> found = layout.find(kNamed[c].name);
    if (!found) return {};
    columns.at[c] = *found;
  }
  return columns;
}

/// The drawing, in metres.
class StrideFigure::Drawing : public QwtPlotItem {
 public:
  enum Part : std::size_t { reference_part, force_part, path_part, parts };
  struct Path {
    QPolygonF points;
    Role role;
    bool reference;
  };

  std::optional<WalkerRow> now, reference;
  WalkerParams params;
  double ankle_m = 0.0;  // from the right foot along the leg to the cut
  std::vector<Path> paths;
  std::array<bool, parts> shown{true, true, true};
  const StrideFigure* plot;

  explicit Drawing(const StrideFigure* figure) : plot(figure) { setZ(10); }

  void draw(QPainter* painter, const QwtScaleMap& x, const QwtScaleMap& y, const QRectF& canvas) const override {
    Pen pen{painter, x, y, std::abs(y.transform(0.0) - y.transform(1.0))};
    painter->setRenderHint(QPainter::Antialiasing);
    drawGround(pen, canvas);
    if (!now) return;
    if (shown[path_part])
      for (const Path& path : paths)
        if (!path.reference || shown[reference_part])
          pen.line(path.points, colour(path.role), 1.2, path.reference ? Qt::DotLine : Qt::SolidLine);
    if (reference && shown[reference_part]) drawGhost(pen);
    drawLeg(pen, WalkerColumn::left_foot_x, WalkerColumn::left_ground_y, 0.0);
    drawTrunk(pen);
    drawLeg(pen, WalkerColumn::right_foot_x, WalkerColumn::right_ground_y, ankle_m);
    if (shown[force_part]) {
      drawForce(pen, WalkerColumn::left_foot_x, WalkerColumn::left_ground_x, WalkerColumn::left_pressure);
      drawForce(pen, WalkerColumn::right_foot_x, WalkerColumn::right_ground_x, WalkerColumn::right_pressure);
    }
    drawPivot(pen);
  }

 private:
  struct Pen {
    QPainter* painter;
    const QwtScaleMap &x, &y;
    double px_per_m;
    QPointF on(const QPointF& place) const { return {x.transform(place.x()), y.transform(place.y())}; }
    void line(const QPolygonF& points, const QColor& hue, double width, Qt::PenStyle style = Qt::SolidLine) const {
      painter->setPen(QPen(hue, width, style, Qt::RoundCap, Qt::RoundJoin));
      painter->setBrush(Qt::NoBrush);
      QPolygonF mapped;
      for (const QPointF& point : points) mapped << on(point);
      painter->drawPolyline(mapped);
    }
  };

  QColor colour(Role role) const { return plot->colourOf(role); }
  static QPointF up(const WalkerRow& row) {
    const double lean = at(row, WalkerColumn::trunk_angle);
    return {std::sin(lean), std::cos(lean)};
  }
  QPointF pivot(const WalkerRow& row) const { return pointOf(row, WalkerColumn::body_x) + params.pivot_m * up(row); }

  void drawGround(const Pen& pen, const QRectF& canvas) const {
    constexpr double kHatch_m = 0.05;
    const double level = pen.y.transform(0.0);
    pen.painter->setPen(QPen(colour(Role::mutedText), 1.5));
    pen.painter->drawLine(QPointF(canvas.left(), level), QPointF(canvas.right(), level));
    pen.painter->setPen(QPen(colour(Role::border), 1.0));
    const double step = kHatch_m * pen.px_per_m, from = pen.x.transform(0.0);
    if (!(step > 2.0)) return;
    for (double place = from + step * std::floor((canvas.left() - from) / step); place < canvas.right(); place += step)
      pen.painter->drawLine(QPointF(place, level + 1.0), QPointF(place - 0.6 * step, level + 0.6 * step));
  }

  void drawGhost(const Pen& pen) const {
    const WalkerRow& ghost = *reference;
    const QPointF hip = pointOf(ghost, WalkerColumn::hip_x);
    const QColor hue = colour(Role::excitation);
    for (const WalkerColumn foot : {WalkerColumn::left_foot_x, WalkerColumn::right_foot_x})
      pen.line({hip, pointOf(ghost, foot)}, hue, 1.4, Qt::DashLine);
    pen.line({hip, hip + 0.62 * params.leg_length_m * up(ghost)}, hue, 1.4, Qt::DashLine);
  }

  void drawTrunk(const Pen& pen) const {
    const double leg = params.leg_length_m;
    const QPointF hip = pointOf(*now, WalkerColumn::hip_x), top = hip + 0.46 * leg * up(*now),
                  head = hip + 0.62 * leg * up(*now);
    const QColor body = colour(Role::numerical);
    pen.line({hip, top}, body, 0.1 * leg * pen.px_per_m);
    pen.painter->setPen(Qt::NoPen);
    pen.painter->setBrush(body);
    pen.painter->drawEllipse(pen.on(head), 0.085 * leg * pen.px_per_m, 0.085 * leg * pen.px_per_m);
  }

  /// A swinging leg is pale: it is unloaded, and its foot position hardly matters to the model. `cut_m`: above the
  /// foot, on the leg, end of the rig; 0: none.
  void drawLeg(const Pen& pen, WalkerColumn foot_column, WalkerColumn force, double cut_m) const {
    const QPointF hip = pointOf(*now, WalkerColumn::hip_x), foot = pointOf(*now, foot_column);
    const double length = std::hypot(hip.x() - foot.x(), hip.y() - foot.y());
    if (!(length > 0.0)) return;
    const QPointF along = (hip - foot) / length;
    const bool stands = at(*now, force) > 0.0;
    const double heel_m = std::max(0.05, params.heel_m), forefoot_m = std::max(0.14, params.forefoot_m);
    // The foot is perpendicular to its leg, as far as the ground permits.
    const double height_m = std::max(0.0, foot.y());
    const double turn = std::clamp(-along.x(), -height_m / forefoot_m, height_m / heel_m);
    const QPointF toe(std::sqrt(1.0 - turn * turn), turn);
    const double width = 0.034 * params.leg_length_m * pen.px_per_m;
    const QColor computed = between(colour(Role::panel), colour(Role::numerical), stands ? 1.0 : kSwings),
                 below = cut_m > 0.0 ? colour(Role::physical) : computed;
    const QPointF cut = foot + cut_m * along;
    pen.line({cut, hip}, computed, width);
    if (cut_m > 0.0) pen.line({foot, cut}, below, width);
    pen.line({foot - heel_m * toe, foot + forefoot_m * toe}, below, 0.8 * width);
    if (cut_m > 0.0) {
      pen.painter->setPen(QPen(colour(Role::panel), 1.0));
      pen.painter->setBrush(colour(Role::interface));
      pen.painter->drawEllipse(pen.on(cut), 0.75 * width, 0.75 * width);
    }
  }

  /// Starts at the centre of pressure; its line of action continues to the pivot.
  void drawForce(const Pen& pen, WalkerColumn foot, WalkerColumn force, WalkerColumn pressure) const {
    const QPointF ground = pointOf(*now, force);
    const double size_n = std::hypot(ground.x(), ground.y());
    if (!(size_n > 1e-6)) return;
    const QPointF from(at(*now, foot) + at(*now, pressure), 0.0), way = ground / size_n;
    const double length = kForce_m * params.leg_length_m * size_n / (params.mass_kg * kGravity_m_per_s2);
    const QPointF tip = from + length * way, across(-way.y(), way.x());
    const double head = std::min(0.05 * params.leg_length_m, 0.4 * length);
    const QColor hue = colour(Role::force);
    pen.line({from, pivot(*now)}, hue, 1.0, Qt::DotLine);
    pen.line({from, tip}, hue, 2.2);
    pen.line({tip - head * way + 0.5 * head * across, tip, tip - head * way - 0.5 * head * across}, hue, 2.2);
  }

  void drawPivot(const Pen& pen) const {
    pen.painter->setPen(QPen(colour(Role::force), 1.6));
    pen.painter->setBrush(colour(Role::panel));
    pen.painter->drawEllipse(pen.on(pivot(*now)), 4.0, 4.0);
  }
};

StrideFigure::StrideFigure(const QString& name, QWidget* parent) : PlotView(name, parent), drawing_(new Drawing(this)) {
  drawing_->attach(this);
  setEmptyText(tr("The walker of the test in motion."));
}

StrideFigure::~StrideFigure() = default;

void StrideFigure::setRun(std::shared_ptr<const RunHistory> run, std::shared_ptr<const RunHistory> reference,
                          const WalkerParams& params) {
  run_ = std::move(run);
  reference_ = std::move(reference);
  params_ = drawing_->params = params;
  columns_ = run_ ? walkerColumns(run_->layout()) : std::nullopt;
  row_ = 0;
  fit();
}

bool StrideFigure::hasData() const { return run_ && columns_ && !run_->rows().empty(); }

std::optional<WalkerRow> StrideFigure::rowOf(const RunHistory& run, std::uint64_t row) const {
  const RowHistory& rows = run.rows();
  if (row < rows.begin() || row >= rows.end()) return {};
  WalkerRow values;
  for (std::size_t c = 0; c < kWalkerColumns; ++c) values[c] = rows.at(columns_->at[c], row);
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) return {};
  return values;
}

void StrideFigure::updateData() {
  drawing_->now.reset();
  drawing_->reference.reset();
  drawing_->paths.clear();
  if (hasData()) {
    const RowHistory& rows = run_->rows();
    row_ = std::clamp(row_, rows.begin(), rows.end() - 1);
    drawing_->now = rowOf(*run_, row_);
    if (reference_) drawing_->reference = rowOf(*reference_, row_);
    if (params_.stump) {
      double pressed_m = 0.0;  // position of the pressure along the leg, of the foot
      for (std::size_t i = 0; i < run_->layout().interfaces(); ++i)
        if (run_->layout().units(run_->layout().measured(i)) == "m")
          pressed_m = std::min(0.0, rows.at(run_->layout().measured(i), row_));
      drawing_->ankle_m = params_.leg_length_m - params_.stump->length_m + pressed_m;
    }
    const auto back = static_cast<std::uint64_t>(kPath_s * run_->rateHz());
    const std::uint64_t first = std::max(rows.begin(), row_ > back ? row_ - back : 0);
    const std::uint64_t stride = 1 + (row_ - first) / kPathPoints;
    const auto add = [&](const RunHistory& run, bool reference) {
      for (const auto& [x, role] :
           {std::pair{WalkerColumn::hip_x, Role::gap}, std::pair{WalkerColumn::left_foot_x, Role::target},
            std::pair{WalkerColumn::right_foot_x, Role::measured}}) {
        Drawing::Path path{{}, reference ? Role::excitation : role, reference};
        for (std::uint64_t row = first; row <= row_; row += stride)
          if (const auto values = rowOf(run, row)) path.points << pointOf(*values, x);
        drawing_->paths.push_back(std::move(path));
      }
    };
    if (reference_) add(*reference_, true);
    add(*run_, false);
  }
  const double leg = params_.leg_length_m, wanted = (kBelow_m + kAbove_m) * leg,
               aspect = exporting() ? kDocumentAspect
                                    : static_cast<double>(canvas()->width()) / std::max(1, canvas()->height());
  const QwtInterval up = manualRange(QwtAxis::YLeft).value_or(QwtInterval(-kBelow_m * leg, wanted - kBelow_m * leg));
  const double half = 0.5 * aspect * up.width();  // to scale at any zoom
  double middle = drawing_->now ? at(*drawing_->now, WalkerColumn::body_x) : 0.0;
  if (const auto& across = manualRange(QwtAxis::XBottom)) middle = 0.5 * (across->minValue() + across->maxValue());
  setScale(QwtAxis::XBottom, middle - half, middle + half, 1.0, {}, std::clamp(canvas()->width() / 80, 2, 10));
  setScale(QwtAxis::YLeft, up.minValue(), up.maxValue(), 1.0, {}, std::clamp(canvas()->height() / 40, 2, 8));
}

void StrideFigure::applyColours() {
  styleAxis(QwtAxis::XBottom, tr("forward (m)"), 0);
  styleAxis(QwtAxis::YLeft, tr("height (m)"), 34);
}

QString StrideFigure::reading() const {
  if (!hasData()) return {};
  const auto now = rowOf(*run_, row_);
  if (!now) return tr("No walker in this row");
  const double weight_n = params_.mass_kg * kGravity_m_per_s2;
  const auto share = [&](WalkerColumn ground) { return figureText(100.0 * at(*now, ground) / weight_n); };
  QString text = tr("step %1 · %2 · trunk %3° · weight on left %4 %, right %5 %")
                     .arg(figureText(at(*now, WalkerColumn::steps) + 1.0),
                          quantityText(at(*now, WalkerColumn::body_speed), displayUnit("m/s")),
                          numberText(at(*now, WalkerColumn::trunk_angle) * 180.0 / kPi, 3, true),
                          share(WalkerColumn::left_ground_y), share(WalkerColumn::right_ground_y));
  if (const auto other = reference_ ? rowOf(*reference_, row_) : std::nullopt) {
    const QPointF apart = pointOf(*now, WalkerColumn::hip_x) - pointOf(*other, WalkerColumn::hip_x);
    text += tr(" · hip %1 off the reference").arg(quantityText(std::hypot(apart.x(), apart.y()), displayUnit("m")));
  }
  return text;
}

std::vector<LegendEntry> StrideFigure::legendEntries() const {
  const auto& shown = drawing_->shown;
  return {{tr("reference"), Role::excitation, Qt::DashLine, shown[Drawing::reference_part]},
          {tr("forces"), Role::force, Qt::SolidLine, shown[Drawing::force_part]},
          {tr("paths"), Role::measured, Qt::SolidLine, shown[Drawing::path_part]}};
}

void StrideFigure::setEntryVisible(std::size_t entry, bool visible) {
  drawing_->shown.at(entry) = visible;
  refresh();
}

ValueTable StrideFigure::valueTable() const {
  ValueTable table;
  if (!hasData()) return table;
  constexpr std::uint64_t kMostRows = 20000;
  const RowHistory& rows = run_->rows();
  const std::uint64_t stride = 1 + (rows.end() - rows.begin()) / kMostRows;
  if (stride > 1) table.remark = tr("Every %1th row.").arg(stride);
  table.headers << tr("time (s)");
  for (std::size_t c = 0; c < kWalkerColumns; ++c) {
    const Channel& channel = run_->layout().column(columns_->at[c]);
    const QString title = QString::fromStdString(channel.title), unit = QString::fromStdString(channel.units);
    table.headers << (unit.isEmpty() ? title : QStringLiteral("%1 (%2)").arg(title, unit));
  }
  for (std::uint64_t row = rows.begin(); row < rows.end(); row += stride) {
    std::vector<double> values{rows.at(RowLayout::kTime, row)};
    for (std::size_t c = 0; c < kWalkerColumns; ++c) values.push_back(rows.at(columns_->at[c], row));
    table.rows.push_back(std::move(values));
  }
  return table;
}

void StrideFigure::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {  // keys that move the time are handled by the page
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Home:
    case Qt::Key_End:
    case Qt::Key_Space:
      event->ignore();
      return;
    default:
      PlotView::keyPressEvent(event);
  }
}

}  // namespace hyb::ui
