#include "ui/shell/room_area.h"

#include <QEvent>
#include <QLayout>
#include <QScrollBar>
#include <QStackedWidget>
#include <algorithm>

namespace hyb::ui {

namespace {

constexpr int kRoom_px = 1000;  // each workspace fits into it; preferred sizes of its parts do not count

}  // namespace

RoomArea::RoomArea(QStackedWidget* rooms) : rooms_(rooms) {
  setFrameShape(NoFrame);
  setFocusPolicy(Qt::NoFocus);
  setWidget(rooms);  // not resizable: Qt would give a page with wrapped text its preferred height, not its minimum
  rooms->setAutoFillBackground(false);
  viewport()->setAutoFillBackground(false);
  rooms->installEventFilter(this);
  connect(rooms, &QStackedWidget::currentChanged, this, [this] { fit(); });
}

int RoomArea::leastHeight(int width_px) const {
  const QWidget* room = rooms_->currentWidget();
  const int least = room->minimumSizeHint().expandedTo(room->minimumSize()).height();
  const QLayout* layout = room->layout();
  return layout != nullptr && layout->hasHeightForWidth() ? std::max(least, layout->minimumHeightForWidth(width_px))
                                                          : least;
}

void RoomArea::fit() {
  const QWidget* room = rooms_->currentWidget();
  if (room == nullptr) return;
  const QSize place = maximumViewportSize();
  const int bar = verticalScrollBar()->sizeHint().width();
  const int least = std::min(kRoom_px, room->minimumSizeHint().expandedTo(room->minimumSize()).width());
  int width = std::max(place.width(), least);
  if (leastHeight(width) > place.height() - (width > place.width() ? bar : 0))
    width = std::max(place.width() - bar, least);
  const int height = place.height() - (width > place.width() ? bar : 0);
  rooms_->resize(width, std::max(height, leastHeight(width)));
}

void RoomArea::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  fit();
}

bool RoomArea::eventFilter(QObject* watched, QEvent* event) {
  if (watched == rooms_ && event->type() == QEvent::LayoutRequest) fit();
  return QScrollArea::eventFilter(watched, event);
}

}  // namespace hyb::ui
