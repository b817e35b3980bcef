#pragma once
#include <QScrollArea>

class QStackedWidget;

namespace hyb::ui {

/// Place of the workspaces between header and event line. The workspace in view gets all of it, and scrolls where it
/// needs more. So neither a small screen nor a long form pushes STOP out of the window.
class RoomArea : public QScrollArea {
 public:
  explicit RoomArea(QStackedWidget* rooms);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fit();
  int leastHeight(int width_px) const;
  QStackedWidget* rooms_;
};

}  // namespace hyb::ui
