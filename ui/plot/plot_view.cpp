#include "ui/plot/plot_view.h"

#include <qwt_painter.h>
#include <qwt_plot_canvas.h>
#include <qwt_plot_grid.h>
#include <qwt_plot_layout.h>
#include <qwt_scale_draw.h>
#include <qwt_scale_engine.h>
#include <qwt_scale_widget.h>
#include <qwt_text.h>

#include <QDateTime>
#include <QEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QPalette>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/plot/auto_range.h"
#include "ui/plot/plot_export.h"
#include "ui/plot/plot_navigator.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

/// Labels in display units; the digits depend on the step, so that labels keep their width while the scale moves.
class UnitScaleDraw : public QwtScaleDraw {
 public:
  double factor = 1.0;
  int decimals = 0;  // -1: as needed per label
  QString suffix;
  QwtText label(double value) const override {
    const double shown = value * factor;
    if (decimals < 0) return QwtText(figureText(shown) + suffix);
    const double tiny = 0.5 * std::pow(10.0, -decimals);
    QString text = QString::number(std::abs(shown) < tiny ? 0.0 : std::abs(shown), 'f', decimals);
    if (shown <= -tiny) text.prepend(QStringLiteral("−"));
    return QwtText(text + suffix);
  }
  void forget() { invalidateCache(); }
};

constexpr int kLowest_px = 64;   // labels of an axis and four lines of a curve
constexpr int kTitled_px = 120;  // from here on with a title below
constexpr int kEmptyMargin_px = 12;

UnitScaleDraw* unitDraw(QwtPlot& plot, QwtAxisId axis) { return static_cast<UnitScaleDraw*>(plot.axisScaleDraw(axis)); }

}  // namespace

PlotView::PlotView(const QString& name, QWidget* parent) : QwtPlot(parent), name_(name) {
  setAutoReplot(false);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(name);
  setMinimumSize(120, kLowest_px);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);

  auto* surface = new QwtPlotCanvas(this);
  surface->setFrameStyle(QFrame::NoFrame);
  surface->setLineWidth(0);
  setCanvas(surface);
  plotLayout()->setAlignCanvasToScales(true);
  plotLayout()->setCanvasMargin(0);

  for (int axis = 0; axis < QwtAxis::AxisPositions; ++axis) {
    setAxisScaleDraw(axis, new UnitScaleDraw);
    axisWidget(axis)->setMargin(0);
    axisWidget(axis)->setSpacing(2);
    QwtScaleDraw* draw = axisScaleDraw(axis);
    draw->enableComponent(QwtAbstractScaleDraw::Backbone, false);
    draw->enableComponent(QwtAbstractScaleDraw::Labels, false);  // avoids repeated layouts before the plot is visible
    draw->setTickLength(QwtScaleDiv::MinorTick, 0);
    draw->setTickLength(QwtScaleDiv::MediumTick, 0);
    draw->setTickLength(QwtScaleDiv::MajorTick, 4);
    setAxisMaxMinor(axis, 0);
  }
  auto* grid = new QwtPlotGrid;
  grid->enableXMin(false);
  grid->enableYMin(false);
  grid->setZ(1);
  grid->attach(this);

  empty_ = new QLabel(surface);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setProperty("muted", true);
  empty_->setAttribute(Qt::WA_TransparentForMouseEvents);
  auto* over = new QVBoxLayout(surface);
  over->setContentsMargins(kEmptyMargin_px, 4, kEmptyMargin_px, 4);
  over->addWidget(empty_);
  empty_->hide();
  new PlotNavigator(this);
}

void PlotView::setEmptyText(const QString& text) {
  empty_text_ = text;
  fitTexts();
}

void PlotView::fitTexts() {
  fitEmptyText();
  empty_->setVisible(!hasData() && !empty_->text().isEmpty());
  bool changed = false;
  for (int axis = 0; axis < QwtAxis::AxisPositions; ++axis) changed = fitTitle(axis) || changed;
  if (changed) updateLayout();
}

void PlotView::fitEmptyText() {
  const QRect place = canvas()->contentsRect().adjusted(kEmptyMargin_px, 4, -kEmptyMargin_px, -4);
  const std::tuple now(empty_text_, place.size(), empty_->font());
  if (std::exchange(empty_fitted_, now) == now) return;
  const QFontMetrics metrics(empty_->font());
  // Only whole lines. A screen reader and the help have the rest.
  QStringList lines = empty_text_.split(QLatin1Char('\n'));
  const QString nothing = empty_text_.isEmpty() ? QString() : tr("No data yet.");  // if no line fits
  const auto fits = [&] {
    return place.height() >=
           metrics.boundingRect(QRect(0, 0, place.width(), 10000), Qt::TextWordWrap, lines.join(QLatin1Char('\n')))
               .height();
  };
  while (!lines.isEmpty() && !fits()) lines.removeLast();
  if (lines.isEmpty() && metrics.height() <= place.height() && metrics.horizontalAdvance(nothing) <= place.width())
    lines << nothing;
  empty_->setText(lines.join(QLatin1Char('\n')));
}

bool PlotView::fitTitle(QwtAxisId axis) {
  const QString& whole = titles_[static_cast<std::size_t>(axis)];
  const QFont font = figureFont(0.85);
  const auto fits = [&](const QString& text) {
    return QwtAxis::isXAxis(axis) ? height() >= kTitled_px
                                  : QFontMetrics(font).horizontalAdvance(text) <= canvas()->height();
  };
  // "measured x (mm)" is shortened to "mm".
  const QString unit = whole.contains(QLatin1Char('(')) ? whole.section(QLatin1Char('('), -1).chopped(1) : QString();
  const QString shown = exporting_ || fits(whole) ? whole : fits(unit) ? unit : QString();
  QwtText text(shown);
  text.setFont(font);
  text.setColor(colourOf(Role::mutedText));
  if (axisTitle(axis) == text) return false;
  setAxisTitle(axis, text);
  return true;
}

void PlotView::refresh() {
  if (!isVisible() && !exporting_) return;
  if (!styled_) restyle();
  updateData();
  fitTexts();
  replot();
}

void PlotView::describe() {
  const qint64 now = QDateTime::currentMSecsSinceEpoch();
  if (now - described_ms_ < 1000) return;
  described_ms_ = now;
  setAccessibleDescription(hasData() ? spoken() : empty_text_);
}

void PlotView::fit() {
  for (auto& range : manual_) range.reset();
  Q_EMIT rangeChosen(std::nullopt);
}

void PlotView::zoomTo(QwtAxisId axis, double from, double to) {
  if (!(to > from) || !isAxisVisible(axis)) return;
  manualRange(axis) = QwtInterval(from, to);
  if (axis == QwtAxis::XBottom) Q_EMIT rangeChosen(manualRange(axis));
}

void PlotView::followRange(std::optional<QwtInterval> across) {
  manualRange(QwtAxis::XBottom) = across;
  refresh();
}

void PlotView::setAntialiasing(bool on) {
  if (antialiasing_ == on) return;
  antialiasing_ = on;
  for (QwtPlotItem* item : itemList(QwtPlotItem::Rtti_PlotCurve))
    item->setRenderHint(QwtPlotItem::RenderAntialiased, on);
}

QColor PlotView::colourOf(Role role) const { return exporting_ ? colour(role, false) : colour(role, palette()); }

QPen PlotView::penOf(Role role, Qt::PenStyle style) const {
  // Width 0 is one device pixel at any scale factor: the raster engine's fast path.
  return QPen(colourOf(role), exporting_ ? 1.25 : 0.0, style);
}

void PlotView::setScale(QwtAxisId axis, double from, double to, double factor, const QString& suffix, int parts) {
  const double step = niceStep((to - from) * factor, parts);
  UnitScaleDraw& draw = *unitDraw(*this, axis);
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
  if (draw.factor != factor || draw.decimals != decimals || draw.suffix != suffix) {
    draw.factor = factor;
    draw.decimals = decimals;
    draw.suffix = suffix;
    draw.forget();
  }
  setAxisScale(axis, from, to, step / factor);
}

void PlotView::setDecades(double first, double last, double most) {
  const auto decade = [](double value, bool up) {
    const double power = std::log10(value);
    return std::pow(10.0, up ? std::ceil(power - 1e-9) : std::floor(power + 1e-9));
  };
  const auto scale = [this](QwtAxisId axis, double from, double to) {
    const QwtInterval range = manualRange(axis).value_or(QwtInterval(from, to));
    setAxisScale(axis, std::max(1e-3, range.minValue()), range.maxValue());
  };
  scale(QwtAxis::XBottom, decade(first, false), decade(last, true));
  scale(QwtAxis::YLeft, 0.5, decade(most, true));
}

void PlotView::setLog(QwtAxisId axis, bool log) {
  if (log == isLog(axis)) return;
  setAxisScaleEngine(axis, log ? static_cast<QwtScaleEngine*>(new QwtLogScaleEngine) : new QwtLinearScaleEngine);
}

bool PlotView::isLog(QwtAxisId axis) const {
  return dynamic_cast<const QwtLogScaleEngine*>(axisScaleEngine(axis)) != nullptr;
}

void PlotView::setLogScale(QwtAxisId axis, double from, double to, double factor) {
  UnitScaleDraw& draw = *unitDraw(*this, axis);
  draw.factor = factor;
  draw.decimals = -1;
  draw.suffix.clear();
  draw.forget();
  setAxisScale(axis, from, to);
}

void PlotView::styleAxis(QwtAxisId axis, const QString& title, double least_label_px) {
  const QFont font = figureFont(0.85);
  QString& whole = titles_[static_cast<std::size_t>(axis)];
  if (whole == title && axisFont(axis) == font && axisScaleDraw(axis)->minimumExtent() == least_label_px) return;
  whole = title;
  setAxisFont(axis, font);
  axisScaleDraw(axis)->setMinimumExtent(least_label_px);
  unitDraw(*this, axis)->forget();
  // The scale is laid out again only if the title changes, and the font of its labels may have changed.
  setAxisTitle(axis, QwtText());
  fitTitle(axis);
}

void PlotView::restyle() {
  styled_ = true;
  auto* surface = static_cast<QwtPlotCanvas*>(canvas());
  QPalette pal = palette();
  pal.setColor(QPalette::Window, exporting_ ? QColor(Qt::white) : colourOf(Role::panel));
  surface->setPalette(pal);
  for (int axis = 0; axis < QwtAxis::AxisPositions; ++axis) {
    QPalette scale = palette();
    scale.setColor(QPalette::WindowText, colourOf(Role::border));
    scale.setColor(QPalette::Text, colourOf(Role::mutedText));
    axisWidget(axis)->setPalette(scale);
    axisScaleDraw(axis)->enableComponent(QwtAbstractScaleDraw::Labels);
  }
  for (QwtPlotItem* item : itemList(QwtPlotItem::Rtti_PlotGrid))
    static_cast<QwtPlotGrid*>(item)->setMajorPen(penOf(Role::grid));
  applyColours();
  for (QwtPlotItem* item : itemList(QwtPlotItem::Rtti_PlotCurve))
    item->setRenderHint(QwtPlotItem::RenderAntialiased, antialiasing_ || exporting_);
  updateLayout();
}

void PlotView::changeEvent(QEvent* event) {
  QwtPlot::changeEvent(event);
  if ((event->type() != QEvent::PaletteChange && event->type() != QEvent::StyleChange) || restyle_due_) return;
  // A new style sheet resets palettes and fonts of the parts one by one, so ours must follow all of them.
  restyle_due_ = true;
  QTimer::singleShot(0, this, [this] {
    restyle_due_ = false;
    restyle();
    refresh();
    Q_EMIT legendChanged();
  });
}

void PlotView::showEvent(QShowEvent* event) {
  QwtPlot::showEvent(event);
  refresh();
}

void PlotView::resizeEvent(QResizeEvent* event) {
  QwtPlot::resizeEvent(event);
  if (refresh_due_) return;
  refresh_due_ = true;  // after the layout: the number of labels of an axis depends on its length
  QTimer::singleShot(0, this, [this] {
    refresh_due_ = false;
    refresh();
  });
}

void PlotView::keyPressEvent(QKeyEvent* event) {
  const auto range = [this](QwtAxisId axis) { return axisInterval(axis); };
  const auto zoom = [&](double factor) {
    for (const QwtAxisId axis : {QwtAxis::XBottom, QwtAxis::YLeft}) {
      if (hasTimeAxis() && axis == QwtAxis::YLeft) continue;
      const QwtInterval now = range(axis);
      const double middle = 0.5 * (now.minValue() + now.maxValue()), half = 0.5 * factor * now.width();
      zoomTo(axis, middle - half, middle + half);
    }
  };
  const auto pan = [&](QwtAxisId axis, double share) {
    const QwtInterval now = range(axis);
    zoomTo(axis, now.minValue() + share * now.width(), now.maxValue() + share * now.width());
  };
  const bool shift = event->modifiers() & Qt::ShiftModifier;
  switch (event->key()) {
    case Qt::Key_Plus:
      zoom(0.7);
      break;
    case Qt::Key_Minus:
      zoom(1.4);
      break;
    case Qt::Key_0:
      fit();
      break;
    case Qt::Key_C:
      toggleCursors();
      break;
    case Qt::Key_Left:
    case Qt::Key_Right: {
      const double way = event->key() == Qt::Key_Left ? -1.0 : 1.0;
      if (shift)
        stepCursor(way);
      else
        pan(QwtAxis::XBottom, 0.1 * way);
      break;
    }
    case Qt::Key_Up:
      pan(QwtAxis::YLeft, 0.1);
      break;
    case Qt::Key_Down:
      pan(QwtAxis::YLeft, -0.1);
      break;
    default:
      QwtPlot::keyPressEvent(event);
      return;
  }
  refresh();
}

QString PlotView::exportTo(const QString& file) {
  const QString suffix = QFileInfo(file).suffix().toLower();
  if (suffix != QLatin1String("png") && suffix != QLatin1String("svg") && suffix != QLatin1String("pdf"))
    return tr("%1: choose a name that ends in .png, .svg or .pdf.").arg(file);
  exporting_ = true;
  restyle();
  refresh();
  PictureText text{name_, legendEntries()};
  std::erase_if(text.legend, [](const LegendEntry& entry) { return !entry.visible; });
  const QByteArray picture = pictureOf(*this, text, suffix);
  exporting_ = false;
  restyle();
  refresh();
  return writeFile(file, picture);
}

}  // namespace hyb::ui
