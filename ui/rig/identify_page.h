#pragma once
#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>
#include <span>

#include "ui/control/run_controller.h"
#include "ui/rig/excite_panel.h"

namespace hyb {
struct RunIdentification;
}

namespace hyb::ui {

class AcceptPanel;
class FitPanel;
class LiveResponse;
class PlotPanel;
class PreflightList;
class PreflightSource;
class ProjectDocument;
class ResponsePlot;

/// Page "Identification" of the workspace Rig: excites an actuator in a test of its own, shows its frequency response
/// while that builds up, fits a model to it or to any recorded run, and takes it into the project.
class IdentifyPage : public QWidget {
  Q_OBJECT
 public:
  IdentifyPage(ProjectDocument* document, RunController* controller, QWidget* parent = nullptr);
  void setProject(const std::optional<Project>& project);
  /// Another project is being opened.
  void forget();
  /// A test is active, of this page or another.
  void setTestActive(bool active);
  /// Why nothing may move or be edited for a reason from elsewhere; empty: there is none.
  void setHeld(const QString& why);
  /// Rows of the test under way, from the display ring.
  void take(std::span<const double> rows);

 Q_SIGNALS:
  void told(const QString& sentence);

 private:
  void excite();
  void begin(TestRun& test);
  void end(const RunResult& result);
  void showStage();
  void showPreflight();
  void showFound(std::shared_ptr<const RunIdentification> found);
  void showResponse(std::shared_ptr<const struct ResponseCurves> curves);
  void updateBlocked();

  RunController* controller_;
  ExcitePanel* excite_;
  FitPanel* fit_;
  AcceptPanel* accept_;
  LiveResponse* live_;
  ResponsePlot* plots_[3];
  PlotPanel* panels_[3];
  PreflightSource* checks_;
  PreflightList* list_;
  QWidget* list_area_;
  QTimer clock_;
  std::optional<Project> project_;
  std::optional<ExcitePanel::Ready> asked_;   // what this page has armed
  bool mine_ = false, mine_on_twin_ = false;  // the test under way; the last one
  QString mine_file_;                         // that was excited last
  std::uint64_t from_tick_ = 0;               // of Run
  bool test_active_ = false;
  QString held_;
};

}  // namespace hyb::ui
