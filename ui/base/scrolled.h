#pragma once
#include <QScrollArea>

namespace hyb::ui {

/// Puts a page into a frameless scroll area that shows the background of the panel behind.
QScrollArea* scrolled(QWidget* page, Qt::ScrollBarPolicy sideways = Qt::ScrollBarAlwaysOff);

}  // namespace hyb::ui
