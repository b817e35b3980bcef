#pragma once
#include <QWidget>
#include <memory>

namespace hyb::ui {

/// Workspace "Analyse": recorded runs of a folder on the left, their plots in the middle, their figures on the right;
/// a second run can be overlaid (A solid, B dashed). A worker thread reads the files.
class AnalyseWorkspace : public QWidget {
  Q_OBJECT
 public:
  explicit AnalyseWorkspace(QWidget* parent = nullptr);
  ~AnalyseWorkspace() override;
  /// Shows the run as A. For an unreadable file the workspace shows name and reason.
  void openRun(const QString& path);
  /// Lists the run files of this folder.
  void setFolder(const QString& folder);
  QString folder() const;

 Q_SIGNALS:
  /// Run A is shown, or `error` gives the reason.
  void runOpened(const QString& path, const QString& error);
  /// Requests that the next test starts from this trial of the run file.
  void beginRequested(const QString& path, int trial);
  /// Requests that the next test continues the sweep of the run file.
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
