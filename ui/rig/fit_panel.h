#pragma once
#include <QFrame>
#include <atomic>
#include <memory>

#include "core/assess/identification.h"
#include "ui/base/latest_task.h"
#include "ui/base/widgets.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;

namespace hyb::ui {

class PathLabel;
class ValueField;

/// Selects run, part of its rows, channels and model order, and fits in the background.
class FitPanel : public Panel {
  Q_OBJECT
 public:
  explicit FitPanel(QWidget* parent = nullptr);
  ~FitPanel() override;
  /// Opens a recorded run: offers its channels and preselects command and motion of one interface, counted from 0.
  void setRun(const QString& file, std::size_t axis);
  QString run() const { return file_; }
  void forget();
  /// Reason why Fit is blocked; empty: not blocked.
  void setBlocked(const QString& why);
  void fit();
  void cancel();
  bool busy() const { return wanted_ != nullptr; }
  /// Start folder of "Open a run".
  void setFolder(const QString& folder) { folder_ = folder; }

 Q_SIGNALS:
  void began();  // the previous model is being replaced
  void fitted(std::shared_ptr<const hyb::RunIdentification> found);

 private:
  void chooseRun();
  void readChannels(const QString& file, std::size_t axis);
  void offerTrials(const RunRecord& run);
  IdentifyRun asked() const;
  void updateFields();
  void say(const QString& text, bool bad);

  QString file_, folder_, blocked_;
  PathLabel* source_;
  QComboBox *input_, *output_, *poles_, *zeros_, *delay_, *part_;
  ValueField *from_, *to_, *given_, *first_, *last_;
  QLabel* message_;
  QPushButton *open_, *fit_, *cancel_;
  QProgressBar* progress_;
  std::shared_ptr<std::atomic<bool>> wanted_;  // cleared to cancel the fit under way
  LatestTask task_;
};

}  // namespace hyb::ui
