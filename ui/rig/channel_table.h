#pragma once
#include <QTableWidget>
#include <vector>

#include "core/project/project.h"

namespace hyb::ui {

/// The channels of the rig, one a row: what they are, their live raw and scaled values, their calibration. To be read
/// only; the form of the chosen channel edits.
class ChannelTable : public QTableWidget {
  Q_OBJECT
 public:
  explicit ChannelTable(QWidget* parent = nullptr);
  /// Elements of /rig/channels, as far as they can be read.
  /// `read`: what each displacement sensor reads, one for each axis or more of them.
  void setChannels(const Json& channels, const std::vector<AxisSignals>& axes, const QStringList& sensor_units);
  /// NaN: not known.
  void showLive(int row, double raw, double scaled);
  /// What was read last is not what is: its values are dimmed.
  void setStale(bool stale);
  double scaled(int row) const;  // SI; NaN: not known
  QString scaledText(int row) const;

 private:
  std::vector<AxisSignals> axes_;
  QStringList sensor_units_;
  void fill(int row, const Json& channel);
};

/// "displacement" -> "m"; "" where nothing is fixed.
QString scaledUnit(const std::string& role, const AxisSignals& axis);

}  // namespace hyb::ui
