#include "ui/base/confirm_button.h"

#include <QEvent>

#include "ui/base/number_field.h"

namespace hyb::ui {
namespace {

constexpr int kAsks_ms = 8000;

}  // namespace

ConfirmButton::ConfirmButton(QWidget* parent) : QPushButton(parent) {
  patience_.setSingleShot(true);
  patience_.setInterval(kAsks_ms);
  connect(&patience_, &QTimer::timeout, this, &ConfirmButton::withdraw);
  connect(this, &QPushButton::clicked, this, &ConfirmButton::press);
}

void ConfirmButton::setTexts(const QString& text, const QString& question) {
  if (text == text_ && question == question_) return;
  text_ = text;
  question_ = question;
  ask(false);
}

void ConfirmButton::press() {
  if (!asking_ && !question_.isEmpty()) {
    setFocus(Qt::OtherFocusReason);  // losing the focus withdraws the question
    return ask(true);
  }
  ask(false);
  Q_EMIT confirmed();
}

void ConfirmButton::withdraw() {
  if (asking_) ask(false);
}

void ConfirmButton::ask(bool on) {
  asking_ = on;
  setText(on ? question_ : text_);
  setAccessibleName(text());
  setMark(this, on ? "warning" : "");
  if (on)
    patience_.start();
  else
    patience_.stop();
}

void ConfirmButton::focusOutEvent(QFocusEvent* event) {
  withdraw();
  QPushButton::focusOutEvent(event);
}

void ConfirmButton::hideEvent(QHideEvent* event) {
  withdraw();
  QPushButton::hideEvent(event);
}

void ConfirmButton::changeEvent(QEvent* event) {
  if (event->type() == QEvent::EnabledChange && !isEnabled()) withdraw();
  QPushButton::changeEvent(event);
}

}  // namespace hyb::ui
