#pragma once
#include <QFrame>
#include <optional>
#include <vector>

#include "core/assess/rest.h"
#include "core/project/project.h"
#include "core/rig/setup_tick.h"
#include "ui/base/widgets.h"

class QLabel;
class QPushButton;
class QTabWidget;

namespace hyb::ui {

class ChannelTable;
class ProjectDocument;
class RigSession;
class SectionForm;
class ConfirmButton;
class SensorMap;
class ValueField;

/// Channels of the rig with live values, form of the chosen channel, zeroing, and sensor map of the interface.
class ChannelsPanel : public Panel {
  Q_OBJECT
 public:
  ChannelsPanel(ProjectDocument* document, RigSession* session, QWidget* parent = nullptr);
  void setReadOnly(bool read_only);
  /// The newest project without errors, which defines the meaning of the channels.
  void setProject(const Project& project);
  /// Puts the cursor into a field of /rig/channels/...
  void focusField(const std::string& pointer);
  void showFindings(const std::vector<WiringFinding>& findings);

 private:
  void refresh();
  void showChosen();
  void showLive();
  void updateButtons();
  void write(const QString& what, const std::function<void(Json& channels)>& change);
  void setUp();
  QString zeroQuestion() const;
  void zero();
  void takeTares(const ZeroResult& result);
  std::vector<std::size_t> chosen() const;
  Json channels() const;
  std::size_t sensors() const;  // displacement sensors of the partition; 0: one per interface
  bool recalibrated() const;

  ProjectDocument* document_;
  RigSession* session_;
  ChannelTable* table_;
  QTabWidget* tabs_;
  SectionForm* form_;
  SensorMap* map_;
  QLabel* note_;
  QPushButton *set_up_, *add_, *remove_;
  ConfirmButton* zero_;
  ValueField* readings_;
  std::vector<ChannelSpec> meanings_;
  std::vector<AxisReading> rests_;  // [i]
  Json connected_;                  // the channels at Connect, without tares
  bool read_only_ = false;
};

}  // namespace hyb::ui
