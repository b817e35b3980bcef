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
class LinkPlot;
class PlotPanel;
class PreflightList;
class PreflightSource;
class ProjectDocument;
class RigSession;
class RunController;

/// Workspace "Rig": connects the project's hardware apart from a test, with its channels, motion by hand and link;
/// identifies it; and shows what its model makes of commands.
class RigWorkspace : public QWidget {
  Q_OBJECT
 public:
  RigWorkspace(ProjectDocument* document, RunController* controller, const HardwareAccess& hardware,
               QWidget* parent = nullptr);
  RigSession* session() { return session_; }
  IdentifyPage* identification() { return identify_; }
  /// While a test is active the rig belongs to it.
  void setTestActive(bool active);
  /// Why the rig cannot be connected for a reason from elsewhere; empty: there is none.
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
  QTabWidget* pages_;
  LinkPlot* link_;
  PlotPanel* link_panel_;
  PreflightSource* checks_;
  PreflightList* list_;
  QTimer refresh_;                  // of the list, while the link's figures change
  std::optional<Project> project_;  // without errors; none while there are some
  QString held_;
  bool has_devices_ = false, test_active_ = false;
};

}  // namespace hyb::ui
