#include "ui/base/enter_filter.h"

#include <QApplication>
#include <QKeyEvent>
#include <QPushButton>

namespace hyb::ui {

EnterFilter::EnterFilter(QObject* parent) : QObject(parent) { qApp->installEventFilter(this); }

bool EnterFilter::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return false;
  const auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() != Qt::Key_Return && key->key() != Qt::Key_Enter) return false;
  if ((key->modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier) return false;
  auto* button = qobject_cast<QPushButton*>(watched);
  if (!button || !button->isEnabled() || button->property("held").toBool()) return false;
  if (!key->isAutoRepeat()) button->click();
  return true;
}

}  // namespace hyb::ui
