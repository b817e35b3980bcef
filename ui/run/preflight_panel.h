#pragma once
#include <QFrame>

#include "ui/run/preflight_list.h"

class QLabel;
class QPushButton;

namespace hyb::ui {

/// What the operator reads between Arm and Run: where it records, and the list before a test.
class PreflightPanel : public QFrame {
  Q_OBJECT
 public:
  explicit PreflightPanel(QWidget* parent = nullptr);
  /// Empty file: nothing is recorded.
  void show(const QString& file, const std::vector<PreflightItem>& items);
  void setSecondsLeft(int seconds);

 Q_SIGNALS:
  void runRequested();
  void disarmRequested();

 private:
  PreflightList* list_;
  QLabel *file_, *left_;
  QPushButton *run_, *disarm_;
};

}  // namespace hyb::ui
