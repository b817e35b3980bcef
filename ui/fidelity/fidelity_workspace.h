#pragma once
#include <QAction>
#include <QTabWidget>
#include <vector>

#include "core/rig/rig_spec.h"
#include "core/run/device_factory.h"

namespace hyb::ui {

class CampaignBar;
class FacePage;
class ProjectDocument;
class StudyPage;

/// Workspace "Fidelity": campaigns of many runs, one at a time.
class FidelityWorkspace : public QTabWidget {
  Q_OBJECT
 public:
  explicit FidelityWorkspace(ProjectDocument* document, const DeviceFactory& devices = {}, QWidget* parent = nullptr);
  /// An active test blocks campaigns, which would take the processor from the loop.
  void setTestActive(bool active);
  /// Reason from elsewhere that blocks campaigns; empty: none.
  void setHeld(const QString& why);
  bool running() const;
  void cancel();
  /// Use of the rig by the campaign under way.
  RigUse use() const;
  QString helpPage() const;
  StudyPage* study() const { return study_; }
  FacePage* face() const { return face_; }
  /// Run FACE (F4): shows its page and starts it.
  QAction* faceAction() const { return face_action_; }

 Q_SIGNALS:
  void openInAnalyse(const QString& file);
  void wanted();  // requests to be shown
  void runningChanged(bool running);

 private:
  void updateHeld();

  FacePage* face_;
  StudyPage* study_;
  QAction* face_action_;
  std::vector<CampaignBar*> bars_;
  bool test_active_ = false;
  QString held_;
};

}  // namespace hyb::ui
