#pragma once
#include <QObject>
#include <functional>

class QAction;
class QKeyEvent;

namespace hyb::ui {

/// Keys that stop the test from anywhere in the program: Esc always, Space outside text fields. While `active` is true,
/// the keys do nothing else; otherwise they keep their usual meaning. Auto-repeat does not stop again, and modifiers do
/// not matter. The filter sees every key first, so it also works with open menus, popups and dialogs. After a stop the
/// key has no effect until another key is pressed, so repeated presses cannot trigger anything else.
class StopFilter : public QObject {
  Q_OBJECT
 public:
  /// Installs itself on the application.
  StopFilter(std::function<bool()> active, std::function<void()> stop, QObject* parent = nullptr);
  /// An action whose key also works from anywhere while it is enabled: Hold.
  void carry(QAction* action) { carried_ = action; }
  /// True for an editable text field; false for a read-only field or a number field (input method hint).
  static bool editsText(const QObject* target);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  std::function<bool()> active_;
  std::function<void()> stop_;
  bool carry(QKeyEvent* key);

  QAction* carried_ = nullptr;
  bool stopped_by_key_ = false;  // and nothing else was pressed since
};

}  // namespace hyb::ui
