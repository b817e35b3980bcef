#pragma once
#include <QPushButton>
#include <QTimer>

namespace hyb::ui {

/// A button for actions that one slip must not trigger. The first press shows a question in the button, the second
/// acts. The question is withdrawn when the button loses the focus, is hidden or disabled, or after a while.
class ConfirmButton : public QPushButton {
  Q_OBJECT
 public:
  explicit ConfirmButton(QWidget* parent = nullptr);
  /// `question`: text between the presses; empty: one press is enough.
  void setTexts(const QString& text, const QString& question);
  bool asking() const { return asking_; }
  void withdraw();

 Q_SIGNALS:
  void confirmed();

 protected:
  void focusOutEvent(QFocusEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void press();
  void ask(bool on);

  QString text_, question_;
  QTimer patience_;
  bool asking_ = false;
};

}  // namespace hyb::ui
