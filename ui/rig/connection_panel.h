#pragma once
#include <QFrame>

#include "ui/base/widgets.h"
#include "ui/control/hardware_access.h"
#include "ui/rig/rig_session.h"

class QComboBox;
class QLabel;
class QPushButton;
class QToolButton;

namespace hyb::ui {

class ProjectDocument;
class SectionForm;

/// How the rig is reached, and whether it is: what the test runs on, protocol, address and all settings of the
/// protocol, Connect.
class ConnectionPanel : public Panel {
  Q_OBJECT
 public:
  ConnectionPanel(ProjectDocument* document, RigSession* session, HardwareAccess hardware, QWidget* parent = nullptr);
  void setReadOnly(bool read_only);
  /// Why Connect cannot be pressed; empty: it can.
  void setBlocked(const QString& why);
  void focusField(const std::string& pointer);
  void say(const QString& text, bool bad);

 Q_SIGNALS:
  void connectWanted();

 private:
  void refresh();
  void showState();
  void listPorts();

  ProjectDocument* document_;
  RigSession* session_;
  HardwareAccess hardware_;
  QComboBox* use_;
  SectionForm* form_;
  QToolButton* ports_;
  QPushButton* connect_;
  QLabel *state_, *message_, *why_;
  QString blocked_;
  bool read_only_ = false;
  RigSession::Stale shown_ = RigSession::Stale::no;  // what the state was last shown with
};

}  // namespace hyb::ui
