#include "ui/run/start_offer.h"

#include <QFileInfo>

#include "ui/plot/quantity_text.h"
#include "ui/run/control_panel.h"

namespace hyb::ui {

StartOffer::StartOffer(ControlPanel* panel, QObject* parent) : QObject(parent), panel_(panel) {}

void StartOffer::setProject(const Project& project) {
  project_ = project;
  withdrawUnfit();
}

void StartOffer::withdraw() {
  trial_.reset();
  sweep_.reset();
  panel_->offerStart({}, {});
}
void StartOffer::withdrawUnfit() {
  if (!project_) return;
  if ((trial_ && !startFault(*trial_, *project_).empty()) || (sweep_ && goOnFault(*sweep_, project_->document)))
    withdraw();
}

void StartOffer::offerTrial(const LearntStart& start, bool ticked) {
  withdraw();
  trial_ = start;
  const QString error = figureText(start.of.error_percent);
  panel_->offerStart(
      tr("Start from trial %1 (%2 %)").arg(start.of.trial).arg(error),
      tr("If ticked, the next test starts with the compensation learnt before trial %1 of an earlier test, which "
         "reached an error of %2 %. Otherwise it starts without learnt values, as the project defines.")
          .arg(start.of.trial)
          .arg(error),
      ticked);
}
void StartOffer::offerSweep(const StoppedSweep& sweep, bool ticked) {
  withdraw();
  sweep_ = sweep;
  panel_->offerStart(tr("Continue the sweep (%1 done)").arg(sweep.frequencies),
                     tr("If ticked, the next test continues after the %1 and copies them into its file. Otherwise "
                        "it starts a new sweep.")
                         .arg(QString::fromStdString(sweep.from)),
                     ticked);
}

void StartOffer::offerBest(const TestRun& test, const RunResult& result) {
  if (!result.best_trial || result.best_trial->trial < 2) return;
  const QString file = QFileInfo(QString::fromStdString(test.file().string())).fileName();
  offerTrial(LearntStart{*result.best_trial,
                         "trial " + std::to_string(result.best_trial->trial) + " of " +
                             (file.isEmpty() ? "a test that was not recorded" : file.toStdString()),
                         learningNeeds(test.project())},
             false);
  withdrawUnfit();
}

void StartOffer::offerRest(const TestRun& test, const RunResult& result) {
  if (result.reason == EndReason::completed) return;
  try {
    offerSweep(stoppedSweepOf(test.file()), false);
  } catch (const std::exception&) {
    return;  // it was not recorded
  }
  withdrawUnfit();
}

void StartOffer::beginWith(const QString& file, int trial) {
  panel_->say(tr("Replaying the run to find the start of trial %1…").arg(trial));
  replay_.submit([this, file, trial]() -> LatestTask::Deliver {
    try {
      return [this, found = learntStartOf(file.toStdString(), trial)] { take(found); };
    } catch (const std::exception& error) {
      return [this, problem = QString::fromUtf8(error.what())] { panel_->say(problem, true); };
    }
  });
}

void StartOffer::take(const LearntStart& found) {
  if (!project_) return panel_->say(tr("Open the project of that run first."), true);
  if (const std::string fault = startFault(found, *project_); !fault.empty())
    return panel_->say(QString::fromStdString(fault), true);
  offerTrial(found, true);
  panel_->say(
      tr("The next test starts from %1. Press Arm (F5), then Run (F6).").arg(QString::fromStdString(found.from)));
}

void StartOffer::goOnWith(const QString& file) {
  if (!project_) return panel_->say(tr("Open the project of that run first."), true);
  try {
    const StoppedSweep sweep = stoppedSweepOf(file.toStdString());
    if (const auto fault = goOnFault(sweep, project_->document))
      return panel_->say(QString::fromUtf8(fault->what()), true);
    offerSweep(sweep, true);
    panel_->say(
        tr("The next test continues after %1. Press Arm (F5), then Run (F6).").arg(QString::fromStdString(sweep.from)));
  } catch (const std::exception& error) {
    panel_->say(QString::fromUtf8(error.what()), true);
  }
}

void StartOffer::fill(RunOptions& options) const {
  if (!panel_->takesStart()) return;
  if (trial_) options.begin_with = {trial_->of.learnt, trial_->from};
  if (sweep_) options.go_on = sweep_->file;
}

}  // namespace hyb::ui
