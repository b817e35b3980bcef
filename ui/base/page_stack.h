#pragma once

class QStackedWidget;

namespace hyb::ui {

/// Shows a page of a stack; the others ask for no room.
void showPage(QStackedWidget* pages, int page);

}  // namespace hyb::ui
