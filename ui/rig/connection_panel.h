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

/// Connection to the rig and its state: use of the rig, protocol, address, all settings of the protocol, Connect.
class ConnectionPanel : public Panel {
  Q_OBJECT
 public:
  ConnectionPanel(ProjectDocument* document, RigSession* session, HardwareAccess hardware, QWidget* parent = nullptr);
  void setReadOnly(bool read_only);
  /// Reason why Connect is blocked; empty: not blocked.
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
  RigSession::Stale shown_ = RigSession::Stale::no;  // staleness as shown last
};

}  // namespace hyb::ui
