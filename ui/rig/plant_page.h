#pragma once
#include <QWidget>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "core/assess/plant.h"
#include "ui/base/latest_task.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QTreeWidget;

namespace hyb::ui {

class PlotPanel;
class ResponsePlot;
struct ResponseCurves;

/// "Plant": what the twin's actuators make of their commands with the specimen behind them. Poles and zeros, magnitude,
/// phase and delay over frequency, and what becomes of them without the pairs that nearly cancel. Computed in the
/// background while it is seen.
class PlantPage : public QWidget {
  Q_OBJECT
 public:
  explicit PlantPage(QWidget* parent = nullptr);
  ~PlantPage() override;
  /// None: it has errors, and what was found is not of it.
  void setProject(const std::optional<Project>& project);
  /// A test has the processor: what is computed ends, and begins again after it.
  void setTestActive(bool active);
  bool computing() const { return wanted_ != nullptr; }

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QWidget* makeColumn();
  void consider();
  void stop();
  void take(std::vector<Plant> plants, const PlantRange& range, const QString& instead);
  void showPlant();
  void draw(std::shared_ptr<const ResponseCurves> curves);
  void showRoots(const Plant& plant, const std::vector<RootPair>& pairs);

  QComboBox *actuators_, *kept_;
  QCheckBox* leave_;
  QTreeWidget* roots_;
  QLabel *gains_, *reduction_;
  std::array<ResponsePlot*, 3> plots_{};
  std::array<PlotPanel*, 3> panels_{};
  std::optional<Project> project_;
  std::vector<Plant> plants_;
  PlantRange range_{};
  bool due_ = false, test_active_ = false;
  std::shared_ptr<std::atomic<bool>> wanted_;  // what is being computed
  LatestTask task_;
};

}  // namespace hyb::ui
