#pragma once
#include <QFrame>

#include "ui/base/widgets.h"
#include "ui/control/preflight_list.h"

class QLabel;
class QPushButton;
class QScrollArea;

namespace hyb::ui {

class PathLabel;

/// What the operator reads between Arm and Run: where it records, and the list before a test. Run waits until each
/// failed line has been acknowledged; where real things move, each warning, too.
class PreflightPanel : public Panel {
  Q_OBJECT
 public:
  explicit PreflightPanel(QWidget* parent = nullptr);
  /// A test has been armed; nothing is acknowledged yet. `real`: real hardware moves.
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
