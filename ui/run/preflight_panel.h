#pragma once
#include <QFrame>
#include <vector>

#include "core/project/project.h"
#include "core/run/test_run.h"

class QGridLayout;
class QLabel;
class QPushButton;

namespace hyb::ui {

/// What the operator reads between Arm and Run: where it records, disk, real-time grants, stability margin, limits.
class PreflightPanel : public QFrame {
  Q_OBJECT
 public:
  explicit PreflightPanel(QWidget* parent = nullptr);
  /// margin: one sentence, empty while it is being computed.
  void showFor(const TestRun& run, Pace pace, const QString& margin, bool margin_ok);
  void setMargin(const QString& margin, bool ok);
  void setSecondsLeft(int seconds);

 Q_SIGNALS:
  void runRequested();
  void disarmRequested();

 private:
  enum class Mark { ok, warning, info };
  void setLine(int line, Mark mark, const QString& text, const QString& tip = {});
  struct Line {
    QLabel *mark, *text;
  };
  std::vector<Line> lines_;
  QGridLayout* grid_;
  QLabel* left_;
  QPushButton *run_, *disarm_;
};

}  // namespace hyb::ui
