#pragma once
#include <QObject>

namespace hyb::ui {

/// Names, notes and messages from files and devices are shown as they were written: no label and no tooltip of the
/// program takes them for markup. A label with markup of the program's own says so by its text format.
class PlainTextGuard : public QObject {
  Q_OBJECT
 public:
  /// Installs itself on the application.
  explicit PlainTextGuard(QObject* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace hyb::ui
