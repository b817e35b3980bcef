#pragma once
#include <QWidget>
#include <memory>

namespace hyb::ui {

/// Workspace "Analyse": recorded runs of a folder on the left, their plots in the middle, their figures on the right;
/// a second run can be laid over the first (A solid, B dashed). Files are read by a worker thread.
class AnalyseWorkspace : public QWidget {
  Q_OBJECT
 public:
  explicit AnalyseWorkspace(QWidget* parent = nullptr);
  ~AnalyseWorkspace() override;
  /// Shows the run as A; a file that cannot be read is named with the reason inside the workspace.
  void openRun(const QString& path);
  /// Lists the run files of this folder.
  void setFolder(const QString& folder);

 Q_SIGNALS:
  /// Run A is shown, or `error` says why not.
  void runOpened(const QString& path, const QString& error);
  /// The next test is to begin with what this trial of the run in this file began with.
  void beginRequested(const QString& path, int trial);
  /// The next test is to go on with the sweep of the run in this file.
  void goOnRequested(const QString& path);

 protected:
  void changeEvent(QEvent* event) override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyb::ui
