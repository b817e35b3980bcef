#pragma once
#include <QFrame>

#include "ui/base/widgets.h"
#include "ui/control/preflight_list.h"

class QLabel;
class QPushButton;
class QScrollArea;

namespace hyb::ui {

class PathLabel;

/// Shown between Arm and Run: the recording file and the pre-flight list. Run waits until the operator has acknowledged
/// each failed line; on hardware, each warning too.
class PreflightPanel : public Panel {
  Q_OBJECT
 public:
  explicit PreflightPanel(QWidget* parent = nullptr);
  /// Starts the list of an armed test with nothing acknowledged. `real`: hardware moves.
  void begin(bool real);
  /// Empty file: nothing is recorded.
  void show(const QString& file, const std::vector<PreflightItem>& items);
  void setSecondsLeft(int seconds);
  bool waiting() const { return list_->waiting() > 0; }
  void setRunEnabled(bool enabled);
  QStringList acknowledged() const { return list_->acknowledged(); }

 Q_SIGNALS:
  void runRequested();
  void disarmRequested();
  void waitingChanged();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();

  PreflightList* list_;
  QScrollArea* scroll_;
  PathLabel* file_;
  QLabel *left_, *waits_;
  QPushButton *run_, *disarm_;
};

}  // namespace hyb::ui
