#include "ui/rig/channel_table.h"

#include <QHeaderView>
#include <algorithm>
#include <cmath>

#include "ui/base/theme.h"
#include "ui/document/field_editors.h"
#include "ui/document/schema_tools.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

enum Column {
  kName,
  kRole,
  kAxis,
  kRaw,
  kScaled,
  kGain,
  kOffset,
  kTare,
  kReversed,
  kFilter,
  kRange,
  kCalibrated,
  kColumns
};

constexpr int kValueRole = Qt::UserRole + 1;  // of the scaled value, SI

QString textAt(const Json& channel, const char* key) {
  const auto found = channel.find(key);
  return found != channel.end() && found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
}

double numberAt(const Json& channel, const char* key, double fallback) {
  const auto found = channel.find(key);
  return found != channel.end() && found->is_number() ? found->get<double>() : fallback;
}

/// Title of the role as in the form.
QString roleTitle(const QString& role) {
  const Json& node = resolved(projectSchema()["definitions"]["channel"]["properties"]["role"]);
  const Json titles = node.value("x-enum-titles", node["enum"]);
  for (std::size_t i = 0; i < node["enum"].size(); ++i)
    if (node["enum"][i] == role.toStdString()) return QString::fromStdString(titles[i]);
  return role;
}

}  // namespace

QString scaledUnit(const std::string& role, const AxisSignals& axis) {
  const auto text = [](std::string_view unit) {
    return QString::fromUtf8(unit.data(), static_cast<qsizetype>(unit.size()));
  };
  if (role == "command") return text(facts(axis.command).unit);
  if (role == "command-rate") return text(facts(axis.command).rate_unit);
  if (role == "displacement") return text(facts(axis.motion).unit);
  return role == "force" ? text(facts(axis.force()).unit) : QString();
}

ChannelTable::ChannelTable(QWidget* parent) : QTableWidget(parent) {
  setAccessibleName(tr("Channels of the rig"));
  setObjectName(QStringLiteral("channels"));
  setColumnCount(kColumns);
  setHorizontalHeaderLabels({tr("Name"), tr("Role"), tr("Axis"), tr("Raw"), tr("Scaled"), tr("Gain"), tr("Offset"),
                             tr("Tare"), tr("Rev."), tr("Filter"), tr("Raw range"), tr("Calibrated")});
  const char* tips[] = {
      "",
      "",
      QT_TR_NOOP("Interface degree of freedom that the channel belongs to"),
      QT_TR_NOOP("Live value in the unit of the device"),
      QT_TR_NOOP("Live value with the present calibration"),
      QT_TR_NOOP("m, m/s or N per raw unit; a calibration table replaces it"),
      QT_TR_NOOP("Added to gain times raw value, in m, m/s or N; a calibration table replaces it"),
      QT_TR_NOOP("Scaled value that counts as zero"),
      QT_TR_NOOP("Reversed"),
      QT_TR_NOOP("Corner frequency of the low-pass filter"),
      QT_TR_NOOP("Values outside are never sent as commands. Readings outside are clipped and counted."),
      QT_TR_NOOP("Date of the calibration")};
  for (int column = 0; column < kColumns; ++column)
    if (*tips[column] != '\0') horizontalHeaderItem(column)->setToolTip(tr(tips[column]));
  setEditTriggers(NoEditTriggers);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setTabKeyNavigation(false);
  setShowGrid(false);
  setFrameShape(QFrame::NoFrame);
  setFont(figureFont(0.95));
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(24);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  horizontalHeader()->setFont(figureFont(0.9));
  horizontalHeader()->setStretchLastSection(true);
  horizontalHeader()->setMinimumSectionSize(32);
  const int figure = fontMetrics().horizontalAdvance(QStringLiteral("\u22128.88e-888 m/s")) + 16;  // the widest figure
  const int widths[] = {104, 92, 38, figure, figure, 52, 50, 58, 38, 48, 72, 76};
  for (int column = 0; column < kColumns; ++column) setColumnWidth(column, widths[column]);
  for (const int column : {kName, kRole})
    horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
}

void ChannelTable::setChannels(const Json& channels, const std::vector<AxisSignals>& axes,
                               const QStringList& sensor_units) {
  axes_ = axes;
  sensor_units_ = sensor_units;
  const int chosen = currentRow();
  setRowCount(static_cast<int>(channels.size()));
  for (int row = 0; row < rowCount(); ++row) {
    for (int column = 0; column < kColumns; ++column)
      if (!item(row, column)) {
        auto* cell = new QTableWidgetItem;
        const bool number = column == kRaw || column == kScaled;
        cell->setTextAlignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        setItem(row, column, cell);
      }
    fill(row, channels[static_cast<std::size_t>(row)]);
  }
  if (rowCount() > 0 && chosen < 0) selectRow(0);
}

void ChannelTable::fill(int row, const Json& channel) {
  if (!channel.is_object()) return;
  const QString role = textAt(channel, "role");
  const double axis = numberAt(channel, "interface", 0.0), filter = numberAt(channel, "filter_hz", 0.0);
  const auto place = static_cast<std::size_t>(std::clamp(axis, 1.0, 1e6)) - 1;
  const AxisSignals signals = place < axes_.size() ? axes_[place] : AxisSignals{};
  const auto sensor = static_cast<qsizetype>(place);
  const QString si = role == QLatin1String("displacement") && sensor < sensor_units_.size()
                         ? sensor_units_[sensor]
                         : scaledUnit(role.toStdString(), signals);
  const DisplayUnit unit = displayUnit(si.toStdString());
  const auto table = channel.find("table");
  const bool tabled = table != channel.end() && table->is_array() && !table->empty();
  const double low = numberAt(channel, "raw_min", -INFINITY), high = numberAt(channel, "raw_max", INFINITY);
  const double tare = numberAt(channel, "tare", 0.0);
  const auto reversed = channel.find("reversed");
  const auto set = [&](int column, const QString& text) { item(row, column)->setText(text); };
  set(kName, textAt(channel, "name"));
  set(kRole, roleTitle(role));
  set(kAxis, axis > 0.0 ? QString::number(axis) : QString());
  set(kGain, tabled ? tr("table") : figureText(numberAt(channel, "gain", 1.0), 4));
  set(kOffset, tabled ? QString() : figureText(numberAt(channel, "offset", 0.0), 4));
  set(kTare, tare == 0.0 ? QStringLiteral("0") : quantityText(tare, unit, true));
  set(kReversed, reversed != channel.end() && *reversed == true ? tr("yes") : QString());
  set(kFilter, filter > 0.0 ? tr("%1 Hz").arg(figureText(filter, 4)) : QString());
  set(kRange, std::isinf(low) && std::isinf(high)
                  ? QString()
                  : tr("%1 to %2")
                        .arg(std::isinf(low) ? QStringLiteral("-\u221e") : figureText(low, 4),
                             std::isinf(high) ? QStringLiteral("\u221e") : figureText(high, 4)));
  set(kCalibrated, textAt(channel, "calibrated_on"));
  item(row, kTare)->setToolTip(QStringLiteral("%1 %2").arg(figureText(tare, 4), si));
  const QString raw_unit = textAt(channel, "units").isEmpty() ? QStringLiteral("V") : textAt(channel, "units");
  item(row, kGain)
      ->setToolTip(tabled ? tr("The calibration table replaces it")
                          : QStringLiteral("%1 %2/%3")
                                .arg(QString::number(numberAt(channel, "gain", 1.0)),
                                     si.isEmpty() ? QStringLiteral("1") : si, raw_unit));
  item(row, kOffset)
      ->setToolTip(tabled ? item(row, kGain)->toolTip()
                          : QStringLiteral("%1 %2").arg(QString::number(numberAt(channel, "offset", 0.0)), si));
  item(row, kRange)
      ->setToolTip(item(row, kRange)->text().isEmpty()
                       ? QString()
                       : QStringLiteral("%1 %2").arg(item(row, kRange)->text(), raw_unit));
  item(row, kRaw)->setData(Qt::UserRole, raw_unit);
  item(row, kScaled)->setData(Qt::UserRole, si);
}

double ChannelTable::scaled(int row) const {
  const QVariant value = item(row, kScaled)->data(kValueRole);
  return value.isValid() ? value.toDouble() : std::nan("");
}

QString ChannelTable::scaledText(int row) const { return item(row, kScaled)->text(); }

void ChannelTable::setStale(bool stale) {
  for (int row = 0; row < rowCount(); ++row)
    for (const int column : {kRaw, kScaled}) {
      if (item(row, column)->font().italic() == stale) continue;
      QFont font = this->font();
      font.setItalic(stale);
      item(row, column)->setFont(font);
      item(row, column)->setForeground(stale ? QBrush(colour(Role::mutedText, palette())) : QBrush());
    }
}

void ChannelTable::showLive(int row, double raw, double scaled) {
  const auto show = [&](int column, double value, const DisplayUnit& unit) {
    item(row, column)->setText(std::isfinite(value) ? quantityText(value, unit, true) : QStringLiteral("\u2013"));
  };
  show(kRaw, raw, {1.0, item(row, kRaw)->data(Qt::UserRole).toString()});
  item(row, kScaled)->setData(kValueRole, scaled);
  show(kScaled, scaled, displayUnit(item(row, kScaled)->data(Qt::UserRole).toString().toStdString()));
}

}  // namespace hyb::ui
