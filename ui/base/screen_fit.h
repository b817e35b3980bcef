#pragma once
#include <QObject>
#include <QRect>
#include <functional>

class QScreen;
class QWidget;

namespace hyb::ui {

/// Keeps a window within its screen: when it opens, when it moves to another screen, and when the screen changes.
class ScreenFit : public QObject {
 public:
  explicit ScreenFit(QWidget* window);
  /// Available area of this window's screen. Tests replace it.
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
