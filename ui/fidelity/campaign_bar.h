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

/// Common parts of all campaigns in the window: button to start and cancel, progress, time left, and message. A worker
/// thread does the work.
class CampaignBar : public QWidget {
  Q_OBJECT
 public:
  using Deliver = std::function<void()>;  // runs in the window's thread
  /// Runs in the worker, with its tests under the token; an exception becomes the message.
  using Work = std::function<Deliver(const StudyWatch&, StopToken&)>;
  /// `key`: shortcut of the button, named in its tooltip; 0: none.
  CampaignBar(const QString& run_text, int key, QWidget* parent = nullptr);
  /// Cancels the work under way and waits for its end.
  ~CampaignBar() override;

  /// `use`: moves twin or rig.
  void run(Work work, RigUse use = RigUse::twin);
  /// Acts like a press of the button: no effect while running or blocked, and never starts motion of a rig.
  void start();
  /// The campaign would move a rig: the button takes two steps. The first emits questionWanted(), the second
  /// runRequested().
  void setOnRig(bool on);
  /// The first step shows what would move (rig_question.h). The button then reads "Run 8 tests on the rig".
  void ask(const QString& what, const Project& project, const std::string& file, std::size_t bytes_per_row);
  /// Withdraws an outdated question.
  void withdraw();
  /// The first call ramps tests to zero, the next call stops them at once.
  void cancel();
  bool running() const { return job_ != nullptr; }
  /// Use of the rig by the campaign under way.
  RigUse use() const { return use_; }
  /// Reasons that block the start: from the page, and from elsewhere. Empty: not blocked.
  void setBlocked(const QString& reason);
  void setHeld(const QString& reason);
  const QString& held() const { return held_; }
  /// mark: "", "ok", "warning" or "error".
  void say(const QString& text, const char* mark = "");
  QString message() const;
  /// For a running Work: calls `what` in the window's thread, unless this campaign has ended or was replaced.
  /// Only from within a Work.
  void post(std::function<void()> what);
  /// For a running Work that is no campaign: progress 0..1. Only from within a Work.
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
  LatestTask task_;  // last member: its worker ends before the data it uses
};

/// "2 min 05 s"; empty while unknown.
QString remainingText(double seconds);

}  // namespace hyb::ui
