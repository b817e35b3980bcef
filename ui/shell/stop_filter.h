#pragma once
#include <QObject>
#include <functional>

class QAction;
class QKeyEvent;

namespace hyb::ui {

/// Keys that stop the test from anywhere in the program: Esc always, Space outside fields that take words. While
/// `active` says so, the keys do nothing else; otherwise they keep their usual meaning. Auto-repeat does not stop
/// again, modifiers do not matter. Works with menus, popups and dialogs open, because it sees every key before they do.
/// Whoever hammers the key beyond the end of the test does nothing: after a stop it stays without effect until
/// something else is pressed.
class StopFilter : public QObject {
  Q_OBJECT
 public:
  /// Installs itself on the application.
  StopFilter(std::function<bool()> active, std::function<void()> stop, QObject* parent = nullptr);
  /// An action whose key works from anywhere too while it is enabled: Hold.
  void carry(QAction* action) { carried_ = action; }
  /// Takes words: a field that can be edited, not one that only shows them, nor one for numbers (input method hint).
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
