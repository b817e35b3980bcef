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

/// Faults on purpose while a test runs, to see that it ends well: choose one, begin it, end it.
class FaultPanel : public QWidget {
  Q_OBJECT
 public:
  explicit FaultPanel(QWidget* parent = nullptr);
  /// A new test with so many interface DOF: no fault is under way.
  void begin(std::size_t interfaces);
  /// Locked: there is no test that takes requests.
  void setLocked(bool locked);
  /// A fault has begun or ended, or the rig refused it: only what happened is listed.
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
