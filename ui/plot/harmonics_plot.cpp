#include "ui/plot/harmonics_plot.h"

#include <qwt_plot_curve.h>
#include <qwt_plot_marker.h>
#include <qwt_scale_engine.h>
#include <qwt_symbol.h>
#include <qwt_text.h>

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr QwtSymbol::Style kTips[] = {QwtSymbol::Ellipse, QwtSymbol::Rect, QwtSymbol::UTriangle, QwtSymbol::Diamond};
constexpr double kBarShare = 0.8;       // of the distance between two orders
constexpr double kDecadesShown = 1e-7;  // relative to the largest, on a logarithmic scale
constexpr double kArrowHead = 0.025;    // of the half width of the plane

QwtSymbol::Style tipOf(std::size_t signal) { return kTips[signal % std::size(kTips)]; }

}  // namespace

struct HarmonicsPlot::Items {
  QwtPlotCurve curve;                                   // bars, or all arrows
  std::vector<std::unique_ptr<QwtPlotMarker>> numbers;  // of the orders, at the tips
  bool visible = true;
};

HarmonicsPlot::HarmonicsPlot(const QString& name, Shows shows, QWidget* parent)
    : PlotView(name, parent), shows_(shows) {}
HarmonicsPlot::~HarmonicsPlot() = default;  // curves detach themselves

bool HarmonicsPlot::hasData() const { return !set_.orders.empty() && !set_.signals.empty(); }

void HarmonicsPlot::setHarmonics(HarmonicSet set) {
  const auto same = [](const HarmonicSet::Signal& a, const HarmonicSet::Signal& b) {
    return a.name == b.name && a.role == b.role && a.style == b.style;
  };
  const bool another =
      !std::equal(set.signals.begin(), set.signals.end(), set_.signals.begin(), set_.signals.end(), same) ||
      set.orders != set_.orders || set.unit != set_.unit;
  set_ = std::move(set);
  if (another) {
    rebuild();
    applyColours();
    Q_EMIT legendChanged();
  }
  refresh();
}

void HarmonicsPlot::rebuild() {
  items_.clear();
  for (std::size_t s = 0; s < set_.signals.size(); ++s) {
    auto items = std::make_unique<Items>();
    items->curve.setItemAttribute(QwtPlotItem::AutoScale, false);
    items->curve.setZ(5.0 + static_cast<double>(s));
    items->curve.attach(this);
    if (shows_ == Shows::phasors && set_.orders.size() > 1)
      for (std::size_t k = 0; k < set_.orders.size(); ++k) {
        auto number = std::make_unique<QwtPlotMarker>();
        number->setZ(20.0);
        number->setLabelAlignment(Qt::AlignTop | Qt::AlignRight);
        number->attach(this);
        items->numbers.push_back(std::move(number));
      }
    items_.push_back(std::move(items));
  }
}

void HarmonicsPlot::updateData() {
  double most = 0.0;
  for (std::size_t s = 0; s < items_.size(); ++s)
    for (const std::complex<double>& value : set_.signals[s].values)
      if (items_[s]->visible && std::isfinite(std::abs(value))) most = std::max(most, std::abs(value));
  if (!(most > 0.0)) most = 1e-3 / displayUnit(set_.unit).factor;
  if (shows_ == Shows::bars)
    updateBars(most);
  else
    updatePhasors(most);
}

/// Adjacent rectangles, drawn as one filled line each.
void HarmonicsPlot::updateBars(double most) {
  const bool log = set_.orders.size() > 1;
  setLog(QwtAxis::YLeft, log);
  double least = most;
  for (const HarmonicSet::Signal& signal : set_.signals)
    for (const std::complex<double>& value : signal.values)
      if (std::abs(value) > kDecadesShown * most) least = std::min(least, std::abs(value));
  const double floor = log ? 0.5 * least : 0.0;
  const double width = kBarShare / static_cast<double>(std::max<std::size_t>(1, set_.signals.size()));
  for (std::size_t s = 0; s < items_.size(); ++s) {
    QVector<QPointF> outline;
    const HarmonicSet::Signal& signal = set_.signals[s];
    for (std::size_t k = 0; k < std::min(set_.orders.size(), signal.values.size()); ++k) {
      const double from = set_.orders[k] - 0.5 * kBarShare + width * static_cast<double>(s) + 0.03 * width,
                   to = from + 0.94 * width, top = std::max(floor, std::abs(signal.values[k]));
      outline << QPointF(from, floor) << QPointF(from, top) << QPointF(to, top) << QPointF(to, floor);
    }
    items_[s]->curve.setSamples(outline);
    items_[s]->curve.setBaseline(floor);
    items_[s]->curve.setVisible(items_[s]->visible);
  }
  const double first = set_.orders.empty() ? 1.0 : set_.orders.front(),
               last = set_.orders.empty() ? 1.0 : set_.orders.back();
  const QwtInterval across = manualRange(QwtAxis::XBottom).value_or(QwtInterval(first - 0.6, last + 0.6));
  setScale(QwtAxis::XBottom, across.minValue(), across.maxValue(), 1.0, {},
           std::clamp(static_cast<int>(across.width()), 1, std::max(1, canvas()->width() / 30)));
  const double factor = displayUnit(set_.unit).factor;
  const QwtInterval up =
      manualRange(QwtAxis::YLeft).value_or(log ? QwtInterval(floor, 1.6 * most) : QwtInterval(0.0, 1.12 * most));
  if (log)
    setLogScale(QwtAxis::YLeft, std::max(up.minValue(), 1e-18), std::max(up.maxValue(), 2e-18), factor);
  else
    setScale(QwtAxis::YLeft, up.minValue(), up.maxValue(), factor, {}, std::clamp(canvas()->height() / 30, 2, 6));
}

void HarmonicsPlot::updatePhasors(double most) {
  // Equal scales on both axes, so that angles are true.
  const double high = std::max(1, canvas()->height()), wide = std::max(1, canvas()->width());
  const double half_y = 1.15 * most * std::max(1.0, high / wide), half_x = 1.15 * most * std::max(1.0, wide / high);
  const double factor = displayUnit(set_.unit).factor;
  const auto scale = [&](QwtAxisId axis, double half, int parts) {
    const QwtInterval range = manualRange(axis).value_or(QwtInterval(-half, half));
    setScale(axis, range.minValue(), range.maxValue(), factor, {}, parts);
  };
  scale(QwtAxis::XBottom, half_x, std::clamp(static_cast<int>(wide) / 60, 2, 6));
  scale(QwtAxis::YLeft, half_y, std::clamp(static_cast<int>(high) / 40, 2, 6));
  const double head = kArrowHead * 2.0 * most;
  for (std::size_t s = 0; s < items_.size(); ++s) {
    Items& items = *items_[s];
    QVector<QPointF> path;
    for (std::size_t k = 0; k < set_.signals[s].values.size(); ++k) {
      const std::complex<double> tip = set_.signals[s].values[k];
      const double size = std::abs(tip);
      const bool drawn = std::isfinite(size) && size > 0.0;
      if (k < items.numbers.size()) {
        items.numbers[k]->setVisible(drawn && items.visible && size > 0.12 * most);
        items.numbers[k]->setValue(tip.real(), tip.imag());
      }
      if (!drawn) continue;
      const std::complex<double> way = tip / size, side(-way.imag(), way.real()), neck = tip - head * way;
      const auto point = [](std::complex<double> z) { return QPointF(z.real(), z.imag()); };
      path << QPointF(0, 0) << point(tip) << point(neck + 0.6 * head * side) << point(neck - 0.6 * head * side)
           << point(tip) << QPointF(0, 0);
    }
    items.curve.setSamples(path);
    items.curve.setVisible(items.visible);
  }
}

void HarmonicsPlot::applyColours() {
  for (std::size_t s = 0; s < items_.size(); ++s) {
    const HarmonicSet::Signal& signal = set_.signals[s];
    const QColor hue = colourOf(signal.role);
    QPen pen = penOf(signal.role, signal.style);
    pen.setWidthF(shows_ == Shows::phasors ? 2.0 : 1.5);
    items_[s]->curve.setPen(pen);
    if (shows_ == Shows::bars)
      items_[s]->curve.setBrush(QBrush(hue, signal.style == Qt::SolidLine ? Qt::SolidPattern : Qt::BDiagPattern));
    for (std::size_t k = 0; k < items_[s]->numbers.size(); ++k) {
      QwtText text(QString::number(set_.orders[k]));
      text.setFont(figureFont(0.85));
      text.setColor(hue);
      items_[s]->numbers[k]->setLabel(text);
      items_[s]->numbers[k]->setSymbol(new QwtSymbol(tipOf(s), hue, QPen(hue), QSize(5, 5)));
    }
  }
  const QString unit = displayUnit(set_.unit).text;
  const auto named = [&](const QString& text) {
    return unit.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, unit);
  };
  styleAxis(QwtAxis::XBottom, shows_ == Shows::bars ? tr("harmonic") : named(tr("real")), 0);
  styleAxis(QwtAxis::YLeft, shows_ == Shows::bars ? named(tr("amplitude")) : named(tr("imaginary")), 40);
}

QString HarmonicsPlot::reading() const {
  QStringList parts;
  for (const HarmonicSet::Signal& signal : set_.signals) {
    if (signal.values.empty()) continue;
    const std::complex<double> value = signal.values.front();
    parts << (shows_ == Shows::bars ? quantityText(std::abs(value), displayUnit(set_.unit))
                                    : QStringLiteral("%1°").arg(numberText(std::arg(value) * 180.0 / kPi)));
  }
  return parts.join(QStringLiteral(" · "));
}

std::vector<LegendEntry> HarmonicsPlot::legendEntries() const {
  std::vector<LegendEntry> entries;
  for (std::size_t s = 0; s < items_.size(); ++s)
    entries.push_back({set_.signals[s].name, set_.signals[s].role, set_.signals[s].style, items_[s]->visible});
  return entries;
}

void HarmonicsPlot::setEntryVisible(std::size_t entry, bool visible) {
  if (entry >= items_.size()) return;
  items_[entry]->visible = visible;
  refresh();
}

ValueTable HarmonicsPlot::valueTable() const {
  ValueTable table;
  const DisplayUnit unit = displayUnit(set_.unit);
  table.headers << tr("harmonic");
  for (const HarmonicSet::Signal& signal : set_.signals)
    table.headers << tr("%1, amplitude (%2)").arg(signal.name, unit.text) << tr("%1, phase (°)").arg(signal.name);
  for (std::size_t k = 0; k < set_.orders.size(); ++k) {
    std::vector<double> row{static_cast<double>(set_.orders[k])};
    for (const HarmonicSet::Signal& signal : set_.signals) {
      const std::complex<double> value = k < signal.values.size() ? signal.values[k] : 0.0;
      row.insert(row.end(), {unit.factor * std::abs(value), std::arg(value) * 180.0 / kPi});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace hyb::ui
