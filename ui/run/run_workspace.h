#pragma once
#include <QWidget>
#include <memory>

#include "core/project/project.h"
#include "ui/run/run_controller.h"

namespace hyb::ui {

/// Workspace "Run": live views of the test that `controller` owns, and everything the operator acts on, except STOP.
/// `controller` must outlive it.
class RunWorkspace : public QWidget {
  Q_OBJECT
 public:
  explicit RunWorkspace(RunController* controller, QWidget* parent = nullptr);
  ~RunWorkspace() override;
  /// The project that the next Arm takes. Ignored while a test is active until that test has ended.
  void setProject(const hyb::Project& project);

 Q_SIGNALS:
  /// The operator asks to see the recorded file in Analyse.
  void openInAnalyse(const QString& file);

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyb::ui
