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
class PhasorPlot;
class PlotPanel;
class PreflightList;
class PreflightSource;
class ProjectDocument;
class ResponsePlot;

/// Page "Identification" of workspace Rig. It excites an actuator in a separate test and shows its frequency response
/// live. It fits a model to that test or to any recorded run, and writes it into the project.
class IdentifyPage : public QWidget {
  Q_OBJECT
 public:
  IdentifyPage(ProjectDocument* document, RunController* controller, QWidget* parent = nullptr);
  void setProject(const std::optional<Project>& project);
  /// Another project is being opened.
  void forget();
  /// A test of this page or of another page is active.
  void setTestActive(bool active);
  /// Reason from elsewhere that blocks motion and edits; empty: none.
  void setHeld(const QString& why);
  /// Rows of the running test from the display ring.
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
  void showResponse(const std::shared_ptr<const struct ResponseCurves>& curves);
  void updateBlocked();

  RunController* controller_;
  ExcitePanel* excite_;
  FitPanel* fit_;
  AcceptPanel* accept_;
  LiveResponse* live_;
  ResponsePlot* plots_[3];
  PlotPanel* panels_[3];
  PhasorPlot* phasors_ = nullptr;  // in place of the coherence after a stepped sine
  PlotPanel* phasor_panel_ = nullptr;
  PreflightSource* checks_;
  PreflightList* list_;
  QWidget* list_area_;
  QTimer clock_;
  std::optional<Project> project_;
  std::optional<ExcitePanel::Ready> asked_;   // excitation that this page has armed
  bool mine_ = false, mine_on_twin_ = false;  // this page owns the active test; the last test was on the twin
  QString mine_file_;                         // file of the last excitation
  std::uint64_t from_tick_ = 0;               // tick of Run
  bool test_active_ = false;
  QString held_;
};

}  // namespace hyb::ui
