#pragma once
#include <QWidget>
#include <functional>
#include <memory>

#include "core/study/run_study.h"
#include "ui/base/latest_task.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace hyb::ui {

class RigQuestion;

/// What every campaign of the window has in common: a button that starts and cancels it, how far it is, the time left,
/// and a message. The work itself is done in a thread of its own.
class CampaignBar : public QWidget {
  Q_OBJECT
 public:
  using Deliver = std::function<void()>;  // runs in the window's thread
  /// Runs in the worker, its tests under the token; what it throws becomes the message.
  using Work = std::function<Deliver(const StudyWatch&, StopToken&)>;
  /// `key`: shortcut of the button, named in its tooltip; 0: none.
  CampaignBar(const QString& run_text, int key, QWidget* parent = nullptr);
  /// Cancels what is under way and waits for it.
  ~CampaignBar() override;

  /// `use`: what it moves.
  void run(Work work, RigUse use = RigUse::twin);
  /// As if its button were pressed: nothing happens while it is running or blocked, and nothing that moves begins.
  void start();
  /// Real hardware would move: the button takes two steps. The first emits questionWanted(), the second runRequested().
  void setOnRig(bool on);
  /// The first step: what would move (rig_question.h). The button then says "Run 8 tests on the rig".
  void ask(const QString& what, const Project& project, const std::string& file, std::size_t bytes_per_row);
  /// What was asked is out of date.
  void withdraw();
  /// The first time its tests ramp to zero, the next time they stop at once.
  void cancel();
  bool running() const { return job_ != nullptr; }
  /// What the campaign under way moves.
  RigUse use() const { return use_; }
  /// Empty: may be started; else the reason why not: what the page lacks, and what else is going on.
  void setBlocked(const QString& reason);
  void setHeld(const QString& reason);
  const QString& held() const { return held_; }
  /// mark: "", "ok", "warning" or "error".
  void say(const QString& text, const char* mark = "");
  QString message() const;
  /// For work in progress: calls `what` in the window's thread unless this campaign has ended or was replaced.
  /// Only from within a Work.
  void post(std::function<void()> what);
  /// For work in progress that is no campaign: how much of it is done, 0..1. Only from within a Work.
  void postShare(double share);

 Q_SIGNALS:
  void runRequested();
  void questionWanted();
  void runningChanged(bool running);

 private:
  struct Job {
    StopToken stop;
  };
  void press();
  void show(const StudyProgress& progress);
  void updateControls();

  QString run_text_, run_tip_, blocked_, held_, asked_;
  RigUse use_ = RigUse::twin;
  bool on_rig_ = false;
  QPushButton* button_;
  QProgressBar* progress_;
  QLabel *left_, *why_, *message_;
  RigQuestion* question_;
  std::shared_ptr<Job> job_;
  LatestTask task_;  // last: its worker ends before what it uses
};

/// "2 min 05 s"; empty while nothing is known.
QString remainingText(double seconds);

}  // namespace hyb::ui
