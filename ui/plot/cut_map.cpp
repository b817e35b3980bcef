#include "ui/plot/cut_map.h"

#include <qwt_plot_curve.h>
#include <qwt_plot_intervalcurve.h>
#include <qwt_plot_marker.h>
#include <qwt_scale_engine.h>
#include <qwt_scale_widget.h>
#include <qwt_symbol.h>
#include <qwt_text.h>

#include <algorithm>
#include <cmath>

#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr double kLogarithmicFrom = 12.0;  // largest over smallest delay
constexpr double kAbove_s = 1e3;           // top of the unstable region, above every scale
constexpr int kTipReach_px = 12;

using Runs = std::vector<std::pair<int, int>>;  // first and last point of each contiguous part

QString milliseconds(double seconds) { return numberText(1e3 * seconds, 3) + QStringLiteral("\u2009ms"); }

}  // namespace

/// A curve with gaps at places without a value.
template <typename Item>
class CutMap::InRuns : public Item {
 public:
  Runs runs;

 protected:
  void drawSeries(QPainter* painter, const QwtScaleMap& x, const QwtScaleMap& y, const QRectF& canvas, int,
                  int) const override {
    for (const auto& [first, last] : runs) Item::drawSeries(painter, x, y, canvas, first, last);
  }
};

struct CutMap::Items {
  InRuns<QwtPlotIntervalCurve> unstable;
  InRuns<QwtPlotCurve> critical, numerical, physical;
  QwtPlotCurve faults, stable;
  QwtPlotMarker cut, loop;
};

CutMap::CutMap(const QString& name, QWidget* parent) : PlotView(name, parent), items_(std::make_unique<Items>()) {
  double z = 2;
  for (QwtPlotItem* item :
       std::initializer_list<QwtPlotItem*>{&items_->unstable, &items_->numerical, &items_->physical, &items_->critical,
                                           &items_->faults, &items_->stable, &items_->loop, &items_->cut}) {
    item->setItemAttribute(QwtPlotItem::AutoScale, false);
    item->setZ(z++);
    item->attach(this);
  }
  items_->unstable.setStyle(QwtPlotIntervalCurve::Tube);
  for (QwtPlotCurve* curve :
       {static_cast<QwtPlotCurve*>(&items_->numerical), static_cast<QwtPlotCurve*>(&items_->physical)})
    curve->setYAxis(QwtAxis::YRight);
  for (QwtPlotCurve* curve : {&items_->faults, &items_->stable}) curve->setStyle(QwtPlotCurve::NoCurve);
  items_->cut.setLineStyle(QwtPlotMarker::VLine);
  items_->loop.setLineStyle(QwtPlotMarker::HLine);
  items_->loop.setLabelAlignment(Qt::AlignRight | Qt::AlignTop);
  axisScaleDraw(QwtAxis::YLeft)->setTickLength(QwtScaleDiv::MinorTick, 2);
  axisScaleDraw(QwtAxis::YLeft)->setTickLength(QwtScaleDiv::MediumTick, 2);
}

CutMap::~CutMap() = default;  // items detach themselves

void CutMap::setData(CutMapData data) {
  data_ = std::move(data);
  styleAxis(QwtAxis::XBottom, data_.axis_title, 0);
  Q_EMIT legendChanged();
  refresh();
}

void CutMap::setCut(std::optional<double> position_m, const std::vector<double>& places_m, bool movable) {
  cut_ = position_m;
  places_m_ = places_m;
  movable_ = movable;
  refresh();
}

void CutMap::setLoopDelay(std::optional<double> delay_s) {
  loop_s_ = delay_s;
  refresh();
}

const CutPoint* CutMap::pointAt(double position_m) const {
  for (const CutPoint& point : data_.points)
    if (std::abs(point.position_m - position_m) <= 1e-9 * (1.0 + std::abs(position_m))) return &point;
  return nullptr;
}

QString CutMap::textOf(const CutPoint& point) const {
  if (!point.fault.empty()) return tr("no cut: %1").arg(QString::fromStdString(point.fault));
  if (!point.critical) return tr("stable up to %1").arg(milliseconds(data_.max_delay_s));
  if (point.critical->delay_s <= 0.0) return tr("unstable without delay");
  return tr("critical %1 at %2\u2009Hz")
      .arg(milliseconds(point.critical->delay_s), numberText(point.critical->frequency_hz, 3));
}

void CutMap::scaleDelays() {
  double low = 1e30, high = 0.0;
  const auto take = [&](double delay_s) {
    if (delay_s > 0.0) low = std::min(low, delay_s), high = std::max(high, delay_s);
  };
  for (const CutPoint& point : data_.points)
    if (point.critical) take(point.critical->delay_s);
  if (loop_s_) take(*loop_s_);
  if (high <= 0.0) low = 1e-3, high = std::max(1e-2, data_.max_delay_s);
  const bool logarithmic = high / low > kLogarithmicFrom;
  setLog(QwtAxis::YLeft, logarithmic);
  setAxisMaxMinor(QwtAxis::YLeft, logarithmic ? 10 : 0);
  const auto& manual = manualRange(QwtAxis::YLeft);
  if (logarithmic) {
    const QwtInterval range = manual.value_or(QwtInterval(0.7 * low, 1.6 * high));
    setLogScale(QwtAxis::YLeft, std::max(1e-9, range.minValue()), range.maxValue(), 1e3);
  } else {
    const QwtInterval range = manual.value_or(QwtInterval(0.0, 1.2 * high));
    setScale(QwtAxis::YLeft, range.minValue(), range.maxValue(), 1e3, {}, std::clamp(canvas()->height() / 32, 2, 8));
  }
}

void CutMap::scaleFrequencies() {
  const bool shown = numerical_visible_ || physical_visible_;
  if (isAxisVisible(QwtAxis::YRight) != shown) setAxisVisible(QwtAxis::YRight, shown);
  double high = 1.0;
  for (const CutPoint& point : data_.points) {
    if (numerical_visible_) high = std::max(high, point.numerical_clamped_hz);
    if (physical_visible_) high = std::max(high, point.physical_clamped_hz);
  }
  const QwtInterval range = manualRange(QwtAxis::YRight).value_or(QwtInterval(0.0, 1.1 * high));
  setScale(QwtAxis::YRight, range.minValue(), range.maxValue(), 1.0, {}, std::clamp(canvas()->height() / 32, 2, 8));
}

void CutMap::updateData() {
  scaleDelays();
  scaleFrequencies();
  const double first = places_m_.empty() ? 0.0 : places_m_.front(), last = places_m_.empty() ? 1.0 : places_m_.back();
  const double margin = last > first ? 0.04 * (last - first) : 0.5;
  const QwtInterval x = manualRange(QwtAxis::XBottom).value_or(QwtInterval(first - margin, last + margin));
  setScale(QwtAxis::XBottom, x.minValue(), x.maxValue(), 1.0, {}, std::clamp(canvas()->width() / 60, 2, 8));

  const QwtInterval y = axisInterval(QwtAxis::YLeft);
  const double bottom = y.minValue();
  const double top = isLog(QwtAxis::YLeft) ? y.maxValue() * std::pow(y.minValue() / y.maxValue(), 0.07)
                                           : y.maxValue() - 0.07 * y.width();
  QVector<QPointF> critical, numerical, physical, faults, stable;
  QVector<QwtIntervalSample> unstable;
  Runs sound, with_delay;
  const auto extend = [](Runs& runs, int index, bool joined) {
    if (joined && !runs.empty() && runs.back().second == index - 1)
      runs.back().second = index;
    else
      runs.emplace_back(index, index);
  };
  bool sound_before = false, delay_before = false;
  for (const CutPoint& point : data_.points) {
    const double at = point.position_m;
    const bool is_sound = point.fault.empty(), has_delay = is_sound && point.critical;
    if (!is_sound) faults << QPointF(at, bottom);
    if (is_sound && !point.critical) stable << QPointF(at, top);
    if (has_delay) {
      const double delay = std::max(point.critical->delay_s, isLog(QwtAxis::YLeft) ? 1e-12 : 0.0);
      extend(with_delay, static_cast<int>(critical.size()), delay_before);
      critical << QPointF(at, delay);
      unstable << QwtIntervalSample(at, delay, kAbove_s);
    }
    if (is_sound) {
      extend(sound, static_cast<int>(numerical.size()), sound_before);
      numerical << QPointF(at, point.numerical_clamped_hz);
      physical << QPointF(at, point.physical_clamped_hz);
    }
    sound_before = is_sound;
    delay_before = has_delay;
  }
  items_->critical.runs = items_->unstable.runs = with_delay;
  items_->numerical.runs = items_->physical.runs = sound;
  items_->critical.setSamples(critical);
  items_->unstable.setSamples(unstable);
  items_->numerical.setSamples(numerical);
  items_->physical.setSamples(physical);
  items_->faults.setSamples(faults);
  items_->stable.setSamples(stable);
  items_->numerical.setVisible(numerical_visible_);
  items_->physical.setVisible(physical_visible_);

  items_->loop.setVisible(loop_s_.has_value() && hasData());
  if (loop_s_) {
    items_->loop.setYValue(*loop_s_);
    QwtText label(tr("this loop %1").arg(milliseconds(*loop_s_)));
    label.setFont(figureFont(0.85));
    label.setColor(colourOf(Role::text));
    items_->loop.setLabel(label);
  }
  items_->cut.setVisible(cut_.has_value());
  if (!cut_) return;
  const CutPoint* here = pointAt(*cut_);
  items_->cut.setXValue(*cut_);
  items_->cut.setYValue(here && here->critical && here->critical->delay_s > 0.0 ? here->critical->delay_s
                        : here && here->fault.empty()                           ? top
                                                                                : bottom);
}

void CutMap::applyColours() {
  const QColor limit = colourOf(Role::limit), panel = exporting() ? QColor(Qt::white) : colourOf(Role::panel);
  const auto tint = [&](double share) {
    const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(share * a + (1 - share) * b)); };
    return QColor(mix(limit.red(), panel.red()), mix(limit.green(), panel.green()), mix(limit.blue(), panel.blue()));
  };
  items_->unstable.setPen(QPen(Qt::NoPen));
  items_->unstable.setBrush(tint(0.14));
  QPen line(limit, 2.0);
  items_->critical.setPen(line);
  if (data_.points.size() <= 60)
    items_->critical.setSymbol(new QwtSymbol(QwtSymbol::Ellipse, limit, QPen(panel), QSize(5, 5)));
  else
    items_->critical.setSymbol(nullptr);
  items_->numerical.setPen(penOf(Role::numerical, Qt::DashLine));
  items_->physical.setPen(penOf(Role::physical, Qt::DashDotLine));
  items_->faults.setSymbol(
      new QwtSymbol(QwtSymbol::XCross, Qt::NoBrush, QPen(colourOf(Role::mutedText), 1.4), QSize(7, 7)));
  items_->stable.setSymbol(new QwtSymbol(QwtSymbol::UTriangle, colourOf(Role::ok), QPen(panel), QSize(8, 8)));
  items_->loop.setLinePen(QPen(colourOf(Role::text), 1.4, Qt::DashLine));
  items_->cut.setLinePen(QPen(colourOf(Role::interface), 2.0));
  items_->cut.setSymbol(new QwtSymbol(QwtSymbol::Diamond, colourOf(Role::interface), QPen(panel, 1.5), QSize(13, 13)));
  styleAxis(QwtAxis::XBottom, data_.axis_title, 0);
  styleAxis(QwtAxis::YLeft, tr("critical delay (ms)"), 34);
  styleAxis(QwtAxis::YRight, tr("lowest clamped frequency (Hz)"), 34);
}

QString CutMap::reading() const {
  const CutPoint* here = cut_ ? pointAt(*cut_) : nullptr;
  return here ? textOf(*here) : QString();
}

QString CutMap::spoken() const {
  const auto sound = std::count_if(data_.points.begin(), data_.points.end(),
                                   [](const CutPoint& point) { return point.fault.empty(); });
  return tr("%1 places, cut possible at %2. %3").arg(data_.points.size()).arg(sound).arg(reading());
}

std::vector<LegendEntry> CutMap::legendEntries() const {
  return {{tr("NS clamped"), Role::numerical, Qt::DashLine, numerical_visible_},
          {tr("PS clamped"), Role::physical, Qt::DashDotLine, physical_visible_}};
}

void CutMap::setEntryVisible(std::size_t entry, bool visible) {
  (entry == 0 ? numerical_visible_ : physical_visible_) = visible;
  refresh();
}

ValueTable CutMap::valueTable() const {
  ValueTable table;
  table.headers << data_.axis_title << tr("critical delay (ms)") << tr("at (Hz)") << tr("NS clamped (Hz)")
                << tr("PS clamped (Hz)");
  int faults = 0;
  for (const CutPoint& point : data_.points) {
    const double none = std::nan("");
    faults += point.fault.empty() ? 0 : 1;
    table.rows.push_back({point.position_m, point.critical ? 1e3 * point.critical->delay_s : none,
                          point.critical ? point.critical->frequency_hz : none,
                          point.numerical_clamped_hz > 0.0 ? point.numerical_clamped_hz : none,
                          point.physical_clamped_hz > 0.0 ? point.physical_clamped_hz : none});
  }
  table.remark = tr("%1 places; no cut possible at %2; no critical delay: stable up to %3")
                     .arg(data_.points.size())
                     .arg(faults)
                     .arg(milliseconds(data_.max_delay_s));
  return table;
}

int CutMap::cursorAt(int x_px, int reach_px) const {
  return movable_ && cut_ && std::abs(transform(QwtAxis::XBottom, *cut_) - x_px) <= reach_px + 2 ? 0 : -1;
}

void CutMap::moveCursor(int, double position_m) {
  if (places_m_.empty()) return;
  const double place = *std::min_element(places_m_.begin(), places_m_.end(), [position_m](double a, double b) {
    return std::abs(a - position_m) < std::abs(b - position_m);
  });
  if (place != cut_) Q_EMIT cutMoved(place);
}

void CutMap::cursorReleased(int) { Q_EMIT cutReleased(); }

void CutMap::stepCursor(double way) {
  if (!movable_ || !cut_) return;
  std::optional<double> next;  // the nearest place on that side
  for (const double place : places_m_)
    if ((place - *cut_) * way > 1e-9 && (!next || std::abs(place - *cut_) < std::abs(*next - *cut_))) next = place;
  if (next) Q_EMIT cutMoved(*next);
  Q_EMIT cutReleased();
}

QString CutMap::tipAt(double position_m) const {
  const CutPoint* best = nullptr;
  for (const CutPoint& point : data_.points)
    if (!best || std::abs(point.position_m - position_m) < std::abs(best->position_m - position_m)) best = &point;
  if (!best ||
      std::abs(transform(QwtAxis::XBottom, best->position_m) - transform(QwtAxis::XBottom, position_m)) > kTipReach_px)
    return {};
  QStringList lines{tr("%1 = %2").arg(data_.axis_title, numberText(best->position_m, 4)), textOf(*best)};
  if (best->numerical_clamped_hz > 0.0)
    lines << tr("NS, interface clamped: %1\u2009Hz").arg(numberText(best->numerical_clamped_hz));
  if (best->physical_clamped_hz > 0.0)
    lines << tr("PS, interface clamped: %1\u2009Hz").arg(numberText(best->physical_clamped_hz));
  return lines.join(QLatin1Char('\n'));
}

QString CutMap::saidAt(const QPointF& canvas_px) const { return tipAt(invTransform(QwtAxis::XBottom, canvas_px.x())); }

}  // namespace hyb::ui
