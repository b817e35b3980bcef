#pragma once
#include <QScrollArea>

namespace hyb::ui {

/// The page in an area that scrolls where its place is low, without a frame; the panel behind shows through.
QScrollArea* scrolled(QWidget* page, Qt::ScrollBarPolicy sideways = Qt::ScrollBarAlwaysOff);

}  // namespace hyb::ui
