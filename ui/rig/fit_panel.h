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

/// Which run is looked at, between which of its channels, and what the model may look like; fits in the background.
class FitPanel : public Panel {
  Q_OBJECT
 public:
  explicit FitPanel(QWidget* parent = nullptr);
  ~FitPanel() override;
  /// A recorded run: offers its channels, takes command and motion of one interface, from 0.
  void setRun(const QString& file, std::size_t axis);
  QString run() const { return file_; }
  void forget();
  /// Why nothing can be fitted now; empty: it can.
  void setBlocked(const QString& why);
  void fit();
  void cancel();
  bool busy() const { return wanted_ != nullptr; }
  /// Where "Open a run" begins to look.
  void setFolder(const QString& folder) { folder_ = folder; }

 Q_SIGNALS:
  void began();  // what was found before is being replaced
  void fitted(std::shared_ptr<const hyb::RunIdentification> found);

 private:
  void chooseRun();
  void readChannels(const QString& file, std::size_t axis);
  IdentifyRun asked() const;
  void updateFields();
  void say(const QString& text, bool bad);

  QString file_, folder_, blocked_;
  PathLabel* source_;
  QComboBox *input_, *output_, *poles_, *zeros_, *delay_;
  ValueField *from_, *to_, *given_;
  QLabel* message_;
  QPushButton *open_, *fit_, *cancel_;
  QProgressBar* progress_;
  std::shared_ptr<std::atomic<bool>> wanted_;  // what is being fitted
  LatestTask task_;
};

}  // namespace hyb::ui
