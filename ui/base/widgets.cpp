#include "ui/base/widgets.h"

namespace hyb::ui {

Panel::Panel(QWidget* parent) : QFrame(parent) { setProperty("panel", true); }

Splitter::Splitter(Qt::Orientation orientation, QWidget* parent, Handle handle) : QSplitter(orientation, parent) {
  setHandleWidth(handle == Handle::normal ? 8 : 6);
}

TitleCombo::TitleCombo(QWidget* parent) : QComboBox(parent) {
  setStyleSheet(QStringLiteral("QComboBox { min-height: 18px; max-height: 18px; padding: 0 2px 0 6px; }"));
}

}  // namespace hyb::ui
