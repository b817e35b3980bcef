#include "ui/plot/trials_plot.h"

#include <qwt_plot_curve.h>
#include <qwt_plot_marker.h>
#include <qwt_symbol.h>
#include <qwt_text.h>

#include <algorithm>
#include <cmath>

#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

struct TrialLook {
  Role role;
  QwtSymbol::Style symbol;
  Qt::PenStyle line;
};
// From the fifth interface on repeated from the first.
constexpr TrialLook kTrialLooks[] = {{Role::target, QwtSymbol::Ellipse, Qt::SolidLine},
                                     {Role::measured, QwtSymbol::Rect, Qt::DashLine},
                                     {Role::command, QwtSymbol::UTriangle, Qt::DashDotLine},
                                     {Role::force, QwtSymbol::Diamond, Qt::DotLine}};
constexpr int kTrialsShown = 10;  // trials on the axis, if so many are expected

const TrialLook& trialLook(std::size_t interface) { return kTrialLooks[interface % std::size(kTrialLooks)]; }

}  // namespace

struct TrialsPlot::Curves {
  QwtPlotCurve line, others;
  bool visible = true;
};

TrialsPlot::TrialsPlot(const QString& name, QWidget* parent)
    : PlotView(name, parent), best_(new QwtPlotMarker), bound_(new QwtPlotMarker) {
  bound_->setLineStyle(QwtPlotMarker::HLine);
  bound_->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);  // beside the large errors
  best_->setLabelAlignment(Qt::AlignTop | Qt::AlignHCenter);
  best_->setSpacing(7);
  double z = 20.0;
  for (QwtPlotMarker* marker : {bound_, best_}) {
    marker->setZ(z++);
    marker->setVisible(false);
    marker->attach(this);
  }
}

TrialsPlot::~TrialsPlot() = default;  // curves detach themselves

void TrialsPlot::setTrials(const TrialList* trials) {
  trials_ = trials;
  const std::size_t interfaces = trials != nullptr ? trials->interfaces() : 0;
  if (curves_.size() != interfaces) {
    curves_.clear();
    for (std::size_t i = 0; i < interfaces; ++i) {
      auto curves = std::make_unique<Curves>();
      double z = 5.0;
      for (QwtPlotCurve* curve : {&curves->line, &curves->others}) {
        curve->setZ(z++);
        curve->attach(this);
        curve->setItemAttribute(QwtPlotItem::AutoScale, false);
      }
      curves->others.setStyle(QwtPlotCurve::NoCurve);
      curves_.push_back(std::move(curves));
    }
    applyColours();
    Q_EMIT legendChanged();
  }
  refresh();
}

void TrialsPlot::updateData() {
  double most = 0.0;
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    QVector<QPointF> counting, others;
    for (std::size_t row = 0; row < trials_->count(); ++row) {
      const QPointF point(trials_->trial(row), trials_->error(row, i));
      if (!std::isfinite(point.y())) continue;
      (trials_->counts(row) ? counting : others) << point;
      if (curves_[i]->visible) most = std::max(most, point.y());
    }
    curves_[i]->line.setSamples(counting);
    curves_[i]->others.setSamples(others);
    curves_[i]->line.setVisible(curves_[i]->visible);
    curves_[i]->others.setVisible(curves_[i]->visible);
  }
  const auto best = trials_ != nullptr ? trials_->best() : std::nullopt;
  best_->setVisible(best.has_value());
  if (best) best_->setValue(trials_->trial(*best), trials_->error(*best));
  const double bound = trials_ != nullptr ? trials_->rules().stop_below_percent : 0.0;
  bound_->setVisible(bound > 0.0 && hasData());
  bound_->setYValue(bound);
  if (bound_->isVisible()) most = std::max(most, bound);

  const int done = hasData() ? trials_->trial(trials_->count() - 1) : 0;
  const int to_come = trials_ != nullptr ? std::min(trials_->rules().count, kTrialsShown) : kTrialsShown;
  const int shown = std::max({1, done, to_come});
  const QwtInterval x = manualRange(QwtAxis::XBottom).value_or(QwtInterval(0.5, shown + 0.5));
  const int labels = std::max(1, canvas()->width() / 40);
  setScale(QwtAxis::XBottom, x.minValue(), x.maxValue(), 1.0, {},
           std::clamp(static_cast<int>(x.width()), 1, labels));  // only whole numbers
  const QwtInterval y = manualRange(QwtAxis::YLeft).value_or(QwtInterval(0.0, most > 0.0 ? 1.18 * most : 1.0));
  setScale(QwtAxis::YLeft, y.minValue(), y.maxValue(), 1.0, {}, std::clamp(canvas()->height() / 32, 2, 8));
}

void TrialsPlot::applyColours() {
  const QColor panel = exporting() ? QColor(Qt::white) : colourOf(Role::panel);
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    const TrialLook& look = trialLook(i);
    const QColor hue = colourOf(look.role);
    QPen pen = penOf(look.role, look.line);
    pen.setWidthF(1.5);
    curves_[i]->line.setPen(pen);
    curves_[i]->line.setSymbol(new QwtSymbol(look.symbol, hue, QPen(panel), QSize(8, 8)));
    curves_[i]->others.setSymbol(new QwtSymbol(QwtSymbol::XCross, Qt::NoBrush, QPen(hue, 1.6), QSize(9, 9)));
  }
  const auto label = [this](const QString& text, Role role) {
    QwtText made(text);
    made.setFont(figureFont(0.85));
    made.setColor(colourOf(role));
    return made;
  };
  best_->setSymbol(new QwtSymbol(QwtSymbol::Ellipse, Qt::NoBrush, QPen(colourOf(Role::text), 1.6), QSize(15, 15)));
  best_->setLabel(label(tr("best"), Role::text));
  bound_->setLinePen(penOf(Role::limit, Qt::DashLine));
  bound_->setLabel(label(tr("end of trials"), Role::mutedText));
  styleAxis(QwtAxis::XBottom, tr("trial"), 0);
  styleAxis(QwtAxis::YLeft, tr("error (%)"), 34);
}

QString TrialsPlot::reading() const {
  if (!hasData()) return {};
  const double last = trials_->error(trials_->count() - 1);
  QStringList parts{tr("last %1\u2009%").arg(numberText(last))};
  if (const auto best = trials_->best())
    parts << tr("best %1\u2009%, trial %2").arg(numberText(trials_->error(*best))).arg(trials_->trial(*best));
  return parts.join(QStringLiteral(" · "));
}

std::vector<LegendEntry> TrialsPlot::legendEntries() const {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < curves_.size(); ++i)
    entries.push_back({QString::number(i + 1), trialLook(i).role, trialLook(i).line, curves_[i]->visible});
  return entries;
}

void TrialsPlot::setEntryVisible(std::size_t entry, bool visible) {
  if (entry >= curves_.size()) return;
  curves_[entry]->visible = visible;
  refresh();
}

ValueTable TrialsPlot::valueTable() const {
  ValueTable table;
  table.headers << tr("trial") << tr("counts") << tr("error (%)");
  for (std::size_t i = 0; i < curves_.size(); ++i) table.headers << tr("error %1 (%)").arg(i + 1);
  if (!hasData()) return table;
  for (std::size_t row = 0; row < trials_->count(); ++row) {
    std::vector<double> values{static_cast<double>(trials_->trial(row)), trials_->counts(row) ? 1.0 : 0.0,
                               trials_->error(row)};
    for (std::size_t i = 0; i < curves_.size(); ++i) values.push_back(trials_->error(row, i));
    table.rows.push_back(std::move(values));
  }
  return table;
}

}  // namespace hyb::ui
