#pragma once
#include <QFrame>
#include <array>

#include "ui/control/verdict_text.h"

class QLabel;

namespace hyb::ui {

class PathLabel;

/// The verdict on the test that ended, below the header until the next one or until it is put away.
class VerdictStrip : public QFrame {
  Q_OBJECT
 public:
  explicit VerdictStrip(QWidget* parent = nullptr);
  /// `run`: whose verdict it is, as the list of runs names it.
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
