#include "ui/plot/spring_plot.h"

#include <qwt_plot_curve.h>
#include <qwt_plot_marker.h>
#include <qwt_plot_zoneitem.h>
#include <qwt_scale_draw.h>
#include <qwt_scale_engine.h>
#include <qwt_symbol.h>
#include <qwt_text.h>

#include <algorithm>
#include <cmath>

#include "core/base/figure_text.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr double kPerMillimetre = 1e-3;
constexpr double kFarLimit = 30.0;  // limits beyond this multiple of the required value are not drawn

QString hertz(double value, const SpringTrade& trade) {
  return (std::isfinite(value) ? figureText(value) : QLatin1Char('>') + figureText(trade.looked_to_hz)) +
         QStringLiteral("\u2009Hz");
}

QString stroke(double metres) { return QString::fromStdString(hyb::quantityText(metres, "m")); }
QString velocity(double m_per_s) { return figureText(1e3 * m_per_s) + QStringLiteral("\u2009mm/s"); }

/// Smallest and largest positive finite value.
struct Span {
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  void take(double value) {
    if (!(value > 0.0) || !std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  QwtInterval widened() const { return most > 0.0 ? QwtInterval(0.7 * least, 1.6 * most) : QwtInterval(0.1, 10.0); }
};

}  // namespace

QString stiffnessText(double n_per_m) { return figureText(kPerMillimetre * n_per_m) + QStringLiteral("\u2009N/mm"); }

struct SpringPlot::Items {
  QwtPlotZoneItem softer, stiffer, suitable;
  QwtPlotCurve stroke, force, plain;
  QwtPlotMarker stroke_limit, velocity_limit, present, chosen;
};

SpringPlot::SpringPlot(const QString& name, QWidget* parent)
    : PlotView(name, parent), items_(std::make_unique<Items>()) {
  double z = 0.2;  // zones lie under the grid
  for (QwtPlotItem* item : std::initializer_list<QwtPlotItem*>{&items_->suitable, &items_->softer, &items_->stiffer}) {
    item->setZ(z += 0.1);
    item->attach(this);
  }
  z = 2.0;
  for (QwtPlotItem* item :
       std::initializer_list<QwtPlotItem*>{&items_->stroke_limit, &items_->velocity_limit, &items_->present,
                                           &items_->plain, &items_->force, &items_->stroke, &items_->chosen}) {
    item->setItemAttribute(QwtPlotItem::AutoScale, false);
    item->setZ(++z);
    item->attach(this);
  }
  for (QwtPlotZoneItem* zone : {&items_->softer, &items_->stiffer, &items_->suitable})
    zone->setOrientation(Qt::Vertical);
  for (QwtPlotCurve* curve : {&items_->force, &items_->plain}) curve->setYAxis(QwtAxis::YRight);
  items_->stroke_limit.setLineStyle(QwtPlotMarker::HLine);
  items_->stroke_limit.setLabelAlignment(Qt::AlignRight | Qt::AlignBottom);
  items_->velocity_limit.setLineStyle(QwtPlotMarker::VLine);
  items_->present.setLineStyle(QwtPlotMarker::VLine);
  for (QwtPlotMarker* mark : {&items_->velocity_limit, &items_->present}) {
    mark->setLabelAlignment(Qt::AlignRight | Qt::AlignTop);
    mark->setLabelOrientation(Qt::Vertical);
  }
  items_->chosen.setLineStyle(QwtPlotMarker::VLine);
  for (const QwtAxisId axis : {QwtAxis::XBottom, QwtAxis::YLeft, QwtAxis::YRight}) {
    setAxisScaleEngine(axis, new QwtLogScaleEngine);
    setAxisMaxMinor(axis, 10);
    axisScaleDraw(axis)->setTickLength(QwtScaleDiv::MinorTick, 2);
    axisScaleDraw(axis)->setTickLength(QwtScaleDiv::MediumTick, 2);
  }
  setAxisVisible(QwtAxis::YRight, true);
}

SpringPlot::~SpringPlot() = default;  // items detach themselves

void SpringPlot::setTrade(std::shared_ptr<const SpringTrade> trade) {
  const bool had_plain = legendEntries().size() > 2;
  trade_ = std::move(trade);
  if (had_plain != (legendEntries().size() > 2)) Q_EMIT legendChanged();
  refresh();
}

void SpringPlot::setChosen(double stiffness_n_per_m, bool movable) {
  chosen_ = stiffness_n_per_m;
  movable_ = movable;
  refresh();
}

/// The softest spring within the velocity limit of the piston; none within the plot.
std::optional<double> SpringPlot::velocityLimitAt() const {
  const double most = trade_->limits.velocity_m_per_s;
  double low = trade_->points.front().stiffness_n_per_m, high = trade_->points.back().stiffness_n_per_m;
  const auto tooFast = [&](double k) { return trade_->path.behind(k).velocity_m_per_s > most; };
  if (!tooFast(low) || tooFast(high)) return {};
  while (high > 1.0001 * low) {
    const double middle = std::sqrt(low * high);
    (tooFast(middle) ? low : high) = middle;
  }
  return high;
}

void SpringPlot::scaleAxes() {
  Span motions, frequencies, springs;
  if (hasData())
    for (const SpringPoint& point : trade_->points) {
      springs.take(point.stiffness_n_per_m);
      if (stroke_visible_) motions.take(point.stroke_m);
      if (force_visible_) frequencies.take(point.bandwidth_hz);
      if (plain_visible_) frequencies.take(point.plain_bandwidth_hz);
    }
  if (hasData() && trade_->limits.stroke_m < kFarLimit * motions.most) motions.take(trade_->limits.stroke_m);
  const auto scale = [this](QwtAxisId axis, const QwtInterval& whole, double factor) {
    const QwtInterval range = manualRange(axis).value_or(whole);
    const double from = std::max(1e-9, range.minValue());
    setLogScale(axis, from, std::max(1.001 * from, range.maxValue()), factor);
  };
  scale(QwtAxis::XBottom, hasData() ? QwtInterval(0.94 * springs.least, 1.06 * springs.most) : QwtInterval(1e5, 1e7),
        kPerMillimetre);
  scale(QwtAxis::YLeft, motions.widened(), 1e3);
  scale(QwtAxis::YRight, frequencies.widened(), 1.0);
}

void SpringPlot::placeMarks() {
  const auto label = [this](QwtPlotMarker& mark, const QString& words, Role role) {
    QwtText text(words);
    text.setFont(figureFont(0.85));
    text.setColor(colourOf(role));
    mark.setLabel(text);
  };
  const QwtInterval x = axisInterval(QwtAxis::XBottom);
  const std::optional<SpringRange>&possible = trade_->possible, &suitable = trade_->suitable;
  items_->softer.setInterval(x.minValue(), possible ? possible->from_n_per_m : x.maxValue());
  items_->softer.setVisible(!possible || possible->from_n_per_m > trade_->points.front().stiffness_n_per_m);
  if (possible) items_->stiffer.setInterval(possible->to_n_per_m, x.maxValue());
  items_->stiffer.setVisible(possible && possible->to_n_per_m < trade_->points.back().stiffness_n_per_m);
  if (suitable) items_->suitable.setInterval(suitable->from_n_per_m, suitable->to_n_per_m);
  items_->suitable.setVisible(suitable.has_value());

  const double stroke_m = trade_->limits.stroke_m;
  items_->stroke_limit.setVisible(stroke_visible_ && axisInterval(QwtAxis::YLeft).contains(stroke_m));
  items_->stroke_limit.setYValue(stroke_m);
  label(items_->stroke_limit, tr("stroke %1").arg(stroke(stroke_m)), Role::limit);
  const std::optional<double> fastest = velocityLimitAt();
  items_->velocity_limit.setVisible(fastest.has_value());
  if (fastest) items_->velocity_limit.setXValue(*fastest);
  label(items_->velocity_limit, tr("velocity %1").arg(velocity(trade_->limits.velocity_m_per_s)), Role::limit);
  items_->present.setXValue(trade_->present_n_per_m);
  items_->present.setVisible(true);
  label(items_->present, tr("present"), Role::mutedText);
  items_->chosen.setValue(chosen_, trade_->path.behind(std::max(chosen_, 1e-9)).stroke_m);
  items_->chosen.setVisible(chosen_ > 0.0);
}

void SpringPlot::updateData() {
  scaleAxes();
  QVector<QPointF> strokes, forces, plain;
  if (hasData())
    for (const SpringPoint& point : trade_->points) {
      const double at = point.stiffness_n_per_m;
      strokes << QPointF(at, point.stroke_m);
      if (std::isfinite(point.bandwidth_hz)) forces << QPointF(at, point.bandwidth_hz);
      if (std::isfinite(point.plain_bandwidth_hz)) plain << QPointF(at, point.plain_bandwidth_hz);
    }
  items_->stroke.setSamples(strokes);
  items_->force.setSamples(forces);
  items_->plain.setSamples(plain);
  items_->stroke.setVisible(stroke_visible_);
  items_->force.setVisible(force_visible_);
  items_->plain.setVisible(plain_visible_ && hasData() && trade_->compensated);
  if (hasData()) return placeMarks();
  for (QwtPlotItem* item :
       std::initializer_list<QwtPlotItem*>{&items_->softer, &items_->stiffer, &items_->suitable, &items_->stroke_limit,
                                           &items_->velocity_limit, &items_->present, &items_->chosen})
    item->setVisible(false);
}

void SpringPlot::applyColours() {
  const QColor panel = exporting() ? QColor(Qt::white) : colourOf(Role::panel);
  const auto tint = [&](Role role, double share) {
    const QColor hue = colourOf(role);
    const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(share * a + (1 - share) * b)); };
    return QColor(mix(hue.red(), panel.red()), mix(hue.green(), panel.green()), mix(hue.blue(), panel.blue()));
  };
  for (QwtPlotZoneItem* zone : {&items_->softer, &items_->stiffer}) zone->setBrush(tint(Role::limit, 0.14));
  items_->suitable.setBrush(tint(Role::ok, 0.10));
  for (QwtPlotZoneItem* zone : {&items_->softer, &items_->stiffer, &items_->suitable}) zone->setPen(QPen(Qt::NoPen));
  items_->stroke.setPen(QPen(colourOf(Role::target), 2.0));
  items_->force.setPen(QPen(colourOf(Role::force), 2.0));
  items_->plain.setPen(QPen(colourOf(Role::force), 1.4, Qt::DashLine));
  for (QwtPlotMarker* mark : {&items_->stroke_limit, &items_->velocity_limit})
    mark->setLinePen(QPen(colourOf(Role::limit), 1.4));
  items_->present.setLinePen(QPen(colourOf(Role::mutedText), 1.4, Qt::DashLine));
  items_->chosen.setLinePen(QPen(colourOf(Role::text), 1.6));
  items_->chosen.setSymbol(new QwtSymbol(QwtSymbol::Diamond, colourOf(Role::text), QPen(panel, 1.5), QSize(13, 13)));
  styleAxis(QwtAxis::XBottom, tr("stiffness of the spring (N/mm)"), 0);
  styleAxis(QwtAxis::YLeft, tr("stroke (mm)"), 34);
  styleAxis(QwtAxis::YRight, tr("force bandwidth (Hz)"), 34);
}

QString SpringPlot::reading() const {
  if (!hasData() || !(chosen_ > 0.0)) return {};
  const SpringPoint here = trade_->at(chosen_);
  return QStringList{stiffnessText(chosen_), stroke(here.stroke_m), hertz(here.bandwidth_hz, *trade_)}.join(
      QStringLiteral(" · "));
}

QString SpringPlot::spoken() const { return QString::fromStdString(trade_->sentence) + QLatin1Char(' ') + reading(); }

std::vector<LegendEntry> SpringPlot::legendEntries() const {
  std::vector<LegendEntry> entries{{tr("stroke"), Role::target, Qt::SolidLine, stroke_visible_},
                                   {tr("force"), Role::force, Qt::SolidLine, force_visible_}};
  if (hasData() && trade_->compensated)
    entries.push_back({tr("uncompensated"), Role::force, Qt::DashLine, plain_visible_});
  return entries;
}

void SpringPlot::setEntryVisible(std::size_t entry, bool visible) {
  (entry == 0 ? stroke_visible_ : entry == 1 ? force_visible_ : plain_visible_) = visible;
  refresh();
}

ValueTable SpringPlot::valueTable() const {
  ValueTable table;
  table.headers << tr("stiffness (N/mm)") << tr("stroke (mm)") << tr("velocity (mm/s)") << tr("force bandwidth (Hz)")
                << tr("uncompensated (Hz)") << tr("motion over noise (dB)") << tr("stable");
  if (!hasData()) return table;
  for (const SpringPoint& point : trade_->points)
    table.rows.push_back({kPerMillimetre * point.stiffness_n_per_m, 1e3 * point.stroke_m, 1e3 * point.velocity_m_per_s,
                          point.bandwidth_hz, point.plain_bandwidth_hz, point.signal_to_noise_db,
                          point.stable ? 1.0 : 0.0});
  table.remark = tr("Force %1\u2009N for every spring.").arg(figureText(trade_->force_n));
  return table;
}

int SpringPlot::cursorAt(int x_px, int reach_px) const {
  return movable_ && hasData() && std::abs(transform(QwtAxis::XBottom, chosen_) - x_px) <= reach_px + 2 ? 0 : -1;
}

void SpringPlot::moveCursor(int, double stiffness_n_per_m) {
  if (!hasData()) return;
  const auto away = [&](const SpringPoint& point) {
    return std::abs(std::log(point.stiffness_n_per_m / std::max(stiffness_n_per_m, 1e-9)));
  };
  const double nearest =
      std::min_element(trade_->points.begin(), trade_->points.end(), [&](const SpringPoint& a, const SpringPoint& b) {
        return away(a) < away(b);
      })->stiffness_n_per_m;
  if (nearest != chosen_) Q_EMIT chosen(nearest);
}

void SpringPlot::stepCursor(double way) {
  if (!movable_ || !hasData()) return;
  std::optional<double> next;  // the nearest on that side
  for (const SpringPoint& point : trade_->points) {
    const double k = point.stiffness_n_per_m;
    if ((k - chosen_) * way > 1e-9 * chosen_ && (!next || std::abs(k - chosen_) < std::abs(*next - chosen_))) next = k;
  }
  if (next) Q_EMIT chosen(*next);
}

QString SpringPlot::tipAt(double stiffness_n_per_m) const {
  if (!hasData() || stiffness_n_per_m < trade_->points.front().stiffness_n_per_m ||
      stiffness_n_per_m > trade_->points.back().stiffness_n_per_m)
    return {};
  const SpringPoint here = trade_->at(stiffness_n_per_m);
  QStringList lines{
      tr("%1, %2\u2009% of the specimen's stiffness")
          .arg(stiffnessText(stiffness_n_per_m), figureText(100.0 * stiffness_n_per_m / trade_->specimen_n_per_m)),
      tr("stroke %1, velocity %2, force %3\u2009N")
          .arg(stroke(here.stroke_m), velocity(here.velocity_m_per_s), figureText(trade_->force_n)),
      trade_->compensated ? tr("force within 3 dB up to %1, uncompensated %2")
                                .arg(hertz(here.bandwidth_hz, *trade_), hertz(here.plain_bandwidth_hz, *trade_))
                          : tr("force within 3 dB up to %1").arg(hertz(here.bandwidth_hz, *trade_))};
  if (std::isfinite(here.signal_to_noise_db))
    lines
        << tr("motion of the piston %1\u2009dB above the noise of its sensor").arg(figureText(here.signal_to_noise_db));
  if (!here.stable) lines << tr("the loop is unstable");
  lines << QString() << tr("Softer: the same force needs more stroke and velocity, both proportional to 1 / k.")
        << tr("Stiffer: displacement noise causes more force, proportional to k. Piston and specimen\ninteract, so "
              "that forces near the specimen's resonance are not tracked.");
  return lines.join(QLatin1Char('\n'));
}

QString SpringPlot::saidAt(const QPointF& canvas_px) const {
  return tipAt(invTransform(QwtAxis::XBottom, canvas_px.x()));
}

}  // namespace hyb::ui
