#pragma once
#include <QDialog>

namespace hyb::ui {

/// Shows a non-modal dialog, which never blocks STOP. It deletes itself, and replaces an open dialog of the same kind
/// from the same parent.
inline void showBeside(QDialog* dialog) {
  if (const QWidget* const parent = dialog->parentWidget())
    for (QDialog* before : parent->findChildren<QDialog*>(Qt::FindDirectChildrenOnly))
      if (before != dialog && before->isVisible() && before->windowTitle() == dialog->windowTitle()) before->close();
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setModal(false);
  dialog->show();
}

}  // namespace hyb::ui
