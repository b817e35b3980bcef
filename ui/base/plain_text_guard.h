#pragma once
#include <QObject>

namespace hyb::ui {

/// Shows names, notes and messages from files and devices as plain text: no label or tooltip interprets them as markup.
/// A label with markup of the program sets its text format.
class PlainTextGuard : public QObject {
  Q_OBJECT
 public:
  /// Installs itself on the application.
  explicit PlainTextGuard(QObject* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace hyb::ui
