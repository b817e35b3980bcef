#pragma once
#include <QDialog>
#include <memory>

#include "core/exchange/import.h"
#include "ui/base/latest_task.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTableWidget;

namespace hyb::ui {

class ValueField;

/// Imports a record of another program: shows its columns, and which channel each becomes, in which unit and with which
/// sign. A worker thread reads and writes the files. Not modal: it never blocks STOP.
class ImportDialog : public QDialog {
  Q_OBJECT
 public:
  /// `folder`: of the run file. `project_json`: the project in the window; empty: none.
  ImportDialog(const QString& file, const QString& folder, const QString& project_json, const QString& project_folder,
               QWidget* parent = nullptr);
  ~ImportDialog() override;

 Q_SIGNALS:
  /// The run file has been written.
  void imported(const QString& run_file);

 private:
  void read();
  void showTable();
  void showTimes();
  /// The plan that the form states; `problem` if it cannot be applied.
  ImportPlan plan(QString& problem) const;
  void judge();
  void write();
  void say(const QString& text, const char* kind);
  void setBusy(bool busy);

  QString file_, folder_, project_json_, project_folder_;
  std::shared_ptr<const ForeignFile> found_;
  QLabel* source_;
  QComboBox *table_, *times_, *project_;
  ValueField* rate_;
  QTableWidget* columns_;
  QLineEdit *title_, *operator_;
  QLabel* message_;
  QProgressBar* progress_;
  QPushButton *import_, *cancel_;
  LatestTask work_;  // last member: the worker ends before the data it uses
};

}  // namespace hyb::ui
