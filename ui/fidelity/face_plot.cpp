#include "ui/fidelity/face_plot.h"

#include <qwt_interval_symbol.h>
#include <qwt_plot_curve.h>
#include <qwt_plot_intervalcurve.h>
#include <qwt_plot_marker.h>
#include <qwt_plot_zoneitem.h>
#include <qwt_symbol.h>
#include <qwt_text.h>

#include <algorithm>
#include <cmath>

namespace hyb::ui {
namespace {

constexpr int kReach_px = 9, kSteps = 100;
constexpr double kModelShare = 0.022;  // share of the axis: offset of the model's value from that of the curve

void showInterval(QwtPlotIntervalCurve& bar, double at, const FaceInterval& interval) {
  QVector<QwtIntervalSample> samples;
  if (interval.known()) samples << QwtIntervalSample(at, interval.low, interval.high);
  bar.setSamples(samples);
}

}  // namespace

QString FaceAxisText::withUnit() const {
  return unit.text.isEmpty() ? title : QStringLiteral("%1 (%2)").arg(title, unit.text);
}

FaceAxisText variedAxis(const FaceReport& report) {
  return {QString::fromStdString(report.plan.title), displayUnit(report.plan.units)};
}

FaceAxisText quantityAxis(const FaceReport& report) {
  return {QString::fromStdString(report.spec.quantity.words()), displayUnit(report.spec.quantity.units)};
}

FaceAxisText axisText(const FaceReport& report) {
  if (report.spec.axis == FaceAxis::varied) return variedAxis(report);
  if (report.spec.axis == FaceAxis::inverse)
    return {FacePlot::tr("1 / %1").arg(QString::fromStdString(report.plan.title)), {}};
  const FaceAxisWords& axis = words(report.spec.axis);
  return {QString::fromUtf8(axis.title), displayUnit(axis.units)};
}

QString quantityOf(const FaceReport& report, double value) {
  return quantityText(value, displayUnit(report.spec.quantity.units));
}

QString intervalText(const FaceReport& report, const FaceInterval& interval) {
  if (!interval.known()) return QStringLiteral("–");
  return spanText(interval.low, interval.high, displayUnit(report.spec.quantity.units));
}

struct FacePlot::Items {
  QwtPlotZoneItem tolerance;
  QwtPlotMarker zero, reference, least, chosen;
  QwtPlotCurve fitted, extrapolated, counted, dropped, value, model;
  QwtPlotIntervalCurve interval, model_interval;
};

FacePlot::FacePlot(const QString& name, QWidget* parent) : PlotView(name, parent), items_(std::make_unique<Items>()) {
  double z = 2.0;
  for (QwtPlotItem* item : std::initializer_list<QwtPlotItem*>{
           &items_->tolerance, &items_->zero, &items_->reference, &items_->extrapolated, &items_->fitted,
           &items_->interval, &items_->model_interval, &items_->dropped, &items_->least, &items_->counted,
           &items_->value, &items_->model, &items_->chosen}) {
    item->setItemAttribute(QwtPlotItem::AutoScale, false);
    item->setZ(z++);
    item->attach(this);
  }
  for (QwtPlotItem* item :
       std::initializer_list<QwtPlotItem*>{&items_->tolerance, &items_->reference, &items_->least, &items_->chosen})
    item->setVisible(false);  // until a report is available
  items_->tolerance.setOrientation(Qt::Horizontal);
  for (QwtPlotCurve* curve : {&items_->counted, &items_->dropped, &items_->value, &items_->model})
    curve->setStyle(QwtPlotCurve::NoCurve);
  for (QwtPlotIntervalCurve* bar : {&items_->interval, &items_->model_interval})
    bar->setStyle(QwtPlotIntervalCurve::NoCurve);
  items_->zero.setLineStyle(QwtPlotMarker::VLine);
  items_->zero.setXValue(0.0);
  items_->reference.setLineStyle(QwtPlotMarker::HLine);
  items_->reference.setLabelAlignment(Qt::AlignRight | Qt::AlignTop);
  items_->least.setLineStyle(QwtPlotMarker::NoLine);
  items_->least.setLabelAlignment(Qt::AlignRight | Qt::AlignBottom);
}

FacePlot::~FacePlot() = default;  // items leave the plot by themselves

void FacePlot::setReport(std::shared_ptr<const FaceReport> report) {
  const bool other_axes = report && (!report_ || report->spec.axis != report_->spec.axis ||
                                     report->spec.quantity.units != report_->spec.quantity.units);
  report_ = std::move(report);
  selected_ = -1;
  if (other_axes) {
    error_ = axisText(*report_);
    quantity_ = quantityAxis(*report_);
    fit();
    applyColours();
  }
  Q_EMIT legendChanged();
  refresh();
}

void FacePlot::setSelected(int test) {
  selected_ = test;
  refresh();
}

double FacePlot::errorOf(const FaceCampaignTest& test) const {
  return test.errors[static_cast<std::size_t>(report_->spec.axis)];
}

bool FacePlot::hasData() const {
  return report_ && std::any_of(report_->tests.begin(), report_->tests.end(),
                                [](const FaceCampaignTest& test) { return test.measured(); });
}

std::size_t FacePlot::points() const {
  if (!report_) return 0;
  return static_cast<std::size_t>(
      std::count_if(report_->tests.begin(), report_->tests.end(), [this](const FaceCampaignTest& test) {
        return report_->fits(test) && std::isfinite(errorOf(test)) && std::isfinite(test.quantity);
      }));
}

bool FacePlot::predicted() const { return report_ && report_->curve.prediction.carried; }

void FacePlot::scaleAxes() {
  Extremes x = Extremes::none(), y = Extremes::none();
  x.add(0.0);
  for (const FaceCampaignTest& test : report_->tests)
    if (test.measured()) x.add(errorOf(test)), y.add(test.quantity);
  const auto take = [&y](const FacePrediction& prediction) {
    if (!prediction.carried) return;
    for (const double value : {prediction.value, prediction.interval.low, prediction.interval.high}) y.add(value);
  };
  take(report_->curve.prediction);
  if (visible_[kModel]) take(report_->model);
  if (visible_[kReference] && report_->reference) y.add(*report_->reference);
  const double width = x.max > x.min ? x.max - x.min : 1.0 / error_.unit.factor;
  const double height = y.empty() ? 1.0 / quantity_.unit.factor : std::max(y.max - y.min, 1e-6 * std::abs(y.max));
  const double middle = y.empty() ? 0.0 : 0.5 * (y.min + y.max);
  const QwtInterval across = manualRange(QwtAxis::XBottom).value_or(QwtInterval(-0.06 * width, x.min + 1.06 * width));
  const QwtInterval up =
      manualRange(QwtAxis::YLeft).value_or(QwtInterval(middle - 0.6 * height, middle + 0.6 * height));
  setScale(QwtAxis::XBottom, across.minValue(), across.maxValue(), error_.unit.factor, {},
           std::clamp(canvas()->width() / 70, 2, 8));
  setScale(QwtAxis::YLeft, up.minValue(), up.maxValue(), quantity_.unit.factor, {},
           std::clamp(canvas()->height() / 32, 2, 8));
}

void FacePlot::updateCurve() {
  const FaceAssessment& curve = report_->curve;
  QVector<QPointF> fitted, extrapolated;
  if (curve.prediction.carried && curve.fit) {
    double least = std::numeric_limits<double>::infinity(), most = 0.0;
    for (const FaceCampaignTest& test : report_->tests)
      if (report_->fits(test) && std::isfinite(errorOf(test)))
        least = std::min(least, errorOf(test)), most = std::max(most, errorOf(test));
    for (int step = 0; step <= kSteps && least <= most; ++step) {
      const double inside = least + (most - least) * step / kSteps, outside = least * step / kSteps;
      fitted << QPointF(inside, curve.fit->at(inside));
      extrapolated << QPointF(outside, curve.fit->at(outside));
    }
  }
  items_->fitted.setSamples(fitted);
  items_->extrapolated.setSamples(extrapolated);
}

void FacePlot::updatePredictions() {
  const FacePrediction &curve = report_->curve.prediction, &model = report_->model;
  const double beside = -kModelShare * axisInterval(QwtAxis::XBottom).width();
  items_->value.setSamples(curve.carried ? QVector<QPointF>{{0.0, curve.value}} : QVector<QPointF>());
  showInterval(items_->interval, 0.0, curve.carried ? curve.interval : FaceInterval());
  items_->model.setSamples(model.carried ? QVector<QPointF>{{beside, model.value}} : QVector<QPointF>());
  showInterval(items_->model_interval, beside, model.carried ? model.interval : FaceInterval());
  // Band that the tolerance allows around the error-free value.
  items_->tolerance.setVisible(curve.carried);
  if (curve.carried) {
    const double half = 0.01 * report_->spec.settings.tolerance_percent * std::abs(curve.value);
    items_->tolerance.setInterval(curve.value - half, curve.value + half);
  }
  items_->reference.setVisible(report_->reference.has_value() && visible_[kReference]);
  if (report_->reference) {
    items_->reference.setYValue(*report_->reference);
    QwtText label(tr("reference %1").arg(quantityOf(*report_, *report_->reference)));
    label.setFont(figureFont(0.85));
    label.setColor(colourOf(Role::mutedText));
    items_->reference.setLabel(label);
  }
}

void FacePlot::updateData() {
  for (const QwtAxisId axis : {QwtAxis::XBottom, QwtAxis::YLeft}) setAxisVisible(axis, report_ != nullptr);
  if (!report_) return;
  scaleAxes();
  QVector<QPointF> counted, dropped;
  const FaceCampaignTest* least = nullptr;
  for (const FaceCampaignTest& test : report_->tests) {
    if (!test.measured() || !std::isfinite(errorOf(test))) continue;
    (report_->fits(test) ? counted : dropped) << QPointF(errorOf(test), test.quantity);
    if (report_->fits(test) && (!least || errorOf(test) < errorOf(*least))) least = &test;
  }
  items_->counted.setSamples(counted);
  items_->dropped.setSamples(dropped);
  updateCurve();
  updatePredictions();
  items_->least.setVisible(least != nullptr);
  if (least) {
    items_->least.setValue(errorOf(*least), least->quantity);
    QwtText label(tr("least error"));
    label.setFont(figureFont(0.85));
    label.setColor(colourOf(Role::text));
    items_->least.setLabel(label);
  }
  const bool marked = selected_ >= 0 && static_cast<std::size_t>(selected_) < report_->tests.size() &&
                      report_->tests[static_cast<std::size_t>(selected_)].measured();
  items_->chosen.setVisible(marked);
  if (marked) {
    const FaceCampaignTest& test = report_->tests[static_cast<std::size_t>(selected_)];
    items_->chosen.setValue(errorOf(test), test.quantity);
  }
  for (QwtPlotItem* item :
       std::initializer_list<QwtPlotItem*>{&items_->fitted, &items_->extrapolated, &items_->value, &items_->interval})
    item->setVisible(visible_[kCurve]);
  items_->model.setVisible(visible_[kModel]);
  items_->model_interval.setVisible(visible_[kModel]);
}

void FacePlot::applyColours() {
  const QColor panel = exporting() ? QColor(Qt::white) : colourOf(Role::panel);
  const QColor test = colourOf(Role::measured), curve = colourOf(Role::target), model = colourOf(Role::command),
               muted = colourOf(Role::mutedText), text = colourOf(Role::text);
  items_->counted.setSymbol(new QwtSymbol(QwtSymbol::Ellipse, test, QPen(panel), QSize(9, 9)));
  items_->dropped.setSymbol(new QwtSymbol(QwtSymbol::XCross, Qt::NoBrush, QPen(muted, 1.4), QSize(8, 8)));
  items_->least.setSymbol(new QwtSymbol(QwtSymbol::Ellipse, Qt::NoBrush, QPen(text, 1.6), QSize(16, 16)));
  items_->chosen.setSymbol(
      new QwtSymbol(QwtSymbol::Rect, Qt::NoBrush, QPen(colourOf(Role::accent), 1.6), QSize(20, 20)));
  items_->fitted.setPen(QPen(curve, 1.6));
  items_->extrapolated.setPen(QPen(curve, 1.6, Qt::DashLine));
  items_->value.setSymbol(new QwtSymbol(QwtSymbol::Diamond, curve, QPen(panel), QSize(13, 13)));
  items_->model.setSymbol(new QwtSymbol(QwtSymbol::UTriangle, model, QPen(panel), QSize(12, 12)));
  const auto bar = [](QwtPlotIntervalCurve& item, const QColor& colour) {
    auto* symbol = new QwtIntervalSymbol(QwtIntervalSymbol::Bar);
    symbol->setWidth(9);
    symbol->setPen(colour, 1.6);
    item.setSymbol(symbol);
  };
  bar(items_->interval, curve);
  bar(items_->model_interval, model);
  items_->tolerance.setPen(QPen(Qt::NoPen));
  items_->tolerance.setBrush(colourOf(Role::toleranceBand));
  items_->zero.setLinePen(penOf(Role::zeroLine));
  items_->reference.setLinePen(QPen(colourOf(Role::excitation), 1.4, Qt::DotLine));
  styleAxis(QwtAxis::XBottom, error_.withUnit(), 0);
  styleAxis(QwtAxis::YLeft, quantity_.withUnit(), 44);
}

QString FacePlot::reading() const {
  if (!hasData()) return {};
  const FacePrediction& prediction = report_->curve.prediction;
  const QString count = tr("%1 points").arg(points());
  return prediction.carried ? tr("%1, error-free %2").arg(count, quantityOf(*report_, prediction.value)) : count;
}

QString FacePlot::spoken() const {
  if (!report_) return {};
  return tr("%1. %2").arg(reading(), QString::fromStdString(report_->curve.sentence));
}

std::vector<LegendEntry> FacePlot::legendEntries() const {
  return {{tr("curve"), Role::target, Qt::SolidLine, visible_[kCurve]},
          {tr("structural model"), Role::command, Qt::SolidLine, visible_[kModel]},
          {tr("reference"), Role::excitation, Qt::DotLine, visible_[kReference]}};
}

void FacePlot::setEntryVisible(std::size_t entry, bool visible) {
  if (entry < kEntries) visible_[entry] = visible;
  refresh();
}

ValueTable FacePlot::valueTable() const {
  ValueTable table;
  if (!report_) return table;
  table.headers << error_.withUnit() << quantity_.withUnit() << tr("counts");
  for (const FaceCampaignTest& test : report_->tests)
    if (test.measured())
      table.rows.push_back(
          {errorOf(test) * error_.unit.factor, test.quantity * quantity_.unit.factor, report_->fits(test) ? 1.0 : 0.0});
  table.remark = QString::fromStdString(report_->curve.sentence);
  return table;
}

int FacePlot::testAt(const QPointF& at) const {
  int nearest = -1;
  double best = kReach_px;
  for (std::size_t t = 0; report_ && t < report_->tests.size(); ++t) {
    const FaceCampaignTest& test = report_->tests[t];
    if (!test.measured() || !std::isfinite(errorOf(test))) continue;
    const double distance = std::hypot(transform(QwtAxis::XBottom, errorOf(test)) - at.x(),
                                       transform(QwtAxis::YLeft, test.quantity) - at.y());
    if (distance <= best) {
      best = distance;
      nearest = static_cast<int>(t);
    }
  }
  return nearest;
}

QString FacePlot::tipOf(const FaceCampaignTest& test) const {
  const FaceAxisText varied = variedAxis(*report_);
  QStringList lines{QStringLiteral("%1: %2").arg(varied.title, quantityText(test.varied, varied.unit)),
                    QStringLiteral("%1: %2").arg(error_.title, quantityText(errorOf(test), error_.unit)),
                    QStringLiteral("%1: %2").arg(quantity_.title, quantityOf(*report_, test.quantity))};
  if (!test.dropped.empty()) lines << tr("left out: %1").arg(QString::fromStdString(test.dropped));
  return lines.join(QLatin1Char('\n'));
}

QString FacePlot::saidAt(const QPointF& canvas_px) const {
  const int test = testAt(canvas_px);
  return test < 0 ? QString() : tipOf(report_->tests[static_cast<std::size_t>(test)]);
}

void FacePlot::clickedAt(const QPointF& canvas_px) {
  if (const int test = testAt(canvas_px); test >= 0) Q_EMIT chosen(test);
}

}  // namespace hyb::ui
