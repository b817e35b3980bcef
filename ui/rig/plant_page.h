#pragma once
#include <QWidget>
#include <array>
#include <optional>
#include <vector>

#include "core/assess/plant.h"
#include "ui/latest_task.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QTreeWidget;

namespace hyb::ui {

class PlotPanel;
class ResponsePlot;

/// "Plant": what the twin's actuators make of their commands with the specimen behind them. Poles and zeros, magnitude,
/// phase and delay over frequency, and what becomes of them without the pairs that nearly cancel. Computed in the
/// background while it is seen.
class PlantPage : public QWidget {
  Q_OBJECT
 public:
  explicit PlantPage(QWidget* parent = nullptr);
  /// None: it has errors, and what was found is not of it.
  void setProject(const std::optional<Project>& project);
  /// A test has the processor: nothing is computed.
  void setTestActive(bool active);
  bool computing() const { return task_.busy(); }

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QWidget* makeColumn();
  void consider();
  void take(std::vector<Plant> plants, double to_hz, const QString& failed);
  void showPlant();
  void showRoots(const Plant& plant, const std::vector<RootPair>& pairs);

  QComboBox *actuators_, *kept_;
  QCheckBox* leave_;
  QTreeWidget* roots_;
  QLabel *gains_, *reduction_;
  std::array<ResponsePlot*, 3> plots_{};
  std::array<PlotPanel*, 3> panels_{};
  std::optional<Project> project_;
  std::vector<Plant> plants_;
  double to_hz_ = 0.0;
  bool due_ = false, test_active_ = false;
  LatestTask task_;
};

}  // namespace hyb::ui
