#include "ui/base/input_guard.h"

#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QFocusEvent>
#include <QScrollBar>
#include <QTabBar>

#include "ui/base/confirm_button.h"

namespace hyb::ui {
namespace {

/// True if the wheel would change its value.
bool turnsByWheel(const QObject* object) {
  return qobject_cast<const QAbstractSpinBox*>(object) != nullptr ||
         qobject_cast<const QComboBox*>(object) != nullptr || qobject_cast<const QTabBar*>(object) != nullptr ||
         (qobject_cast<const QAbstractSlider*>(object) != nullptr &&
          qobject_cast<const QScrollBar*>(object) == nullptr);
}

/// When the focus widget is disabled or hidden, Qt moves the focus as if Tab had been pressed.
void keepFocusNear(const QWidget* left) {
  if (left->isEnabled() && left->isVisible()) return;
  for (QWidget* near = left->parentWidget(); near != nullptr; near = near->parentWidget())
    if (near->isEnabled() && near->isVisible()) return near->setFocus(Qt::OtherFocusReason);
}

}  // namespace

InputGuard::InputGuard(QObject* parent) : QObject(parent) { qApp->installEventFilter(this); }

bool InputGuard::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::Polish:
      // A field that takes the focus on a wheel would also take the following keys.
      if (turnsByWheel(watched)) {
        auto* control = static_cast<QWidget*>(watched);
        if (control->focusPolicy() == Qt::WheelFocus) control->setFocusPolicy(Qt::StrongFocus);
      }
      return false;
    case QEvent::Wheel:
      if (!turnsByWheel(watched)) return false;
      event->ignore();  // passes it on to the parent
      return true;
    case QEvent::MouseButtonDblClick:
      return qobject_cast<ConfirmButton*>(watched) != nullptr;
    case QEvent::FocusOut:
      if (watched->isWidgetType() && static_cast<QFocusEvent*>(event)->reason() == Qt::TabFocusReason)
        keepFocusNear(static_cast<QWidget*>(watched));
      return false;
    default:
      return false;
  }
}

}  // namespace hyb::ui
