#pragma once
#include <QDialog>

namespace hyb::ui {

/// Shows a dialog beside the window, where it never comes between the operator and STOP. It deletes itself.
inline void showBeside(QDialog* dialog) {
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setModal(false);
  dialog->show();
}

}  // namespace hyb::ui
