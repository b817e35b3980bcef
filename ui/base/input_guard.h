#pragma once
#include <QObject>

namespace hyb::ui {

/// What a hand does by accident changes nothing, everywhere in the program: the wheel over a field, a choice or a row
/// of tabs goes on to what scrolls behind it and takes no focus; the second half of a double click is no second press
/// of a ConfirmButton; a control that is disabled or hidden under the operator's fingers does not hand the focus, and
/// the keys that follow, to the next one. Scroll bars, lists and plots keep their wheel: they only change what is seen.
class InputGuard : public QObject {
  Q_OBJECT
 public:
  /// Installs itself on the application.
  explicit InputGuard(QObject* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace hyb::ui
