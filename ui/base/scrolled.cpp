#include "ui/base/scrolled.h"

namespace hyb::ui {

QScrollArea* scrolled(QWidget* page, Qt::ScrollBarPolicy sideways) {
  auto* area = new QScrollArea;
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setHorizontalScrollBarPolicy(sideways);
  area->setWidget(page);
  page->setAutoFillBackground(false);
  area->viewport()->setAutoFillBackground(false);
  return area;
}

}  // namespace hyb::ui
