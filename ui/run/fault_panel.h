#pragma once
#include <QWidget>
#include <vector>

#include "core/rig/fault.h"
#include "core/tick/event.h"

class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;

namespace hyb::ui {

class ValueField;

/// Injects faults into a running test, to check that the test ends safely: choose a fault, begin it, end it.
class FaultPanel : public QWidget {
  Q_OBJECT
 public:
  explicit FaultPanel(QWidget* parent = nullptr);
  /// Starts a new test with this number of interface DOF and no active fault.
  void begin(std::size_t interfaces);
  /// Locked: no running test accepts requests.
  void setLocked(bool locked);
  /// Updates the list when a fault has begun or ended. A refused fault is not listed.
  void take(const Event& event);

 Q_SIGNALS:
  void faultRequested(const hyb::FaultSpec& fault, bool on);

 private:
  void showKind();
  void showState();
  QString nameOf(const FaultSpec& fault) const;

  QComboBox *kind_, *interface_, *sensor_;
  ValueField* value_;
  QLabel *value_label_, *what_;
  QPushButton *begin_, *end_;
  QListWidget* list_;
  std::vector<FaultSpec> under_way_;
  bool locked_ = true;
};

}  // namespace hyb::ui
