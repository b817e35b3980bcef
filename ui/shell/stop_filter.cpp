#include "ui/shell/stop_filter.h"

#include <QAbstractSpinBox>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextEdit>

namespace hyb::ui {

StopFilter::StopFilter(std::function<bool()> active, std::function<void()> stop, QObject* parent)
    : QObject(parent), active_(std::move(active)), stop_(std::move(stop)) {
  qApp->installEventFilter(this);
}

bool StopFilter::editsText(const QObject* target) {
  if (const auto* edit = qobject_cast<const QLineEdit*>(target)) {
    const bool number = (edit->inputMethodHints() & (Qt::ImhDigitsOnly | Qt::ImhFormattedNumbersOnly)) != 0 ||
                        qobject_cast<const QAbstractSpinBox*>(edit->parent()) != nullptr;
    return edit->isEnabled() && !edit->isReadOnly() && !number;
  }
  if (const auto* edit = qobject_cast<const QPlainTextEdit*>(target)) return edit->isEnabled() && !edit->isReadOnly();
  if (const auto* edit = qobject_cast<const QTextEdit*>(target)) return edit->isEnabled() && !edit->isReadOnly();
  if (const auto* box = qobject_cast<const QComboBox*>(target)) return box->isEnabled() && box->isEditable();
  return false;
}

bool StopFilter::carry(QKeyEvent* key) {
  if (carried_ == nullptr || !carried_->isEnabled() || carried_->shortcut() != QKeySequence(key->keyCombination()))
    return false;
  key->accept();  // accepts the override: otherwise a shortcut of the window could take the key
  if (key->type() == QEvent::KeyPress && !key->isAutoRepeat()) carried_->trigger();
  return true;
}

bool StopFilter::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::MouseButtonPress) stopped_by_key_ = false;
  // Windows pass the key on to a widget; only the widget's event counts.
  if ((event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride) || !watched->isWidgetType())
    return false;
  auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() != Qt::Key_Escape && key->key() != Qt::Key_Space) {
    stopped_by_key_ = false;
    return carry(key);
  }
  const bool active = active_();
  if (!active && !stopped_by_key_) return false;
  if (key->key() == Qt::Key_Space) {
    // A key that a text field ignores goes on to its parents, but it was still typed into the field.
    const QWidget* focus = QApplication::activePopupWidget() ? nullptr : QApplication::focusWidget();
    if (editsText(watched)) return false;
    if (focus && editsText(focus) && static_cast<QWidget*>(watched)->isAncestorOf(focus)) return false;
  }
  // Accepting the override keeps shortcuts from taking the key; it then comes as a press.
  event->accept();
  if (active && event->type() == QEvent::KeyPress && !key->isAutoRepeat()) {
    stopped_by_key_ = true;
    stop_();
  }
  return true;
}

}  // namespace hyb::ui
