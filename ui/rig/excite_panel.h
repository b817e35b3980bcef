#pragma once
#include <QFrame>
#include <QTimer>
#include <atomic>
#include <memory>
#include <optional>

#include "core/assess/rig_excitation.h"
#include "core/run/test_run.h"
#include "ui/base/latest_task.h"
#include "ui/base/widgets.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;

namespace hyb::ui {

class ValueField;

/// What a rig is to be excited with, and the button that does it. Each choice is tried out on the twin in the
/// background; what must not move is refused with a sentence, and the button waits.
class ExcitePanel : public Panel {
  Q_OBJECT
 public:
  explicit ExcitePanel(QWidget* parent = nullptr);
  ~ExcitePanel() override;

  /// A test that may be armed.
  struct Ready {
    Project project;
    RigExcitation asked;
    RigForecast forecast;
  };
  /// The newest project without errors; none while there are some.
  void setProject(const std::optional<Project>& project);
  /// Another project: what was typed was meant for the one before.
  void forget();
  /// Why nothing can be excited now; empty: it can.
  void setBlocked(const QString& why);
  enum class Stage { idle, connecting, armed, moving };
  /// `waits`: an armed test waits for what has to be acknowledged first.
  void setStage(Stage stage, bool waits);
  void setTime(double elapsed_s, double duration_s);
  void say(const QString& text, bool bad);
  Pace pace() const;
  /// Of the newest choice; null: it was not tried out yet, or is refused.
  const Ready* ready() const;

 Q_SIGNALS:
  void exciteWanted();  // arm; on a rig pressed again: start
  void stopWanted();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  RigExcitation asked() const;
  void show(const RigExcitation& asked);
  void edited();
  void tryOut(bool propose);
  void showOutcome();
  void updateButtons();

  std::optional<Project> project_;
  QComboBox *axis_, *kind_, *pace_;
  ValueField *from_, *to_, *amplitude_, *period_, *duration_;
  QLabel *outcome_, *refusal_, *message_, *why_;
  QPushButton *suggest_, *excite_, *stop_;
  QProgressBar* progress_;
  QTimer pause_;  // after an edit
  std::optional<Ready> ready_;
  QStringList refusals_, unwatched_;
  QString blocked_;
  Stage stage_ = Stage::idle;
  bool waits_ = false, own_ = false, due_ = false, showing_ = false;  // own_: a choice of the technician
  std::shared_ptr<std::atomic<bool>> wanted_;                         // what is being tried out
  LatestTask task_;
};

}  // namespace hyb::ui
