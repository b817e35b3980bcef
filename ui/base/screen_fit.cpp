#include "ui/base/screen_fit.h"

#include <QEvent>
#include <QScreen>
#include <QWidget>
#include <QWindow>
#include <algorithm>

namespace hyb::ui {
namespace {

constexpr int kTitle_px = 36, kFrame_px = 4;  // estimates until the window manager has placed the window

}  // namespace

std::function<QRect(const QWidget&)> ScreenFit::available = [](const QWidget& window) {
  return window.screen()->availableGeometry();
};

ScreenFit::ScreenFit(QWidget* window) : QObject(window), window_(window) {
  fit();
  window->installEventFilter(this);
}

void ScreenFit::fit() {
  if (window_->isMaximized() || window_->isFullScreen()) return;
  const QRect screen = available(*window_);
  const QRect frame = window_->frameGeometry(), inside = window_->geometry();
  const int beside = std::max(frame.width() - inside.width(), 2 * kFrame_px);
  const int above = std::max(frame.height() - inside.height(), kTitle_px + kFrame_px);
  const QSize most(screen.width() - beside, screen.height() - above);
  const QSize size = inside.size().boundedTo(most);
  if (size != inside.size()) window_->resize(size);
  if (!window_->isVisible()) return;  // the window manager chooses its place
  const QPoint at(
      std::clamp(frame.left(), screen.left(), std::max(screen.left(), screen.right() + 1 - size.width() - beside)),
      std::clamp(frame.top(), screen.top(), std::max(screen.top(), screen.bottom() + 1 - size.height() - above)));
  if (at != frame.topLeft()) window_->move(at);
}

void ScreenFit::follow(QScreen* screen) {
  disconnect(screen_);
  if (screen != nullptr) screen_ = connect(screen, &QScreen::availableGeometryChanged, this, [this] { fit(); });
  QMetaObject::invokeMethod(
      this, [this] { fit(); }, Qt::QueuedConnection);  // after the frame is known
}

bool ScreenFit::eventFilter(QObject* watched, QEvent* event) {
  if (watched == window_ && event->type() == QEvent::Show && !event->spontaneous()) {
    disconnect(window_->windowHandle(), nullptr, this, nullptr);
    connect(window_->windowHandle(), &QWindow::screenChanged, this, [this](QScreen* screen) { follow(screen); });
    follow(window_->screen());
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace hyb::ui
