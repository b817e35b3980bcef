#include "ui/fidelity/campaign_bar.h"

#include <QHBoxLayout>
#include <QKeySequence>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>

#include "ui/document/field_editors.h"
#include "ui/fidelity/rig_question.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {

QString remainingText(double seconds) {
  if (!(seconds >= 0.0)) return {};
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole < 60) return CampaignBar::tr("%1 s left").arg(whole);
  if (whole < 3600) return CampaignBar::tr("%1 min %2 s left").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
  return CampaignBar::tr("%1 h %2 min left").arg(whole / 3600).arg(whole / 60 % 60, 2, 10, QLatin1Char('0'));
}

CampaignBar::CampaignBar(const QString& run_text, int key, QWidget* parent)
    : QWidget(parent),
      run_text_(run_text),
      button_(new QPushButton),
      progress_(new QProgressBar),
      left_(new QLabel),
      why_(new QLabel),
      message_(new QLabel),
      question_(new RigQuestion) {
  if (key != 0) run_tip_ = tr("%1 (%2)").arg(run_text, QKeySequence(key).toString());
  button_->setMinimumWidth(112);
  progress_->setTextVisible(false);
  progress_->setFixedHeight(8);
  progress_->setAccessibleName(tr("Progress"));
  left_->setFont(figureFont(0.9));
  left_->setProperty("muted", true);
  why_->setWordWrap(true);
  why_->setProperty("muted", true);
  why_->setObjectName(QStringLiteral("held"));
  message_->setWordWrap(true);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  message_->setAccessibleName(tr("Message"));
  auto* line = new QHBoxLayout;
  line->setSpacing(8);
  line->addWidget(button_);
  line->addWidget(progress_, 1);
  line->addWidget(left_);
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(0, 0, 0, 0);
  box->setSpacing(4);
  box->addWidget(question_);
  box->addLayout(line);
  box->addWidget(why_);
  box->addWidget(message_);
  connect(button_, &QPushButton::clicked, this, &CampaignBar::press);
  connect(question_, &RigQuestion::changed, this, &CampaignBar::updateControls);
  say({});
  updateControls();
}

CampaignBar::~CampaignBar() {
  if (job_) job_->stop.press();
}

void CampaignBar::press() {
  if (running()) return cancel();
  if (!on_rig_) return Q_EMIT runRequested();
  if (!question_->asking()) return Q_EMIT questionWanted();
  if (!question_->settled()) return;
  question_->withdraw();
  Q_EMIT runRequested();
}

void CampaignBar::setOnRig(bool on) {
  on_rig_ = on;
  if (!on) withdraw();
}

void CampaignBar::ask(const QString& what, const Project& project, const std::string& file, std::size_t bytes_per_row) {
  asked_ = what;
  say({});
  question_->ask(what, project, file, bytes_per_row);
}

void CampaignBar::withdraw() { question_->withdraw(); }

void CampaignBar::run(Work work, RigUse use) {
  if (running()) return;
  use_ = use;
  question_->withdraw();
  job_ = std::make_shared<Job>();
  progress_->setRange(0, 0);  // progress is still unknown
  left_->clear();
  say({});
  updateControls();
  Q_EMIT runningChanged(true);
  task_.submit([this, job = job_, work = std::move(work)]() -> LatestTask::Deliver {
    const StudyWatch watch = [this, job](const StudyProgress& progress) {
      post([this, progress] { show(progress); });
      return !job->stop.asked();
    };
    Deliver deliver;
    QString failed;
    try {
      deliver = work(watch, job->stop);
    } catch (const std::exception& error) {
      failed = QString::fromUtf8(error.what());
    }
    return [this, deliver, failed] {
      job_.reset();
      updateControls();
      if (!failed.isEmpty()) say(failed, "error");
      if (deliver) deliver();
      Q_EMIT runningChanged(false);
    };
  });
}

void CampaignBar::post(std::function<void()> what) {
  QMetaObject::invokeMethod(
      this,
      [this, what = std::move(what)] {
        if (running()) what();
      },
      Qt::QueuedConnection);
}

void CampaignBar::postShare(double share) {
  post([this, share] {
    progress_->setRange(0, 1000);
    progress_->setValue(static_cast<int>(1000.0 * share));
    left_->setText(tr("%1 %").arg(std::floor(100.0 * share)));
  });
}

void CampaignBar::start() {
  if (running() || !button_->isEnabled() || question_->asking()) return;
  press();
}

void CampaignBar::cancel() {
  if (!running()) return;
  job_->stop.press();
  button_->setEnabled(false);
  say(job_->stop.presses() > 1 ? tr("Stopping at once. Finished runs are kept…")
                               : tr("Cancelling. Finished runs are kept…"));
}

void CampaignBar::show(const StudyProgress& progress) {
  if (progress.total == 0) return;  // only a check for cancellation
  // A million runs fit into an int; a range of 0 would show as "busy".
  progress_->setRange(0, static_cast<int>(std::max<std::size_t>(1, progress.total)));
  progress_->setValue(static_cast<int>(progress.done));
  const QString left = remainingText(progress.remaining_s);
  const QString count =
      (progress.checking ? tr("checking %1 of %2") : tr("%1 of %2")).arg(progress.done).arg(progress.total);
  left_->setText(left.isEmpty() ? count : count + QStringLiteral(", ") + left);
}

void CampaignBar::setBlocked(const QString& reason) {
  blocked_ = reason;
  if (!reason.isEmpty()) withdraw();
  updateControls();
}

void CampaignBar::setHeld(const QString& reason) {
  held_ = reason;
  if (!reason.isEmpty()) withdraw();
  updateControls();
}

void CampaignBar::say(const QString& text, const char* mark) {
  message_->setText(text);
  message_->setVisible(!text.isEmpty());
  setMark(message_, mark);
}

QString CampaignBar::message() const { return message_->text(); }

void CampaignBar::updateControls() {
  const bool busy = running();
  const QString& reason = held_.isEmpty() ? blocked_ : held_;
  const bool asking = !busy && question_->asking();
  button_->setText(busy ? tr("Cancel") : asking ? tr("Run %1 on the rig").arg(asked_) : run_text_);
  button_->setEnabled(busy || reason.isEmpty());
  button_->setToolTip(busy                ? tr("Cancels the campaign; finished runs are kept")
                      : !reason.isEmpty() ? reason
                      : asking            ? tr("Starts the campaign: the rig moves")
                                          : run_tip_);
  why_->setText(busy ? QString() : held_);
  why_->setVisible(!why_->text().isEmpty());
  progress_->setVisible(busy);
  left_->setVisible(busy);
}

}  // namespace hyb::ui
