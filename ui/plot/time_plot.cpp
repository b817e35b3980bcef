#include "ui/plot/time_plot.h"

#include <qwt_plot_curve.h>
#include <qwt_plot_item.h>
#include <qwt_plot_marker.h>
#include <qwt_plot_textlabel.h>
#include <qwt_plot_zoneitem.h>
#include <qwt_scale_map.h>
#include <qwt_symbol.h>
#include <qwt_text.h>

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/fidelity/running.h"

namespace hyb::ui {
namespace {

constexpr std::size_t kFullExport = 50000;  // buckets
constexpr double kLabel_px = 18.0;
constexpr double kSecond_px = 1.4;  // gaps as long as the dashes, so that both coinciding runs are visible
constexpr int kInstant = 2;         // beside the two cursors

QwtText smallText(const QString& text, const QColor& colour) {
  QwtText label(text);
  label.setFont(figureFont(0.85));
  label.setColor(colour);
  return label;
}

}  // namespace

/// Sections of the time axis, shaded over the full height.
class PhaseShade : public QwtPlotItem {
 public:
  PhaseShade() { setZ(0.5); }
  void draw(QPainter* painter, const QwtScaleMap& x, const QwtScaleMap&, const QRectF& canvas) const override {
    for (const auto& [from_s, to_s] : stretches) {
      const double left = x.transform(from_s), right = std::max(left + 1.0, x.transform(to_s));
      painter->fillRect(QRectF(left, canvas.top(), right - left, canvas.height()), tint);
    }
  }
  std::vector<std::pair<double, double>> stretches;  // s
  QColor tint;
};

TimePlot::TimePlot(const QString& name, TimeView* view, QWidget* parent) : PlotView(name, parent), view_(view) {
  clock_.start();
  zone_ = new QwtPlotZoneItem;
  zone_->setOrientation(Qt::Horizontal);
  zone_->setZ(0);
  zone_->setVisible(false);
  zone_->attach(this);
  const auto mark = [this](QwtPlotMarker::LineStyle style, double z) {
    auto* marker = new QwtPlotMarker;
    marker->setLineStyle(style);
    marker->setZ(z);
    marker->attach(this);
    return marker;
  };
  zero_ = mark(QwtPlotMarker::HLine, 2);
  band_label_ = mark(QwtPlotMarker::NoLine, 30);
  band_label_->setLabelAlignment(Qt::AlignRight | Qt::AlignBottom);
  for (QwtPlotMarker*& cursor : cursor_marks_) {
    cursor = mark(QwtPlotMarker::VLine, 40);
    cursor->setVisible(false);
  }
  instant_mark_ = mark(QwtPlotMarker::VLine, 39);
  phases_ = new PhaseShade;
  phases_->attach(this);
  cursor_text_ = new QwtPlotTextLabel;
  cursor_text_->setZ(41);
  cursor_text_->setVisible(false);
  cursor_text_->attach(this);
  setAxisUnit(false, "m", 1e-6);
  setAxisUnit(true, "N", 1e-3);
}

TimePlot::~TimePlot() = default;

void TimePlot::setAxisUnit(bool right, std::string_view si, double smallest_half_span, const QString& title) {
  const std::size_t side = right ? 1 : 0;
  const DisplayUnit unit = displayUnit(si);
  if (unit.text != small_unit_[side].text) range_[side].reset();  // the range of another quantity does not apply
  unit_[side] = small_unit_[side] = unit;
  axis_title_[side] = title;
  range_[side].setSmallest(smallest_half_span, 1.0 / unit_[side].factor);
  styleValueAxis(right);
}

void TimePlot::styleValueAxis(bool right) {
  const std::size_t side = right ? 1 : 0;
  styleAxis(right ? QwtAxis::YRight : QwtAxis::YLeft,
            axis_title_[side].isEmpty() ? unit_[side].text : axis_title_[side], 34);
}

TimePlot::Item TimePlot::makeItem(EnvelopeSeries::Part part, double z) {
  auto* series = new EnvelopeSeries(part);
  auto* curve = new QwtPlotCurve;
  curve->setPaintAttribute(QwtPlotCurve::FilterPoints, false);  // the series is already filtered
  curve->setData(series);
  curve->setZ(z);
  curve->attach(this);
  return {curve, series};
}

void TimePlot::setCurves(std::vector<TimeCurve> curves) {
  curves_ = std::move(curves);
  rebuildItems();
  Q_EMIT legendChanged();
}

void TimePlot::rebuildItems() {
  for (auto* list : {&items_, &second_items_, &envelope_}) {
    for (const Item& item : *list) delete item.curve;  // detaches itself and deletes its series
    list->clear();
  }
  double z = 10.0;
  for (const TimeCurve& spec : curves_) {
    items_.push_back(makeItem(EnvelopeSeries::Part::trace, z));
    second_items_.push_back(makeItem(EnvelopeSeries::Part::trace, z + 0.5));
    for (const Item& item : {items_.back(), second_items_.back()})
      item.curve->setYAxis(spec.right ? QwtAxis::YRight : QwtAxis::YLeft);
    z += 1.0;
  }
  if (envelope_s_ > 0.0 && !curves_.empty())
    for (const auto part : {EnvelopeSeries::Part::upper, EnvelopeSeries::Part::lower})
      envelope_.push_back(makeItem(part, 25.0));
  const bool right =
      std::any_of(curves_.begin(), curves_.end(), [](const TimeCurve& c) { return c.right && c.visible; });
  setAxisVisible(QwtAxis::YRight, right);
  applyColours();
}

void TimePlot::setSource(std::shared_ptr<const RunHistory> run, std::shared_ptr<const RunHistory> second) {
  run_ = std::move(run);
  second_ = std::move(second);
  for (AutoRange& range : range_) range.reset();
}

void TimePlot::setSecondLook(const QString& name, Role role) {
  second_name_ = name;
  second_role_ = role;
  applyColours();
  Q_EMIT legendChanged();
}

void TimePlot::setBand(double half_width_si) {
  band_ = half_width_si;
  zone_->setVisible(band_ > 0.0);
  zone_->setInterval(-band_, band_);
  if (band_ > 0.0) range_[0].setSmallest(1.25 * band_, 1.25 * band_);
}

void TimePlot::setEnvelope(double window_s) {
  envelope_s_ = window_s;
  rebuildItems();
}

std::vector<TimeFlag> mostTelling(std::vector<TimeFlag> flags, std::size_t most) {
  if (flags.size() <= most) return flags;
  const auto errors =
      static_cast<std::size_t>(std::ranges::count(flags, Role::error, [](const TimeFlag& flag) { return flag.role; }));
  std::size_t errors_left_out = errors > most ? errors - most : 0;
  std::size_t others_left_out = flags.size() - errors - (most - (errors - errors_left_out));
  std::erase_if(flags, [&](const TimeFlag& flag) {
    std::size_t& left_out = flag.role == Role::error ? errors_left_out : others_left_out;
    if (left_out == 0) return false;
    --left_out;
    return true;
  });
  return flags;
}

void TimePlot::setFlags(std::vector<TimeFlag> flags) {
  for (QwtPlotMarker* mark : flag_marks_) delete mark;
  flag_marks_.clear();
  flags_ = std::move(flags);
  for (const TimeFlag& flag : flags_) {
    auto* mark = new QwtPlotMarker;
    mark->setLineStyle(QwtPlotMarker::VLine);
    mark->setXValue(flag.time_s);
    mark->setZ(5);
    mark->setLabelOrientation(Qt::Vertical);
    mark->setLabelAlignment(Qt::AlignRight | Qt::AlignTop);
    mark->attach(this);
    flag_marks_.push_back(mark);
  }
  applyColours();
}

QString TimePlot::spoken() const {
  if (!hasData()) return {};
  const auto [first, last] = shownRows(*run_);
  if (last <= first) return tr("No rows in the shown time");
  QStringList parts{tr("At %1").arg(clockText(run_->rows().at(RowLayout::kTime, last - 1)))};
  for (const TimeCurve& curve : curves_)
    if (curve.visible && curve.column < run_->rows().columns())
      parts << QStringLiteral("%1 %2").arg(
          curve.name, quantityText(run_->rows().at(curve.column, last - 1), small_unit_[curve.right ? 1 : 0], true));
  return parts.join(QStringLiteral(", "));
}

std::size_t TimePlot::familyEnd(std::size_t curve) const {
  std::size_t end = curve + 1;
  while (!curves_[curve].family.isEmpty() && end < curves_.size() && curves_[end].family == curves_[curve].family)
    ++end;
  return end;
}

std::vector<LegendEntry> TimePlot::legendEntries() const {
  std::vector<LegendEntry> entries;
  for (std::size_t c = 0; c < curves_.size(); c = familyEnd(c)) {
    const TimeCurve& curve = curves_[c];
    entries.push_back({curve.family.isEmpty() ? curve.name : curve.family, curve.role, curve.style, curve.visible});
  }
  if (!second_name_.isEmpty() && !curves_.empty())
    entries.push_back({second_name_, second_role_, Qt::DashLine, second_visible_});
  return entries;
}

void TimePlot::setEntryVisible(std::size_t entry, bool visible) {
  std::size_t first = 0;
  for (; entry > 0 && first < curves_.size(); --entry) first = familyEnd(first);
  if (first >= curves_.size()) {
    second_visible_ = visible;
    return refresh();
  }
  for (std::size_t c = first, end = familyEnd(first); c < end; ++c) curves_[c].visible = visible;
  const bool right =
      std::any_of(curves_.begin(), curves_.end(), [](const TimeCurve& c) { return c.right && c.visible; });
  setAxisVisible(QwtAxis::YRight, right);
  refresh();
}

std::pair<std::uint64_t, std::uint64_t> TimePlot::shownRows(const RunHistory& run) const {
  const RowHistory& rows = run.rows();
  const std::uint64_t end = view_->endRow(rows);
  const TimeView::Range range = view_->range(run_ ? run_->rows() : rows);
  // One more row on both sides, so that lines reach the edges.
  std::uint64_t first = rows.lowerBound(RowLayout::kTime, range.from_s, rows.begin(), end);
  if (first > rows.begin()) --first;
  return {first, std::min(end, rows.lowerBound(RowLayout::kTime, range.to_s, first, end) + 1)};
}

void TimePlot::updateItem(Item& item, const TimeCurve& spec, const RunHistory* run, std::array<Extremes, 2>& extremes) {
  const std::size_t column = run == nullptr      ? RunHistory::kNoValue
                             : run == run_.get() ? spec.column
                             : run_              ? run_->columnIn(*run, spec.column)
                                                 : RunHistory::kNoValue;
  const bool shown = spec.visible && run != nullptr && column < run->rows().columns();
  item.curve->setVisible(shown);
  if (!shown) return item.series->clear();
  const auto [first, last] = shownRows(*run);
  const auto pixels = static_cast<std::size_t>(std::max(64, canvas()->width()));
  item.series->update(run->rows(), column, first, last, exporting() ? kFullExport : pixels);
  extremes[spec.right ? 1 : 0].add(item.series->extremes());
  // Dashes along minima and maxima would look like noise.
  if (run != run_.get()) return;
  QPen pen = item.curve->pen();
  pen.setStyle(spec.style == Qt::DashLine && item.series->bucketed() ? Qt::SolidLine : spec.style);
  item.curve->setPen(pen);
}

void TimePlot::updateData() {
  std::array<Extremes, 2> extremes{Extremes::none(), Extremes::none()};
  for (std::size_t c = 0; c < curves_.size(); ++c) {
    updateItem(items_[c], curves_[c], run_.get(), extremes);
    updateItem(second_items_[c], curves_[c], second_visible_ ? second_.get() : nullptr, extremes);
  }
  for (Item& item : envelope_) {
    item.curve->setVisible(hasData() && curves_[0].visible);
    if (!hasData()) continue;
    const auto [first, last] = shownRows(*run_);
    const auto pixels = static_cast<std::size_t>(std::max(64, canvas()->width()));
    item.series->update(run_->rows(), curves_[0].column, first, last, exporting() ? kFullExport : pixels,
                        static_cast<std::uint64_t>(0.5 * envelope_s_ * run_->rateHz()));
    extremes[0].add(item.series->extremes());
  }
  const TimeView::Range time = run_ ? view_->range(run_->rows()) : TimeView::Range{0.0, view_->windowLength()};
  setScale(QwtAxis::XBottom, time.from_s, time.to_s, 1.0, QStringLiteral(" s"),
           std::clamp(canvas()->width() / 80, 2, 12));
  const int parts = std::clamp(canvas()->height() / 30, 2, 6);
  double band_px = 0.0;
  const double now_s = static_cast<double>(clock_.elapsed()) / 1000.0;
  for (const bool right : {false, true}) {
    const QwtAxisId axis = right ? QwtAxis::YRight : QwtAxis::YLeft;
    const std::size_t side = right ? 1 : 0;
    const QwtInterval range = manualRange(axis).value_or(range_[side].update(extremes[side], now_s, symmetric_));
    const DisplayUnit unit = fitting(small_unit_[side], std::max(-range.minValue(), range.maxValue()));
    if (unit.text != unit_[side].text) {
      unit_[side] = unit;
      styleValueAxis(right);
    }
    setScale(axis, range.minValue(), range.maxValue(), unit.factor, {}, parts);
    if (!right) band_px = band_ / range.width() * canvas()->height();
  }
  band_label_->setVisible(band_ > 0.0 && band_px > kLabel_px && hasData());  // never covers the band
  band_label_->setValue(time.from_s, band_);
  instant_mark_->setVisible(view_->instant().has_value() && !exporting());
  if (view_->instant()) instant_mark_->setXValue(*view_->instant());
  updatePhases();
  updateCursors();
}

void TimePlot::setPhases(std::size_t column) {
  phase_column_ = column;
  phases_->stretches.clear();
}

const std::vector<std::pair<double, double>>& TimePlot::phases() const { return phases_->stretches; }

void TimePlot::updatePhases() {
  phases_->stretches.clear();
  if (!run_ || phase_column_ >= run_->rows().columns()) return;
  const RowHistory& rows = run_->rows();
  const auto [first, last] = shownRows(*run_);
  const std::uint64_t bucket =
      std::max<std::uint64_t>(1, (last - first) / static_cast<std::uint64_t>(std::max(64, canvas()->width())));
  const auto timeOf = [&, last = last](std::uint64_t row) {
    return rows.at(RowLayout::kTime, std::min(row, last - 1));
  };
  bool open = false;
  for (std::uint64_t row = first - first % bucket; row < last; row += bucket) {
    const bool on = rows.extremes(phase_column_, row, std::min(last, row + bucket)).max > 0.0;
    if (on && !open) phases_->stretches.emplace_back(timeOf(std::max(row, first)), 0.0);
    if (on) phases_->stretches.back().second = timeOf(row + bucket);
    open = on;
  }
}

void TimePlot::applyColours() {
  phases_->tint = colourOf(Role::toleranceBand);
  instant_mark_->setLinePen(penOf(Role::text));
  zone_->setBrush(colourOf(Role::toleranceBand));
  zone_->setPen(penOf(Role::toleranceEdge));
  zero_->setLinePen(penOf(Role::zeroLine));
  zero_->setYValue(0.0);
  if (band_ > 0.0)
    band_label_->setLabel(smallText(QStringLiteral("±") + quantityText(band_, small_unit_[0]) + tr(" tolerance"),
                                    colourOf(Role::toleranceEdge)));
  constexpr double kPalest = 0.25;
  const QColor pale = colourOf(Role::border);
  for (std::size_t first = 0; first < items_.size(); first = familyEnd(first))
    for (std::size_t c = first, end = familyEnd(first); c < end; ++c) {
      const double share =
          end - first > 1 ? static_cast<double>(c - first) / static_cast<double>(end - first - 1) : 1.0;
      for (const auto& [item, style] :
           {std::pair{&items_[c], curves_[c].style}, std::pair{&second_items_[c], Qt::DashLine}}) {
        QPen pen = penOf(curves_[c].role, style);
        pen.setColor(between(pale, pen.color(), kPalest + (1.0 - kPalest) * share));
        item->curve->setPen(pen);
      }
      if (!second_name_.isEmpty()) {
        QPen pen(colourOf(second_role_), kSecond_px);
        pen.setCapStyle(Qt::FlatCap);
        pen.setDashPattern(c % 2 == 0 ? QList<qreal>{4.0, 4.0} : QList<qreal>{1.5, 3.0});
        second_items_[c].curve->setPen(pen);
      }
    }
  for (Item& item : envelope_) item.curve->setPen(penOf(Role::accent));
  for (QwtPlotMarker* cursor : cursor_marks_) cursor->setLinePen(penOf(Role::text, Qt::DashDotLine));
  for (std::size_t f = 0; f < flag_marks_.size(); ++f) {
    flag_marks_[f]->setLinePen(penOf(flags_[f].role, Qt::DotLine));
    flag_marks_[f]->setLabel(smallText(flags_[f].text, colourOf(flags_[f].role)));
  }
  for (const bool right : {false, true}) styleValueAxis(right);
  styleAxis(QwtAxis::XBottom, {}, 0);
}

void TimePlot::fit() {
  PlotView::fit();
  for (AutoRange& range : range_) range.reset();
  view_->fit();
}

void TimePlot::zoomTo(QwtAxisId axis, double from, double to) {
  if (QwtAxis::isXAxis(axis))
    view_->show(from, to);
  else
    PlotView::zoomTo(axis, from, to);
}

void TimePlot::toggleCursors() {
  if (view_->cursors()) return view_->setCursors({});
  const QwtInterval shown = axisInterval(QwtAxis::XBottom);
  view_->setCursors(std::array{shown.minValue() + shown.width() / 3.0, shown.minValue() + shown.width() * 2.0 / 3.0});
}

int TimePlot::cursorAt(int x_px, int reach_px) const {
  const QwtScaleMap map = canvasMap(QwtAxis::XBottom);
  if (view_->instant() && std::abs(map.transform(*view_->instant()) - x_px) <= reach_px) return kInstant;
  if (!view_->cursors()) return -1;
  for (int cursor = 0; cursor < 2; ++cursor)
    if (std::abs(map.transform((*view_->cursors())[static_cast<std::size_t>(cursor)]) - x_px) <= reach_px)
      return cursor;
  return -1;
}

void TimePlot::moveCursor(int cursor, double time_s) {
  if (cursor == kInstant) return view_->setInstant(time_s);
  if (!view_->cursors() || cursor < 0 || cursor > 1) return;
  std::array<double, 2> times = *view_->cursors();
  times[static_cast<std::size_t>(cursor)] = time_s;
  view_->setCursors(times);
}

void TimePlot::stepCursor(double way) {
  if (!view_->cursors()) return;
  const double pixel = axisInterval(QwtAxis::XBottom).width() / std::max(1, canvas()->width());
  moveCursor(1, (*view_->cursors())[1] + way * pixel);
}

void TimePlot::updateCursors() {
  const bool shown = view_->cursors().has_value() && hasData() && !exporting();
  for (QwtPlotMarker* cursor : cursor_marks_) cursor->setVisible(shown);
  cursor_text_->setVisible(shown);
  if (!shown) return;
  const std::array<double, 2>& times = *view_->cursors();
  for (std::size_t c = 0; c < 2; ++c) cursor_marks_[c]->setXValue(times[c]);
  const double dt = times[1] - times[0];
  QString text = tr("Δt %1 · 1/Δt %2")
                     .arg(quantityText(dt, displayUnit("s"), true),
                          dt != 0.0 ? quantityText(1.0 / std::abs(dt), displayUnit("Hz")) : tr("–"));
  const auto first_visible = std::find_if(curves_.begin(), curves_.end(), [](const TimeCurve& c) { return c.visible; });
  if (first_visible != curves_.end()) {
    const RowHistory& rows = run_->rows();
    const auto value = [&](double time_s) {
      const std::uint64_t row = rows.lowerBound(RowLayout::kTime, time_s, rows.begin(), rows.end());
      return row < rows.end() ? rows.at(first_visible->column, row) : std::nan("");
    };
    text += tr(" · Δ%1 %2")
                .arg(first_visible->name,
                     quantityText(value(times[1]) - value(times[0]), small_unit_[first_visible->right ? 1 : 0], true));
  }
  QwtText label = smallText(text, colourOf(Role::text));
  label.setRenderFlags(Qt::AlignTop | Qt::AlignLeft);
  label.setBackgroundBrush(colourOf(Role::panel));
  cursor_text_->setText(label);
}

ValueTable TimePlot::valueTable() const {
  ValueTable table;
  if (!hasData()) return table;
  constexpr std::uint64_t kMostRows = 20000;
  const auto [first, last] = shownRows(*run_);
  const std::uint64_t stride = std::max<std::uint64_t>(1, (last - first + kMostRows - 1) / kMostRows);
  if (stride > 1) table.remark = tr("Every %1th row; zoom in for all of them.").arg(stride);
  table.headers << tr("time (s)");
  for (const TimeCurve& curve : curves_)
    if (curve.visible) {
      const QString& shown = unit_[curve.right ? 1 : 0].text;
      table.headers << (shown.isEmpty() ? curve.name : QStringLiteral("%1 (%2)").arg(curve.name, shown));
    }
  for (std::uint64_t row = first; row < last; row += stride) {
    std::vector<double> values{run_->rows().at(RowLayout::kTime, row)};
    for (const TimeCurve& curve : curves_)
      if (curve.visible) values.push_back(unit_[curve.right ? 1 : 0].factor * run_->rows().at(curve.column, row));
    table.rows.push_back(std::move(values));
  }
  return table;
}

GapPlot::GapPlot(const QString& name, TimeView* view, QWidget* parent) : TimePlot(name, view, parent) {
  setSymmetric(true);
}

void GapPlot::setGap(const RowLayout& layout, std::size_t i, double tolerance, double window_s) {
  column_ = layout.gap(i);
  setAxisUnit(false, layout.units(column_), 1e-6);
  tolerance_ = tolerance;
  setCurves({{tr("g"), column_, Role::gap}});
  setBand(tolerance_);
  setEnvelope(window_s);
}

GapPlot::Reading GapPlot::rmsAndPeak() const {
  if (!hasData()) return {};
  const RowHistory& rows = run()->rows();
  const auto [first, last] = shownRows(*run());
  const double half_s = 0.5 / run()->rateHz();
  std::uint64_t from = rows.lowerBound(RowLayout::kTime, run()->countedFrom() - half_s, first, last);
  std::uint64_t to = rows.lowerBound(RowLayout::kTime, run()->countedTo() + half_s, first, last);
  const bool counted = from < to;
  if (!counted) from = first, to = last;
  RunningComparison closed;  // a cut without gap
  for (std::uint64_t row = from; row < to; ++row) closed.add(0.0, rows.at(column_, row));
  return {closed.errorRms(), closed.errorPeak(), counted};
}

QString GapPlot::reading() const {
  const Reading read = rmsAndPeak();
  if (!std::isfinite(read.rms)) return {};
  const bool over = tolerance_ > 0.0 && read.peak > tolerance_;
  return tr("%3rms %1 · peak %2")
      .arg(quantityText(read.rms, unit(false)), quantityText(read.peak, unit(false)),
           !read.counted ? tr("not analysed · ")
           : over        ? tr("over tolerance · ")
                         : QString());
}

}  // namespace hyb::ui
