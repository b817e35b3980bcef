#pragma once
#include <QTableWidget>
#include <vector>

#include "core/project/project.h"

namespace hyb::ui {

/// The channels of the rig, one per row, with live raw and scaled values and calibration. Read-only; the form of the
/// chosen channel edits.
class ChannelTable : public QTableWidget {
  Q_OBJECT
 public:
  explicit ChannelTable(QWidget* parent = nullptr);
  /// Shows the elements of /rig/channels, as far as they are readable.
  /// `read`: reading of each displacement sensor, one or more per axis.
  void setChannels(const Json& channels, const std::vector<AxisSignals>& axes, const QStringList& sensor_units);
  /// NaN: unknown.
  void showLive(int row, double raw, double scaled);
  /// Dims the values, because they are out of date.
  void setStale(bool stale);
  double scaled(int row) const;  // SI; NaN: unknown
  QString scaledText(int row) const;

 private:
  std::vector<AxisSignals> axes_;
  QStringList sensor_units_;
  void fill(int row, const Json& channel);
};

/// "displacement" -> "m"; empty if the role fixes no unit.
QString scaledUnit(const std::string& role, const AxisSignals& axis);

}  // namespace hyb::ui
