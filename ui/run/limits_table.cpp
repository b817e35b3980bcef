#include "ui/run/limits_table.h"

#include <QEvent>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>
#include <cmath>

#include "ui/plot/quantity_text.h"
#include "ui/theme.h"

namespace hyb::ui {
namespace {

enum Column { kName, kValue, kAction, kState, kColumns };
constexpr int kShareRole = Qt::UserRole, kMarkRole = Qt::UserRole + 1;

/// Share of the threshold as a bar with its percentage.
class BarDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QVariant share = index.data(kShareRole);
    const QRect box = option.rect.adjusted(4, 4, -4, -4);
    painter->save();
    painter->setPen(Qt::NoPen);
    painter->setBrush(colour(Role::grid, option.palette));
    painter->drawRoundedRect(box, 2, 2);
    if (share.isValid()) {
      const double value = share.toDouble();
      const bool mark = index.data(kMarkRole).toBool();
      const Role role = mark ? Role::error : value > 0.8 ? Role::warning : Role::ok;
      QRect filled = box;
      filled.setWidth(std::max(value > 0.0 ? 2 : 0, static_cast<int>(box.width() * std::clamp(value, 0.0, 1.0))));
      QColor fill = colour(role, option.palette);
      fill.setAlphaF(0.55F);
      painter->setBrush(fill);
      painter->drawRoundedRect(filled, 2, 2);
    }
    painter->setPen(colour(Role::text, option.palette));
    painter->setFont(option.font);
    painter->drawText(box.adjusted(0, 0, -4, 0), Qt::AlignRight | Qt::AlignVCenter, index.data().toString());
    painter->restore();
  }
};

/// A threshold as people write it: "18 mm", "0.45 m/s".
QString boundText(double threshold, const DisplayUnit& unit) {
  const QString number = QString::number(threshold * unit.factor, 'g', 4);
  return unit.text.isEmpty() || unit.text == QLatin1String("ticks") ? number : number + QChar(0x2009) + unit.text;
}

bool isCondition(Quantity quantity) {
  return quantity == Quantity::not_a_number || quantity == Quantity::link_lost || quantity == Quantity::interlock;
}

QString words(std::string_view text) {
  QString result = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
  return result.replace(QLatin1Char('-'), QLatin1Char(' '));
}

}  // namespace

LimitsTable::LimitsTable(QWidget* parent) : QTableWidget(parent) {
  setAccessibleName(tr("Limits"));
  setColumnCount(kColumns);
  setHorizontalHeaderLabels({tr("limit"), tr("now"), tr("action"), tr("state")});
  setItemDelegateForColumn(kValue, new BarDelegate(this));
  setEditTriggers(NoEditTriggers);
  setSelectionMode(NoSelection);
  setFocusPolicy(Qt::TabFocus);
  setShowGrid(false);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  verticalHeader()->hide();
  verticalHeader()->setMinimumSectionSize(18);
  verticalHeader()->setDefaultSectionSize(20);
  horizontalHeader()->setMinimumSectionSize(24);
  horizontalHeader()->setSectionResizeMode(kName, QHeaderView::Stretch);
  horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  horizontalHeader()->setHighlightSections(false);
  setColumnWidth(kValue, 54);
  setColumnWidth(kAction, 52);
  setColumnWidth(kState, 46);
  setFont(figureFont(0.9));
  horizontalHeader()->setFixedHeight(24);
  horizontalHeader()->setFont(figureFont(0.85));
}

void LimitsTable::setLimits(const std::vector<Limit>& limits) {
  setRowCount(static_cast<int>(limits.size()));
  for (int row = 0; row < rowCount(); ++row) {
    for (int column = 0; column < kColumns; ++column) setItem(row, column, new QTableWidgetItem);
    const Limit& limit = limits[static_cast<std::size_t>(row)];
    showRow(row, limit, std::nan(""), 0.0, limit.threshold, false, false, false);
  }
}

void LimitsTable::update(const SafetyChain& safety, bool armed) {
  const std::vector<Limit>& limits = safety.limits();
  if (rowCount() != static_cast<int>(limits.size())) setLimits(limits);
  for (std::size_t l = 0; l < limits.size(); ++l) {
    const LimitMonitor& monitor = safety.monitors()[l];
    showRow(static_cast<int>(l), limits[l], monitor.value.load(std::memory_order_relaxed),
            monitor.peak.load(std::memory_order_relaxed), monitor.threshold.load(std::memory_order_relaxed),
            monitor.active.load(std::memory_order_relaxed), monitor.latched.load(std::memory_order_relaxed), armed);
  }
}

void LimitsTable::showRow(int row, const Limit& limit, double value, double peak, double threshold, bool active,
                          bool latched, bool armed) {
  const DisplayUnit shown = displayUnit(unit(limit.quantity));
  QString name = words(hyb::name(limit.quantity));
  if (limit.interface > 0) name += QStringLiteral(" %1").arg(limit.interface);
  const bool condition = isCondition(limit.quantity);
  const QString bound = condition ? QString() : boundText(threshold, shown);
  item(row, kName)->setText(bound.isEmpty() ? name : name + QStringLiteral("  ") + bound);

  QTableWidgetItem& bar = *item(row, kValue);
  const double share = value / threshold;
  const bool known = std::isfinite(share) && !condition;
  bar.setData(kShareRole, known ? QVariant(share) : QVariant());
  bar.setData(kMarkRole, active);
  bar.setText(known ? QStringLiteral("%1 %").arg(100.0 * share, 0, 'f', 0) : QString());

  const QString action = words(hyb::name(limit.action));
  item(row, kAction)->setText(action);
  const QString state = active && armed ? tr("HIT") : latched ? tr("was hit") : armed ? tr("armed") : tr("set");
  QTableWidgetItem& cell = *item(row, kState);
  cell.setText(state);
  cell.setData(kMarkRole, active || latched);
  cell.setForeground(colour(active || latched ? Role::error : Role::mutedText, palette()));
  item(row, kAction)->setForeground(colour(Role::mutedText, palette()));

  QString sentence =
      condition ? tr("%1: %2 when it occurs.").arg(name, action) : tr("%1: %2 at %3.").arg(name, action, bound);
  if (known) sentence += tr(" Now %1, largest %2.").arg(quantityText(value, shown), quantityText(peak, shown));
  for (int column = 0; column < kColumns; ++column) item(row, column)->setToolTip(sentence);
}

void LimitsTable::recolour() {
  for (int row = 0; row < rowCount(); ++row) {
    item(row, kAction)->setForeground(colour(Role::mutedText, palette()));
    QTableWidgetItem& cell = *item(row, kState);
    cell.setForeground(colour(cell.data(kMarkRole).toBool() ? Role::error : Role::mutedText, palette()));
  }
}

void LimitsTable::changeEvent(QEvent* event) {
  QTableWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) recolour();
}

}  // namespace hyb::ui
