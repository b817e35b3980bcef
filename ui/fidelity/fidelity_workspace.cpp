#include "ui/fidelity/fidelity_workspace.h"

#include <algorithm>

#include "ui/fidelity/campaign_bar.h"
#include "ui/fidelity/face_page.h"
#include "ui/fidelity/study_page.h"

namespace hyb::ui {

FidelityWorkspace::FidelityWorkspace(ProjectDocument* document, const DeviceFactory& devices, QWidget* parent)
    : QTabWidget(parent),
      face_(new FacePage(document, devices)),
      study_(new StudyPage(document, devices)),
      face_action_(new QAction(tr("Run &FACE"), this)),
      bars_{face_->bar(), study_->bar()} {
  setAccessibleName(tr("Fidelity"));
  setDocumentMode(true);
  addTab(face_, tr("FACE"));
  addTab(study_, tr("Study"));
  face_action_->setShortcut(Qt::Key_F4);
  connect(face_action_, &QAction::triggered, this, [this] {
    setCurrentWidget(face_);
    Q_EMIT wanted();
    face_->bar()->start();
  });
  connect(face_, &FacePage::openRun, this, &FidelityWorkspace::openInAnalyse);
  connect(study_, &StudyPage::openRun, this, &FidelityWorkspace::openInAnalyse);
  for (CampaignBar* bar : bars_)
    connect(bar, &CampaignBar::runningChanged, this, [this](bool running) {
      updateHeld();
      Q_EMIT runningChanged(running);
    });
}

void FidelityWorkspace::setTestActive(bool active) {
  test_active_ = active;
  face_->setTestActive(active);
  updateHeld();
}

void FidelityWorkspace::setHeld(const QString& why) {
  held_ = why;
  updateHeld();
}

void FidelityWorkspace::updateHeld() {
  for (CampaignBar* bar : bars_)
    bar->setHeld(test_active_                   ? tr("A test is active and needs the processor. End it first.")
                 : !held_.isEmpty()             ? held_
                 : running() && !bar->running() ? tr("Another campaign is running")
                                                : QString());
}

bool FidelityWorkspace::running() const {
  return std::any_of(bars_.begin(), bars_.end(), [](const CampaignBar* bar) { return bar->running(); });
}

RigUse FidelityWorkspace::use() const {
  for (const CampaignBar* bar : bars_)
    if (bar->running()) return bar->use();
  return RigUse::twin;
}

void FidelityWorkspace::cancel() {
  for (CampaignBar* bar : bars_) bar->cancel();
}

QString FidelityWorkspace::helpPage() const {
  return currentWidget() == face_ ? QStringLiteral("face-page") : QStringLiteral("studies");
}

}  // namespace hyb::ui
