#include "ui/plot/run_curves.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <map>

#include "core/fidelity/measure.h"

namespace hyb::ui {
namespace {

/// Further interfaces keep the hue of their role and differ by the line style.
Qt::PenStyle styleOf(std::size_t i) { return i == 0 ? Qt::SolidLine : Qt::DashDotLine; }

}  // namespace

std::vector<TimeCurve> motionCurves(const RowLayout& layout, std::size_t i) {
  const std::string &left = layout.units(layout.measured(i)), &right = layout.units(layout.force(i));
  std::vector<TimeCurve> curves{
      {QStringLiteral("z"), layout.target(i), Role::target},
      {QStringLiteral("u"), layout.command(i), Role::command, Qt::DashLine},
      {QStringLiteral("x"), layout.measured(i), Role::measured},
      {QStringLiteral("f"), layout.force(i), Role::force, Qt::SolidLine, true, false},
  };
  if (layout.hasReference())
    curves.push_back({QStringLiteral("z*"), layout.reference(i), Role::excitation, Qt::DotLine, false, false});
  for (TimeCurve& curve : curves) curve.right = layout.units(curve.column) == right;
  std::erase_if(curves, [&](const TimeCurve& curve) { return !curve.right && layout.units(curve.column) != left; });
  return curves;
}

void showUnits(TimePlot& plot, const RowLayout& layout, std::size_t i) {
  const AxisSignals& axis = layout.signals()[i];
  plot.setAxisUnit(false, layout.units(layout.measured(i)), facts(axis.motion).shown_span);
  plot.setAxisUnit(true, layout.units(layout.force(i)), facts(axis.force()).shown_span);
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
  // An area in the plane of the target and the compared quantity.
  const std::string area = layout.interfaces() > 0 ? layout.units(layout.target(0)) + "^2" : "m^2";
  plot.setAxisUnit(false, area, area == "m^2" ? 1e-9 : 1e-3);
  plot.setAxisUnit(true, "J", 1e-6);
  plot.setCurves(std::move(curves));
}

namespace {

/// A column shown in a group: adapted quantities, and further columns of scheme and rig.
struct GroupedColumn {
  std::size_t column;
  QString title;
  std::string units;
  std::string group;
};

constexpr std::size_t kFewestOfFamily = 4;
/// Quantities whose titles differ only by a number.
struct Family {
  std::size_t place, count;
  int from, to;
};

/// "tap 12": stem and number.
std::pair<QString, int> numbered(const QString& title) {
  const qsizetype space = title.lastIndexOf(QLatin1Char(' '));
  bool whole = false;
  const int number = title.mid(space + 1).toInt(&whole);
  return whole && space > 0 ? std::pair{title.left(space), number} : std::pair{title, 0};
}

std::vector<GroupedColumn> groupedColumns(const RowLayout& layout) {
  std::vector<GroupedColumn> columns;
  for (std::size_t a = 0; a < layout.adapted().size(); ++a) {
    const Adapted& quantity = layout.adapted()[a];
    // "prediction_1" -> "pred 1": four names must fit into the header of one plot.
    const QStringList words = QString::fromStdString(quantity.name).split(QLatin1Char('_'));
    const QString made = words.size() > 1 ? words.first().left(4) + QLatin1Char(' ') + words.last() : words.first();
    columns.push_back({layout.adaptedColumn(a), quantity.title.empty() ? made : QString::fromStdString(quantity.title),
                       quantity.units, quantity.group});
  }
  for (std::size_t c = 0; c < layout.furtherChannels(); ++c) {
    const std::size_t column = layout.furtherColumn(c);
    const Channel& channel = layout.column(column);
    const QString made = QString::fromStdString(channel.name).replace(QLatin1Char('_'), QLatin1Char(' '));
    const QString of_unit = channel.units.empty() ? TimePlot::tr("Rig: states and numbers")
                                                  : TimePlot::tr("Rig: %1").arg(QString::fromStdString(channel.units));
    columns.push_back({column, channel.title.empty() ? made : QString::fromStdString(channel.title), channel.units,
                       channel.group.empty() ? of_unit.toStdString() : channel.group});
  }
  return columns;
}

}  // namespace

void offerGroups(QComboBox& choice, const RowLayout& layout) {
  const QSignalBlocker quiet(choice);
  const QString before = choice.currentData().toString();
  choice.clear();
  for (const GroupedColumn& column : groupedColumns(layout)) {
    const QString group = QString::fromStdString(column.group);
    if (choice.findData(group) < 0) choice.addItem(group.isEmpty() ? TimePlot::tr("Compensation") : group, group);
  }
  choice.setCurrentIndex(std::max(0, choice.findData(before)));
  choice.setVisible(choice.count() > 1 || !choice.currentData().toString().isEmpty());
}

void showGroup(TimePlot& plot, const RowLayout& layout, const QComboBox& choice) {
  std::vector<GroupedColumn> columns = groupedColumns(layout);
  const bool nothing = columns.empty();
  const std::string group = choice.currentData().toString().toStdString();
  std::erase_if(columns, [&](const GroupedColumn& column) { return column.group != group; });
  const auto with_unit =
      std::find_if(columns.begin(), columns.end(), [](const GroupedColumn& c) { return !c.units.empty(); });
  const std::string left_unit = with_unit != columns.end() ? with_unit->units : std::string();
  plot.setEmptyText(nothing ? TimePlot::tr("This compensator adapts nothing.")
                            : TimePlot::tr("Adapted quantities of the compensator, and further signals of the rig."));
  std::map<QString, Family> families;
  for (const GroupedColumn& column : columns) {
    const auto [stem, number] = numbered(column.title);
    Family& family = families.try_emplace(stem, Family{families.size(), 0, number, number}).first->second;
    ++family.count;
    family.from = std::min(family.from, number);
    family.to = std::max(family.to, number);
  }
  // A file has them in the order of their names: 1, 11, 2.
  std::ranges::stable_sort(columns, {}, [&](const GroupedColumn& column) {
    const auto [stem, number] = numbered(column.title);
    return std::pair{families.at(stem).place, number};
  });
  std::vector<TimeCurve> curves;
  std::string right_unit;
  std::array<std::size_t, 2> count{};
  for (const GroupedColumn& column : columns) {
    const bool right = column.units != left_unit;
    if (right) right_unit = column.units;
    const QString stem = numbered(column.title).first;
    const Family& family = families.at(stem);
    const bool many = family.count >= kFewestOfFamily;
    curves.push_back({column.title, column.column, right ? Role::force : Role::command,
                      many ? Qt::SolidLine : styleOf(count[right ? 1 : 0]++), right, true,
                      many ? TimePlot::tr("%1 %2 to %3").arg(stem).arg(family.from).arg(family.to) : QString()});
  }
  // Compensators adapt ticks and gains, about 1; the magnitude of the others is unknown.
  constexpr double kAny = 1e-9;
  plot.setAxisUnit(false, left_unit, group.empty() ? 0.05 : kAny);
  plot.setAxisUnit(true, right_unit, group.empty() ? 0.005 : kAny,
                   right_unit.empty() ? TimePlot::tr("gain") : QString());
  plot.setCurves(std::move(curves));
}

}  // namespace hyb::ui
