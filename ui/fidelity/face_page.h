#pragma once
#include <QWidget>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "core/project/project.h"
#include "core/study/face_campaign.h"
#include "ui/base/latest_task.h"

class QComboBox;
class QLabel;
class QStackedWidget;

namespace hyb::ui {

class CampaignBar;
class FacePlot;
class FaceTests;
class FaceVerdictPanel;
class PlotPanel;
class ProjectDocument;
class ResultFile;
class SectionForm;

/// Page "FACE" of workspace Fidelity. One button runs the campaign of the open project. The convergence plot grows as
/// tests finish; the verdict is beside it. Afterwards, tests can be left out, and axis, scale and tolerance changed.
/// The page then updates the assessment and stores it in the result file.
class FacePage : public QWidget {
  Q_OBJECT
 public:
  /// `devices` makes the hardware of projects that run on a rig; may be empty.
  explicit FacePage(ProjectDocument* document, DeviceFactory devices = {}, QWidget* parent = nullptr);
  ~FacePage() override;
  /// Opens the result of an earlier campaign; the page shows read errors.
  void open(const QString& file);
  /// An active test locks the settings.
  void setTestActive(bool active);
  CampaignBar* bar() const { return bar_; }
  /// The report shown; null: none yet.
  const FaceReport* report() const { return report_.get(); }

 Q_SIGNALS:
  void openRun(const QString& file);

 private:
  QWidget* makePlan();
  QWidget* makeResult();
  void takeProject(const Project& project);
  void updatePlan();
  void updateControls();
  void ask();
  void run();
  void setReport(std::shared_ptr<const FaceReport> report, bool final);
  /// Repeats the assessment of the shown report after `change`.
  void judge(const std::function<void(FaceReport&)>& change);
  void chooseResult();

  ProjectDocument* document_;
  DeviceFactory devices_;
  std::optional<Project> project_;  // the open project; none while it has errors
  std::size_t planned_ = 0;         // tests of its plan; 0: unknown
  int free_pace_ = 0;               // chosen for projects on their twin
  bool test_active_ = false;
  QStackedWidget* settings_;
  SectionForm* form_;
  QLabel* plan_;
  QComboBox *pace_, *axis_, *scale_;
  ResultFile* file_;
  CampaignBar* bar_;
  FacePlot* plot_;
  PlotPanel* panel_;
  FaceTests* tests_;
  FaceVerdictPanel* verdict_;

  std::shared_ptr<const FaceReport> report_;  // shown
  std::shared_ptr<const FaceReport> wanted_;  // shown, or being assessed
  std::filesystem::path shown_;               // its file
  LatestTask planning_, judging_, opening_;   // last member: workers end before the data they use
};

}  // namespace hyb::ui
