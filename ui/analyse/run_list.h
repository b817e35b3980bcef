#pragma once
#include <QFrame>
#include <QStringList>
#include <vector>

#include "ui/base/latest_task.h"
#include "ui/base/widgets.h"
#include "ui/plot/run_loader.h"

class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace hyb::ui {

class PathLabel;

/// Run files of a folder, newest first, with end reason and verdict.
class RunList : public Panel {
  Q_OBJECT
 public:
  explicit RunList(QWidget* parent = nullptr);
  void setFolder(const QString& folder);
  QString folder() const { return folder_; }
  void reload();
  void select(const QString& file);
  void focusSearch();
  int count() const;

 Q_SIGNALS:
  void openRequested(const QString& file);
  void overlayRequested(const QString& file);
  void chooseFolderRequested();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QString selectedFile() const;
  void recolour();
  void fill(const std::vector<RunSummary>& runs);
  void filter();
  void updateButtons();

  QString folder_, wanted_;
  PathLabel* place_;
  QLineEdit* search_;
  QTreeWidget* tree_;
  QPushButton *open_, *overlay_;
  LatestTask task_;
};

}  // namespace hyb::ui
