#pragma once
#include <QObject>

namespace hyb::ui {

/// Return and Enter press the button with the focus, everywhere in the program: Space is STOP while something may move.
/// Buttons that act while held down (property "held") are excluded.
class EnterFilter : public QObject {
  Q_OBJECT
 public:
  /// Installs itself on the application.
  explicit EnterFilter(QObject* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace hyb::ui
