#include "ui/analyse/figures_table.h"

#include <QHeaderView>
#include <string>

#include "core/assess/metrics.h"
#include "ui/base/theme.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

/// Lengths have the unit of the interface's gap.
QString valueText(const Json* object, const Measure& measure) {
  const Json* value = object != nullptr ? readingIn(*object, measure) : nullptr;
  if (value == nullptr) return {};
  if (value->is_number_integer()) return QString::number(value->get<long long>());
  if (!value->is_number()) return QStringLiteral("–");
  std::string unit = measure.unit;
  if (unit == "m") unit = object->value("units", unit);
  return quantityText(value->get<double>(), displayUnit(unit));
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
  const auto add = [](QTreeWidgetItem* parent, bool of_test, const Json* first, const Json* second) {
    for (const Measure& measure : measures()) {
      if (!measure.listed() || measure.ofTest() != of_test) continue;
      const QString one = valueText(first, measure), two = valueText(second, measure);
      if (one.isEmpty() && two.isEmpty()) continue;
      auto* item = new QTreeWidgetItem(parent, {QString::fromUtf8(measure.title), one, two});
      item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
      item->setTextAlignment(2, Qt::AlignRight | Qt::AlignVCenter);
      item->setToolTip(
          0, QString::fromStdString(measure.description()) + QLatin1Char('\n') + QString::fromUtf8(measure.cannot));
    }
  };
  // Without figures of interfaces, the page shows a text instead of a table of dashes.
  const bool early = a->contains("too_short") && (!b || b->contains("too_short"));
  const std::size_t interfaces = !early && a->contains("interfaces") ? a->at("interfaces").size() : 0;
  for (std::size_t i = 0; i < interfaces; ++i) {
    const Json& one = *part(a, i);
    const QString name = one.contains("name") ? QString::fromStdString(one.at("name").get<std::string>()) : QString();
    QTreeWidgetItem* item =
        group(name.isEmpty() ? tr("Interface %1").arg(i + 1) : tr("Interface %1 (%2)").arg(i + 1).arg(name));
    add(item, false, &one, part(b, i));
  }
  QTreeWidgetItem* whole = group(tr("Whole run"));
  add(whole, true, &*a, b ? &*b : nullptr);
}

}  // namespace hyb::ui
