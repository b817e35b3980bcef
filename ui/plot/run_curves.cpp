#include "ui/plot/run_curves.h"

#include <QStringList>
#include <algorithm>
#include <array>

#include "core/fidelity/measure.h"

namespace hyb::ui {
namespace {

/// Further interfaces keep the hue of their role and differ by the line.
Qt::PenStyle styleOf(std::size_t i) { return i == 0 ? Qt::SolidLine : Qt::DashDotLine; }

}  // namespace

std::vector<TimeCurve> motionCurves(const RowLayout& layout, std::size_t i) {
  std::vector<TimeCurve> curves{
      {QStringLiteral("z"), layout.target(i), Role::target},
      {QStringLiteral("u"), layout.command(i), Role::command, Qt::DashLine},
      {QStringLiteral("x"), layout.measured(i), Role::measured},
      {QStringLiteral("f"), layout.force(i), Role::force, Qt::SolidLine, true, false},
  };
  if (layout.hasReference())
    curves.push_back({QStringLiteral("z*"), layout.reference(i), Role::excitation, Qt::DotLine, false, false});
  return curves;
}

void showUnits(TimePlot& plot, const RowLayout& layout, std::size_t i) {
  plot.setAxisUnit(false, layout.units(layout.target(i)), 1e-6);
  plot.setAxisUnit(true, layout.units(layout.force(i)), 1e-3);
}

QString trackingMeaning() {
  QStringList lines;
  for (const char* name : {"tracking_indicator", "energy_error"}) {
    const Measure* measure = findMeasure(name);
    lines << QStringLiteral("%1 (%2).").arg(QString::fromUtf8(measure->title), QString::fromUtf8(measure->sign));
  }
  return lines.join(QLatin1Char('\n'));
}

void showTracking(TimePlot& plot, const RowLayout& layout) {
  std::vector<TimeCurve> curves;
  for (std::size_t i = 0; i < layout.interfaces(); ++i)
    curves.push_back(
        {TimePlot::tr("TI %1").arg(i + 1), RunHistory::trackingIndicator(layout, i), Role::measured, styleOf(i)});
  curves.push_back({TimePlot::tr("energy"), RunHistory::energyError(layout), Role::force, Qt::SolidLine, true});
  plot.setAxisUnit(false, "m^2", 1e-9);
  plot.setAxisUnit(true, "J", 1e-6);
  plot.setCurves(std::move(curves));
}

void offerAdapted(QComboBox& choice, const RowLayout& layout) {
  const QSignalBlocker quiet(choice);
  const QString before = choice.currentData().toString();
  choice.clear();
  for (const Adapted& quantity : layout.adapted()) {
    const QString group = QString::fromStdString(quantity.group);
    if (choice.findData(group) < 0) choice.addItem(group.isEmpty() ? TimePlot::tr("Compensation") : group, group);
  }
  choice.setCurrentIndex(std::max(0, choice.findData(before)));
  choice.setVisible(choice.count() > 1);
}

void showAdapted(TimePlot& plot, const RowLayout& layout, const QComboBox& choice) {
  const std::vector<Adapted>& quantities = layout.adapted();
  const std::string group = choice.currentData().toString().toStdString();
  const auto shown = [&](const Adapted& quantity) { return quantity.group == group; };
  const auto with_unit = std::find_if(quantities.begin(), quantities.end(),
                                      [&](const Adapted& a) { return shown(a) && !a.units.empty(); });
  const std::string left_unit = with_unit != quantities.end() ? with_unit->units : std::string();
  plot.setEmptyText(quantities.empty() ? TimePlot::tr("This compensator adapts nothing.")
                                       : TimePlot::tr("What the compensator adapts."));
  std::vector<TimeCurve> curves;
  std::string right_unit;
  std::array<std::size_t, 2> count{};
  for (std::size_t a = 0; a < quantities.size(); ++a) {
    if (!shown(quantities[a])) continue;
    const bool right = quantities[a].units != left_unit;
    if (right) right_unit = quantities[a].units;
    // "prediction_1" -> "pred 1": four of them stand in the header of one plot.
    const QStringList words = QString::fromStdString(quantities[a].name).split(QLatin1Char('_'));
    const QString made = words.size() > 1 ? words.first().left(4) + QLatin1Char(' ') + words.last() : words.first();
    curves.push_back({quantities[a].title.empty() ? made : QString::fromStdString(quantities[a].title),
                      layout.adaptedColumn(a), right ? Role::force : Role::command, styleOf(count[right ? 1 : 0]++),
                      right});
  }
  // What compensators adapt are ticks and gains, about 1; the size of the others is not known.
  constexpr double kAny = 1e-9;
  plot.setAxisUnit(false, left_unit, group.empty() ? 0.05 : kAny);
  plot.setAxisUnit(true, right_unit, group.empty() ? 0.005 : kAny,
                   right_unit.empty() ? TimePlot::tr("gain") : QString());
  plot.setCurves(std::move(curves));
}

}  // namespace hyb::ui
