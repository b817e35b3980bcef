#pragma once
#include <QFrame>
#include <vector>

#include "core/rig/axis_signals.h"
#include "core/rig/setup_tick.h"
#include "ui/base/widgets.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;

namespace hyb::ui {

class RigSession;
class ValueField;

/// Manual motion before the first test. A button moves its actuator while it is held down, within limits. The wiring
/// check moves each actuator a little.
class JogPanel : public Panel {
  Q_OBJECT
 public:
  explicit JogPanel(RigSession* session, QWidget* parent = nullptr);
  void setAxes(const std::vector<AxisSignals>& axes);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  JogLimits limits() const;
  bool limitsGood() const;
  void start(double sign);
  void showUnits();
  void showState();
  QPushButton* makeButton(const QString& text, const QString& name, double sign);

  RigSession* session_;
  std::vector<AxisSignals> axes_;
  QComboBox* axis_;
  ValueField *speed_, *travel_, *force_, *amplitude_;
  QPushButton *minus_, *plus_, *check_;
  QProgressBar* progress_;
  QLabel* position_;
};

}  // namespace hyb::ui
