#include "ui/run/limits_table.h"

#include <QEvent>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>
#include <cmath>

#include "ui/base/theme.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

enum LimitColumn { kLimitName, kLimitValue, kLimitPeak, kLimitState, kLimitColumns };
constexpr int kShareRole = Qt::UserRole, kMarkRole = Qt::UserRole + 1, kPeakRole = Qt::UserRole + 2;
constexpr int kLimitRow_px = 20, kTrippedRow_px = 38;

/// Bar with the value in percent of the threshold, and a line at the peak.
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
      const double peak = index.data(kPeakRole).toDouble();
      const int at = box.left() + static_cast<int>((box.width() - 2) * std::clamp(peak, 0.0, 1.0));
      painter->fillRect(QRect(at, box.top(), 2, box.height()),
                        colour(peak >= 1.0 ? Role::error : Role::mutedText, option.palette));
    }
    painter->setPen(colour(Role::text, option.palette));
    painter->setFont(option.font);
    painter->drawText(box.adjusted(0, 0, -4, 0), Qt::AlignRight | Qt::AlignVCenter, index.data().toString());
    painter->restore();
  }
};

/// Text of a threshold: "18 mm", "0.45 m/s".
QString boundText(double threshold, const DisplayUnit& unit) {
  const QString number = figureText(threshold * unit.factor, 4);
  return unit.text.isEmpty() ? number : number + QChar(0x2009) + unit.text;
}

QString words(std::string_view text) {
  QString result = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
  return result.replace(QLatin1Char('-'), QLatin1Char(' '));
}

}  // namespace

LimitsTable::LimitsTable(QWidget* parent) : QTableWidget(parent) {
  setAccessibleName(tr("Limits"));
  setColumnCount(kLimitColumns);
  setHorizontalHeaderLabels({tr("limit"), tr("now"), tr("peak / bound"), tr("action")});
  setItemDelegateForColumn(kLimitValue, new BarDelegate(this));
  setEditTriggers(NoEditTriggers);
  setSelectionMode(NoSelection);
  setFocusPolicy(Qt::TabFocus);
  setShowGrid(false);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  verticalHeader()->hide();
  verticalHeader()->setMinimumSectionSize(18);
  verticalHeader()->setDefaultSectionSize(kLimitRow_px);
  horizontalHeader()->setMinimumSectionSize(24);
  horizontalHeader()->setSectionResizeMode(kLimitValue, QHeaderView::Stretch);
  horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  horizontalHeader()->setHighlightSections(false);
  setFont(figureFont(0.85));
  for (const int column : {kLimitName, kLimitPeak, kLimitState})
    horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  horizontalHeader()->setFixedHeight(24);
  horizontalHeader()->setFont(figureFont(0.85));
}

void LimitsTable::setLimits(const std::vector<Limit>& limits) {
  setRowCount(0);
  setRowCount(static_cast<int>(limits.size()));
  for (int row = 0; row < rowCount(); ++row) {
    for (int column = 0; column < kLimitColumns; ++column) setItem(row, column, new QTableWidgetItem);
    const Limit& limit = limits[static_cast<std::size_t>(row)];
    showRow(row, limit, std::nan(""), 0.0, limit.threshold, false, false, false);
  }
}

void LimitsTable::begin() {
  setRowCount(0);
  tripped_ = -1;
}

void LimitsTable::update(const SafetyChain& safety, bool armed, int deciding) {
  const std::vector<Limit>& limits = safety.limits();
  const auto decisive = static_cast<std::size_t>(deciding);
  tripped_ = deciding >= 0 && limits[decisive].action >= Action::ramp ? deciding : -1;
  if (tripped_ >= 0) tripped_at_ = safety.monitors()[decisive].crossed_at.load(std::memory_order_relaxed);
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
  const DisplayUnit shown = displayUnit(limit.unit());
  const QString name = QString::fromStdString(hyb::words(limit));
  const bool condition = limit.quantity->isCondition();
  const QString bound = condition ? QString() : boundText(threshold, shown);
  const QString short_bound = limit.quantity->counted && !condition ? figureText(threshold, 4) : bound;
  item(row, kLimitName)->setText(name);

  QTableWidgetItem& bar = *item(row, kLimitValue);
  const double share = value / threshold;
  const bool known = std::isfinite(share) && !condition;
  bar.setData(kShareRole, known ? QVariant(share) : QVariant());
  bar.setData(kMarkRole, active);
  bar.setText(known ? QStringLiteral("%1 %").arg(100.0 * share, 0, 'f', 0) : QString());

  item(row, kLimitPeak)
      ->setText(known ? QStringLiteral("%1 / %2").arg(figureText(peak * shown.factor), short_bound) : short_bound);
  bar.setData(kPeakRole, known ? peak / threshold : 0.0);

  const QString action = words(hyb::name(limit.action));
  const bool tripped = row == tripped_, marked = tripped || active || latched;
  const QString at = condition || !tripped ? QString() : quantityText(tripped_at_, shown);
  QTableWidgetItem& cell = *item(row, kLimitState);
  cell.setText(tripped           ? at.isEmpty() ? tr("TRIPPED") : tr("TRIPPED\nat %1").arg(at)
                         : active && armed ? tr("HIT, %1").arg(action)
               : latched         ? tr("was hit")
                                 : action);
  cell.setData(kMarkRole, marked);
  cell.setForeground(colour(marked ? Role::error : Role::mutedText, palette()));
  item(row, kLimitPeak)->setForeground(colour(peak >= threshold && known ? Role::error : Role::mutedText, palette()));
  item(row, kLimitPeak)->setData(kMarkRole, peak >= threshold && known);
  setRowHeight(row, tripped && !at.isEmpty() ? kTrippedRow_px : kLimitRow_px);

  QString sentence =
      condition ? tr("%1: %2 when it occurs.").arg(name, action) : tr("%1: %2 at %3.").arg(name, action, bound);
  if (!limit.origin.empty()) sentence += tr(" From %1.").arg(QString::fromStdString(limit.origin));
  if (known) sentence += tr(" Now %1, largest %2.").arg(quantityText(value, shown), quantityText(peak, shown));
  if (tripped) sentence += at.isEmpty() ? tr(" It ended the test.") : tr(" It ended the test at %1.").arg(at);
  for (int column = 0; column < kLimitColumns; ++column) item(row, column)->setToolTip(sentence);
}

void LimitsTable::recolour() {
  for (int row = 0; row < rowCount(); ++row) {
    for (const int column : {kLimitPeak, kLimitState}) {
      QTableWidgetItem& cell = *item(row, column);
      cell.setForeground(colour(cell.data(kMarkRole).toBool() ? Role::error : Role::mutedText, palette()));
    }
  }
}

void LimitsTable::changeEvent(QEvent* event) {
  QTableWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) recolour();
}

}  // namespace hyb::ui
