#include "ui/plot/convergence_plot.h"

#include <qwt_plot_curve.h>
#include <qwt_plot_marker.h>
#include <qwt_text.h>

#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr double kLeast_dB = -60.0;  // lower limit of the axis

QFont boundFont() { return figureFont(0.85); }  // beside the bound
double decibels(double factor) { return std::max(kLeast_dB, 20.0 * std::log10(factor)); }

}  // namespace

struct ConvergencePlot::Curve {
  QString name;
  QVector<QPointF> points;  // Hz, dB
  QPointF peak;
  Role role = Role::target;
  Qt::PenStyle style = Qt::SolidLine;
  bool visible = true;
  QwtPlotCurve line;
};

ConvergencePlot::ConvergencePlot(const QString& name, QWidget* parent)
    : PlotView(name, parent), bound_(new QwtPlotMarker) {
  bound_->setLineStyle(QwtPlotMarker::HLine);
  bound_->setLabelAlignment(Qt::AlignRight | Qt::AlignTop);
  bound_->attach(this);
}

ConvergencePlot::~ConvergencePlot() = default;  // curves detach themselves

void ConvergencePlot::setReport(const Json& learning) {
  curves_.clear();
  const auto add = [&](const Json& condition, const QString& name, Role role, Qt::PenStyle style) {
    auto curve = std::make_unique<Curve>();
    curve->name = name;
    curve->role = role;
    curve->style = style;
    const Json& over = condition.at("over_frequency");
    for (std::size_t k = 0; k < over.at("factor").size(); ++k)
      curve->points << QPointF(over.at("frequency_hz")[k].get<double>(), decibels(over.at("factor")[k].get<double>()));
    curve->peak = {condition.at("frequency_hz").get<double>(), decibels(condition.at("largest").get<double>())};
    curve->line.setSamples(curve->points);
    curve->line.setItemAttribute(QwtPlotItem::AutoScale, false);
    curve->line.attach(this);
    curves_.push_back(std::move(curve));
  };
  constexpr Qt::PenStyle kStyles[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine};
  for (std::size_t a = 0; a < learning.size(); ++a) {
    const Json& entry = learning[a];
    const QString whose = learning.size() > 1 ? QStringLiteral(" %1").arg(a + 1) : QString();
    const Qt::PenStyle style = kStyles[a % std::size(kStyles)];
    const bool laws = entry.contains("in_contact");
    add(entry, (laws ? tr("without the laws") : tr("factor")) + whose, Role::target, style);
    if (laws) add(entry.at("in_contact"), tr("laws at their stiffest") + whose, Role::measured, style);
  }
  applyColours();
  Q_EMIT legendChanged();
  refresh();
}

void ConvergencePlot::updateData() {
  double last_hz = 0.0, least = 0.0, most = 0.0;
  for (const auto& curve : curves_) {
    curve->line.setVisible(curve->visible);
    if (!curve->visible) continue;
    for (const QPointF& point : curve->points) {
      last_hz = std::max(last_hz, point.x());
      least = std::min(least, point.y());
      most = std::max(most, point.y());
    }
  }
  const QwtInterval across = manualRange(QwtAxis::XBottom).value_or(QwtInterval(0.0, last_hz > 0.0 ? last_hz : 10.0));
  setScale(QwtAxis::XBottom, across.minValue(), across.maxValue(), 1.0, tr(" Hz"),
           std::clamp(canvas()->width() / 70, 2, 8));
  // Keeps space for the part above the bound, even in a low plot.
  const double words = QFontMetrics(boundFont()).height() + 4.0,
               height = std::max(3.0 * words, 1.0 * canvas()->height());
  const double margin = std::max(1.0, (most - least) * std::max(0.12, words / (height - words)));
  const QwtInterval up = manualRange(QwtAxis::YLeft).value_or(QwtInterval(least, most + margin));
  setScale(QwtAxis::YLeft, up.minValue(), up.maxValue(), 1.0, {}, std::clamp(canvas()->height() / 32, 2, 8));
}

void ConvergencePlot::applyColours() {
  for (const auto& curve : curves_) {
    QPen pen = penOf(curve->role, curve->style);
    pen.setWidthF(1.5);
    curve->line.setPen(pen);
  }
  QwtText grows(tr("grows above"));
  grows.setFont(boundFont());
  grows.setColor(colourOf(Role::mutedText));
  bound_->setLabel(grows);
  bound_->setLinePen(penOf(Role::limit, Qt::DashLine));
  styleAxis(QwtAxis::XBottom, {}, 0);
  styleAxis(QwtAxis::YLeft, tr("error, trial to trial (dB)"), 34);
}

QString ConvergencePlot::reading() const {
  if (!hasData()) return {};
  const QPointF peak =
      (*std::ranges::max_element(curves_, {}, [](const auto& curve) { return curve->peak.y(); }))->peak;
  return tr("at most %1\u2009dB, at %2\u2009Hz").arg(numberText(peak.y()), numberText(peak.x()));
}

std::vector<LegendEntry> ConvergencePlot::legendEntries() const {
  std::vector<LegendEntry> entries;
  for (const auto& curve : curves_) entries.push_back({curve->name, curve->role, curve->style, curve->visible});
  return entries;
}

void ConvergencePlot::setEntryVisible(std::size_t entry, bool visible) {
  if (entry >= curves_.size()) return;
  curves_[entry]->visible = visible;
  refresh();
}

ValueTable ConvergencePlot::valueTable() const {
  ValueTable table;
  table.headers << tr("curve") << tr("frequency (Hz)") << tr("error, trial to trial (dB)");
  QStringList names;
  for (std::size_t c = 0; c < curves_.size(); ++c) {
    names << QStringLiteral("%1: %2").arg(c + 1).arg(curves_[c]->name);
    for (const QPointF& point : curves_[c]->points)
      table.rows.push_back({static_cast<double>(c + 1), point.x(), point.y()});
  }
  table.remark = names.join(QStringLiteral("; "));
  return table;
}

}  // namespace hyb::ui
