#pragma once
#include <QWidget>
#include <vector>

#include "core/project/project.h"
#include "core/rig/wiring.h"

class QGridLayout;
class QLabel;

namespace hyb::ui {

/// Channels of command, displacement and force of each interface degree of freedom, missing and duplicate channels, and
/// results of the wiring check.
class SensorMap : public QWidget {
  Q_OBJECT
 public:
  explicit SensorMap(QWidget* parent = nullptr);
  /// `sensors`: number of displacement sensors of the partition, each of which contributes to every axis; 0: one per
  /// axis.
  void setChannels(const QStringList& axes, const Json& channels, std::size_t sensors);
  void setFindings(const std::vector<WiringFinding>& findings);

 private:
  QGridLayout* grid_;
  QLabel* findings_;
};

}  // namespace hyb::ui
