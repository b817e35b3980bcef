#pragma once
#include <QObject>
#include <QRect>
#include <functional>

class QScreen;
class QWidget;

namespace hyb::ui {

/// Keeps a window within the screen it stands on: when it opens, when it goes to another screen, and when the screen
/// changes.
class ScreenFit : public QObject {
 public:
  explicit ScreenFit(QWidget* window);
  /// Where windows find room on the screen of this one. Tests put screens of their own in its place.
  static std::function<QRect(const QWidget&)> available;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fit();
  void follow(QScreen* screen);
  QWidget* window_;
  QMetaObject::Connection screen_;
};

}  // namespace hyb::ui
