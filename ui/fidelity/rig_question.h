#pragma once
#include <QFrame>
#include <QTimer>

#include "core/project/project.h"

class QLabel;

namespace hyb::ui {

class PreflightList;
class PreflightSource;

/// Stands between the first press on a campaign's button and the second, where real hardware would move: what it would
/// be, and the list before a test. Is withdrawn by itself after a minute, and when it is out of sight.
class RigQuestion : public QFrame {
  Q_OBJECT
 public:
  explicit RigQuestion(QWidget* parent = nullptr);
  /// `what`: "8 tests"; `bytes_per_row`: kept of each tick of all of them together.
  void ask(const QString& what, const Project& project, const std::string& file, std::size_t bytes_per_row);
  void withdraw();
  bool asking() const { return patience_.isActive(); }
  /// The answer counts: a double click on the first button does not press the second.
  bool settled() const { return asking() && !settling_.isActive(); }

 Q_SIGNALS:
  void changed();  // asking()

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  void showChecks();

  QLabel* words_;
  PreflightSource* checks_;
  PreflightList* list_;
  QTimer patience_, settling_;
  std::string file_;
  std::size_t bytes_per_row_ = 0;
};

}  // namespace hyb::ui
