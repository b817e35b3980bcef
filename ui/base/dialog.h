#pragma once
#include <QDialog>

namespace hyb::ui {

/// Shows a dialog beside the window, where it never comes between the operator and STOP. It deletes itself, and takes
/// the place of one that its parent has asked the same with.
inline void showBeside(QDialog* dialog) {
  if (const QWidget* const parent = dialog->parentWidget())
    for (QDialog* before : parent->findChildren<QDialog*>(Qt::FindDirectChildrenOnly))
      if (before != dialog && before->isVisible() && before->windowTitle() == dialog->windowTitle()) before->close();
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setModal(false);
  dialog->show();
}

}  // namespace hyb::ui
