#pragma once
#include <QFrame>
#include <QTimer>

#include "core/project/project.h"

class QLabel;

namespace hyb::ui {

class PreflightList;
class PreflightSource;

/// Question between the two presses on a campaign's button if a rig would move: planned motion and pre-flight list. It
/// is withdrawn after a minute, or when it is hidden.
class RigQuestion : public QFrame {
  Q_OBJECT
 public:
  explicit RigQuestion(QWidget* parent = nullptr);
  /// `what`: "8 tests"; `bytes_per_row`: bytes stored per tick by all tests together.
  void ask(const QString& what, const Project& project, const std::string& file, std::size_t bytes_per_row);
  void withdraw();
  bool asking() const { return patience_.isActive(); }
  /// The answer is accepted: a double click on the button does not count as the second press.
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
