#pragma once
#include <QWidget>
#include <vector>

#include "core/project/project.h"
#include "core/rig/wiring.h"

class QGridLayout;
class QLabel;

namespace hyb::ui {

/// Which channel commands, measures and feels each interface degree of freedom, with what is missing or given twice,
/// and what the wiring check found.
class SensorMap : public QWidget {
  Q_OBJECT
 public:
  explicit SensorMap(QWidget* parent = nullptr);
  /// `sensors`: how many displacement sensors the partition has, each of which counts in every axis; 0: one for each.
  void setChannels(const QStringList& axes, const Json& channels, std::size_t sensors);
  void setFindings(const std::vector<WiringFinding>& findings);

 private:
  QGridLayout* grid_;
  QLabel* findings_;
};

}  // namespace hyb::ui
