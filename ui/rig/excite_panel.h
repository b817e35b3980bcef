#pragma once
#include <QFrame>
#include <QTimer>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

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

/// Settings of an excitation of the rig, and the button that runs it. Each choice is tested on the twin in the
/// background. A choice that exceeds limits is refused with a reason, and the button is blocked.
class ExcitePanel : public Panel {
  Q_OBJECT
 public:
  explicit ExcitePanel(QWidget* parent = nullptr);
  ~ExcitePanel() override;

  /// An excitation that may be armed.
  struct Ready {
    Project project;
    RigExcitation asked;
    RigForecast forecast;
  };
  /// The newest project without errors; none while there are some.
  void setProject(const std::optional<Project>& project);
  /// Another project was opened: forgets the values typed for the previous one.
  void forget();
  /// Reason why Excite is blocked; empty: not blocked.
  void setBlocked(const QString& why);
  enum class Stage { idle, connecting, armed, moving };
  /// `waits`: an armed test waits for acknowledgements.
  void setStage(Stage stage, bool waits);
  void setTime(double elapsed_s, double duration_s);
  void say(const QString& text, bool bad);
  Pace pace() const;
  /// The newest choice; null: not tested yet, or refused.
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
  void showFields();
  const RigExcitationKind& kind() const;

  std::optional<Project> project_;
  QComboBox *axis_, *kind_, *pace_;
  ValueField *from_, *to_, *amplitude_, *period_, *duration_, *count_, *settle_, *periods_;
  std::vector<QWidget*> of_stepped_, of_others_;  // fields and their labels
  QLabel *outcome_, *refusal_, *message_, *why_;
  QPushButton *suggest_, *excite_, *stop_;
  QProgressBar* progress_;
  QTimer pause_;  // after an edit
  std::optional<Ready> ready_;
  QStringList refusals_, unwatched_;
  QString blocked_;
  Stage stage_ = Stage::idle;
  bool waits_ = false, own_ = false, due_ = false, showing_ = false;  // own_: values typed by the technician
  std::shared_ptr<std::atomic<bool>> wanted_;                         // cleared to cancel the trial under way
  LatestTask task_;
};

}  // namespace hyb::ui
