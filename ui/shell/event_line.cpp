#include "ui/shell/event_line.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QTreeWidget>

#include "ui/base/icons.h"
#include "ui/base/theme.h"
#include "ui/document/field_editors.h"

namespace hyb::ui {
namespace {

constexpr int kLogEntries = 5000, kHeight_px = 32;

QString iconName(Severity severity) {
  return severity == Severity::info      ? QStringLiteral("info")
         : severity == Severity::warning ? QStringLiteral("warning")
                                         : QStringLiteral("error");
}

Role roleOf(Severity severity) {
  return severity == Severity::info ? Role::mutedText : severity == Severity::warning ? Role::warning : Role::error;
}

}  // namespace

EventLog::EventLog(QWidget* parent) : QWidget(parent), list_(new QTreeWidget) {
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(8, 0, 8, 8);
  box->addWidget(list_);
  list_->setColumnCount(3);
  list_->setHeaderLabels({tr("Time"), tr("Tick"), tr("Event")});
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setFrameShape(QFrame::NoFrame);
  list_->header()->setStretchLastSection(true);
  list_->setColumnWidth(0, 120);
  list_->setColumnWidth(1, 88);
  list_->setAccessibleName(tr("Event log"));
  list_->setObjectName(QStringLiteral("event-log"));
}

void EventLog::append(const QString& time, const QString& tick, Severity severity, const QString& message) {
  auto* item = new QTreeWidgetItem({time, tick, message});
  item->setIcon(0, icon(iconName(severity), roleOf(severity)));
  item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
  item->setToolTip(2, message);
  list_->insertTopLevelItem(0, item);
  if (list_->topLevelItemCount() > kLogEntries) delete list_->takeTopLevelItem(kLogEntries);
}

int EventLog::count() const { return list_->topLevelItemCount(); }

EventLine::EventLine(QWidget* parent)
    : QWidget(parent),
      icon_(new QLabel),
      message_(new QLabel),
      realtime_(new QLabel),
      log_(new QPushButton(tr("Log"))) {
  setMinimumHeight(kHeight_px);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  setFocusPolicy(Qt::TabFocus);  // a screen reader can reach it
  setObjectName(QStringLiteral("event-line"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 1, 8, 0);
  row->setSpacing(8);
  icon_->setFixedSize(16, 16);
  message_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  log_->setFlat(true);
  log_->setIcon(icon(QStringLiteral("log"), Role::mutedText));
  log_->setToolTip(tr("Event log (Ctrl+L)"));
  log_->setObjectName(QStringLiteral("open-log"));
  realtime_->setProperty("muted", true);
  realtime_->setObjectName(QStringLiteral("realtime"));
  row->addWidget(icon_);
  row->addWidget(message_, 1);
  row->addWidget(log_);
  row->addWidget(realtime_);
  connect(log_, &QPushButton::clicked, this, &EventLine::logWanted);
  setRealtime(Realtime::unknown, {});
  setUnread(0);
}

void EventLine::show(const QString& time, const QString& tick, Severity severity, const QString& message) {
  newest_ =
      tick.isEmpty() ? QStringLiteral("%1 · %2").arg(time, message) : tr("%1 · tick %2 · %3").arg(time, tick, message);
  severity_ = severity;
  showIcon();
  elide();
}

void EventLine::pin(const QString& message) {
  if (message == pinned_) return;
  pinned_ = message;
  message_->setWordWrap(!pinned_.isEmpty());
  showIcon();
  elide();
}

void EventLine::showIcon() {
  const Severity shown = pinned_.isEmpty() ? severity_ : Severity::fault;
  if (!text().isEmpty())
    icon_->setPixmap(iconPixmap(iconName(shown), roleOf(shown), palette(), 16, devicePixelRatioF()));
}

void EventLine::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) showIcon();
  QWidget::changeEvent(event);
}

void EventLine::elide() {
  message_->setText(pinned_.isEmpty()
                        ? message_->fontMetrics().elidedText(newest_, Qt::ElideRight, std::max(64, message_->width()))
                        : pinned_);
  message_->setToolTip(text());
  setAccessibleName(text());
}

QString EventLine::text() const { return pinned_.isEmpty() ? newest_ : pinned_; }

void EventLine::setUnread(int count) {
  unread_ = count;
  log_->setText(count > 0 ? tr("%1 unread").arg(count) : tr("Log"));
}

void EventLine::setRealtime(Realtime realtime, const QString& summary) {
  const bool refused = realtime == Realtime::refused;
  realtime_->setText(realtime == Realtime::unknown   ? tr("RT: known after Arm")
                     : realtime == Realtime::granted ? tr("RT granted")
                     : refused                       ? tr("RT not granted")
                                                     : summary);
  realtime_->setToolTip(
      realtime == Realtime::unknown
          ? tr("Arm the test to see which real-time rights (priority, locked memory) the computer grants.")
          : tr("Real time: %1").arg(summary));
  realtime_->setAccessibleDescription(realtime_->toolTip());
  setMark(realtime_, refused ? "warning" : "");
}

void EventLine::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), colour(Role::panel, palette()));
  painter.setPen(colour(hasFocus() ? Role::accent : Role::border, palette()));
  painter.drawLine(0, 0, width(), 0);
}

void EventLine::resizeEvent(QResizeEvent*) { elide(); }
void EventLine::focusInEvent(QFocusEvent*) { update(); }
void EventLine::focusOutEvent(QFocusEvent*) { update(); }

}  // namespace hyb::ui
