#include "ui/base/plain_text_guard.h"

#include <qwt_text.h>

#include <QApplication>
#include <QEvent>
#include <QLabel>

namespace hyb::ui {

PlainTextGuard::PlainTextGuard(QObject* parent) : QObject(parent) {
  QwtText::setTextEngine(QwtText::RichText, nullptr);  // plots use no markup
  qApp->installEventFilter(this);
}

bool PlainTextGuard::eventFilter(QObject* watched, QEvent* event) {
  // Acts before a label is first shown; tooltips are labels too.
  if (event->type() != QEvent::Polish) return false;
  auto* label = qobject_cast<QLabel*>(watched);
  if (label != nullptr && label->textFormat() == Qt::AutoText) label->setTextFormat(Qt::PlainText);
  return false;
}

}  // namespace hyb::ui
