#include "ui/analyse/figures_table.h"

#include <QHeaderView>
#include <array>
#include <string_view>

#include "ui/plot/quantity_text.h"
#include "ui/theme.h"

namespace hyb::ui {
namespace {

struct Figure {
  const char* key;
  const char* label;
  const char* unit;   // of the figure in the report
  double factor;      // to what is shown
  const char* shown;  // unit shown
  const char* meaning;
};
constexpr Figure kInterface[] = {
    {"tracking_nrmse_percent", "tracking error J2", "%", 1.0, "%", "rms of x - z over rms of z"},
    {"tracking_peak_percent", "tracking peak J3", "%", 1.0, "%", "largest |x - z| over largest |z|"},
    {"delay_ms", "delay J1", "ms", 1.0, "ms", "delay of x against z by correlation; positive: x lags"},
    {"amplitude_ratio", "amplitude ratio", "", 1.0, "", "|x| over |z| at the excitation frequency"},
    {"phase_deg", "phase", "deg", 1.0, "°", "phase of x against z; negative: x lags"},
    {"gap_rms", "gap rms", "m", 1e3, "mm", "rms of x - z"},
    {"gap_peak", "gap peak", "m", 1e3, "mm", "largest |x - z|"},
    {"reference_nrmse_percent", "reference J4", "%", 1.0, "%", "rms of x - z* over rms of z*, uncut structure"},
    {"reference_peak_percent", "ref. peak J5", "%", 1.0, "%", "largest |x - z*| over largest |z*|"},
};
constexpr Figure kWhole[] = {
    {"energy_error", "energy error", "J", 1e3, "mJ", "energy that the gaps brought into the loop"},
    {"missed_ticks", "missed ticks", "", 1.0, "", "periods that the loop skipped"},
    {"limits_hit", "limits hit", "", 1.0, "", "crossings of a limit"},
};

QString valueText(const Json* object, const Figure& figure) {
  if (object == nullptr || !object->contains(figure.key)) return {};
  const Json& value = object->at(figure.key);
  if (value.is_number_integer()) return QString::number(value.get<long long>());
  if (!value.is_number()) return QStringLiteral("–");
  const QString text = numberText(value.get<double>() * figure.factor);
  const bool turns = std::string_view(figure.unit) == "m" && object->value("units", std::string()) == "rad";
  const char* shown = turns ? "mrad" : figure.shown;
  return *shown ? text + QChar(0x2009) + QString::fromUtf8(shown) : text;
}

const Json* part(const std::optional<Json>& report, std::size_t interface) {
  if (!report || !report->contains("interfaces")) return nullptr;
  const Json& list = report->at("interfaces");
  return interface < list.size() ? &list.at(interface) : nullptr;
}

}  // namespace

FiguresTable::FiguresTable(QWidget* parent) : QTreeWidget(parent) {
  setAccessibleName(tr("Figures"));
  setColumnCount(3);
  setHeaderLabels({tr("figure"), tr("A"), tr("B")});
  setRootIsDecorated(false);
  setIndentation(8);
  setUniformRowHeights(true);
  setFrameShape(NoFrame);
  setSelectionMode(NoSelection);
  setFont(figureFont(0.9));
  header()->setFont(figureFont(0.85));
  header()->setStretchLastSection(false);
  header()->setSectionResizeMode(0, QHeaderView::Stretch);
  header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  header()->setSectionResizeMode(2, QHeaderView::ResizeToContents);
  setColumnHidden(2, true);
}

void FiguresTable::show(const std::optional<Json>& a, const std::optional<Json>& b) {
  clear();
  setColumnHidden(2, !b.has_value());
  if (!a) return;
  const auto group = [this](const QString& title) {
    auto* item = new QTreeWidgetItem(this, {title});
    item->setFont(0, figureFont(0.9, true));
    item->setFirstColumnSpanned(true);
    item->setExpanded(true);
    return item;
  };
  const auto add = [](QTreeWidgetItem* parent, const Figure& figure, const Json* first, const Json* second) {
    const QString one = valueText(first, figure), two = valueText(second, figure);
    if (one.isEmpty() && two.isEmpty()) return;
    auto* item = new QTreeWidgetItem(parent, {tr(figure.label), one, two});
    item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    item->setTextAlignment(2, Qt::AlignRight | Qt::AlignVCenter);
    item->setToolTip(0, tr(figure.meaning));
  };
  const std::size_t interfaces = a->contains("interfaces") ? a->at("interfaces").size() : 0;
  for (std::size_t i = 0; i < interfaces; ++i) {
    const Json& one = *part(a, i);
    const QString name = one.contains("name") ? QString::fromStdString(one.at("name").get<std::string>()) : QString();
    QTreeWidgetItem* item =
        group(name.isEmpty() ? tr("Interface %1").arg(i + 1) : tr("Interface %1 (%2)").arg(i + 1).arg(name));
    for (const Figure& figure : kInterface) add(item, figure, &one, part(b, i));
  }
  QTreeWidgetItem* whole = group(tr("Whole run"));
  for (const Figure& figure : kWhole) add(whole, figure, &*a, b ? &*b : nullptr);
}

}  // namespace hyb::ui
