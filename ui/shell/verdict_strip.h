#pragma once
#include <QFrame>
#include <array>

#include "ui/control/verdict_text.h"

class QLabel;

namespace hyb::ui {

class PathLabel;

/// The verdict on the last test, shown below the header until the next verdict or until it is hidden.
class VerdictStrip : public QFrame {
  Q_OBJECT
 public:
  explicit VerdictStrip(QWidget* parent = nullptr);
  /// `run`: name of the run in the list of runs.
  void show(const VerdictText& verdict, const QString& run);
  void clear();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::array<QLabel*, 3> words_;
  PathLabel* run_;
  QLabel* reasons_;
};

}  // namespace hyb::ui
