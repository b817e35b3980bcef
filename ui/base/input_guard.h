#pragma once
#include <QObject>

namespace hyb::ui {

/// Prevents accidental input everywhere in the program. The wheel over a field, a choice or a row of tabs scrolls the
/// area behind and takes no focus. The second half of a double click is no second press of a ConfirmButton. A control
/// that is disabled or hidden while in use does not pass the focus, and the following keys, to the next control. Scroll
/// bars, lists and plots keep the wheel, because they change only the view.
class InputGuard : public QObject {
  Q_OBJECT
 public:
  /// Installs itself on the application.
  explicit InputGuard(QObject* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace hyb::ui
