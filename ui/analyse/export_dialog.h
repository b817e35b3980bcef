#pragma once
#include <QDialog>
#include <atomic>
#include <memory>

#include "ui/base/latest_task.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QProgressBar;
class QPushButton;

namespace hyb::ui {

class ValueField;

/// Exports channels of a run for other programs: which ones, which stretch, at which rate, in which format. A worker
/// thread writes, with progress; cancelled it leaves an older file as it was. Not modal: it never blocks STOP.
class ExportDialog : public QDialog {
  Q_OBJECT
 public:
  explicit ExportDialog(const QString& run_file, QWidget* parent = nullptr);
  ~ExportDialog() override;
  /// Writes to this file, as after the choice of a name.
  void exportTo(const QString& file);

 private:
  void list();
  void filter(const QString& words);
  void judge();
  void chooseFile();
  void say(const QString& text, const char* kind);
  void setBusy(bool busy);

  /// Shared with the worker.
  struct Watch {
    std::atomic<bool> cancel{false};
    std::atomic<int> permille{0};
  };

  QString run_file_;
  QLineEdit* search_;
  QListWidget* channels_;
  QComboBox* format_;
  ValueField *from_, *to_, *rate_;
  QCheckBox* units_;
  QLabel* message_;
  QProgressBar* progress_;
  QPushButton *export_, *cancel_;
  double length_s_ = 0.0;
  std::shared_ptr<Watch> watch_;
  LatestTask work_;  // last member: the worker ends before the data it uses
};

}  // namespace hyb::ui
