#pragma once
#include <QDialog>

#include "ui/plot/plot_view.h"

namespace hyb::ui {

/// The numbers of a plot, to read, select and copy. Not modal, so the test continues.
class ValueTableDialog : public QDialog {
  Q_OBJECT
 public:
  ValueTableDialog(const QString& title, ValueTable table, QWidget* parent = nullptr);
};

}  // namespace hyb::ui
