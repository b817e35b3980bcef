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

/// Page "Plant": response of the twin's actuators with the specimen attached. It shows poles and zeros, magnitude,
/// phase and delay over frequency, and the same without the pairs that nearly cancel. Computed in the background while
/// the page is visible.
class PlantPage : public QWidget {
  Q_OBJECT
 public:
  explicit PlantPage(QWidget* parent = nullptr);
  ~PlantPage() override;
  /// None: the project has errors, and old results do not belong to it.
  void setProject(const std::optional<Project>& project);
  /// A test needs the processor: cancels the computation, and restarts it after the test.
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
  void draw(const std::shared_ptr<const ResponseCurves>& curves);
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
  std::shared_ptr<std::atomic<bool>> wanted_;  // cleared to cancel the computation under way
  LatestTask task_;
};

}  // namespace hyb::ui
