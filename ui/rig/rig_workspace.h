#pragma once
#include <QTimer>
#include <QWidget>
#include <optional>
#include <string>

#include "core/project/project.h"
#include "ui/control/hardware_access.h"

class QTabWidget;

namespace hyb::ui {

class ChannelsPanel;
class ConnectionPanel;
class IdentifyPage;
class JogPanel;
class PlantPage;
class LibraryQuestion;
class LinkPlot;
class PlotPanel;
class PreflightList;
class PreflightSource;
class ProjectDocument;
class RigSession;
class RunController;

/// Workspace "Rig": connects the project's hardware outside a test, with channels, manual motion and link; identifies
/// actuators; shows the plant of the twin.
class RigWorkspace : public QWidget {
  Q_OBJECT
 public:
  RigWorkspace(ProjectDocument* document, RunController* controller, const HardwareAccess& hardware,
               QWidget* parent = nullptr);
  RigSession* session() { return session_; }
  IdentifyPage* identification() { return identify_; }
  /// An active test owns the rig.
  void setTestActive(bool active);
  /// Reason from elsewhere that blocks Connect; empty: none.
  void setHeld(const QString& why);
  /// Puts the cursor into the field of /rig/connection/... or /rig/channels/...
  void goTo(const std::string& pointer);
  QString helpPage() const;  // of the panel with the focus

 private:
  QWidget* makeSetUp();
  void updateConnect();
  void showAxes();
  void showLink();
  void showPreflight();

  ProjectDocument* document_;
  RigSession* session_;
  ConnectionPanel* connection_;
  ChannelsPanel* channels_;
  JogPanel* jog_;
  IdentifyPage* identify_;
  PlantPage* plant_;
  LibraryQuestion* question_;
  QTabWidget* pages_;
  LinkPlot* link_;
  PlotPanel* link_panel_;
  PreflightSource* checks_;
  PreflightList* list_;
  QTimer refresh_;                  // refreshes the list while link figures change
  std::optional<Project> project_;  // the project without errors; none while it has errors
  QString held_;
  bool has_devices_ = false, test_active_ = false;
};

}  // namespace hyb::ui
