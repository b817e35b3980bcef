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

/// Page "FACE" of workspace Fidelity: one button runs the campaign of the open project; the convergence plot grows
/// while tests come in; the verdict stands beside it. Afterwards tests can be left out, and axis, scale and tolerance
/// changed: the judgement follows, and is kept in the result file.
class FacePage : public QWidget {
  Q_OBJECT
 public:
  /// `devices` makes the hardware of projects that run on a rig; may be empty.
  explicit FacePage(ProjectDocument* document, DeviceFactory devices = {}, QWidget* parent = nullptr);
  ~FacePage() override;
  /// The result of an earlier campaign. What cannot be read is said on the page.
  void open(const QString& file);
  /// The settings belong to a test that is active.
  void setTestActive(bool active);
  CampaignBar* bar() const { return bar_; }
  /// What is shown; null: nothing yet.
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
  /// Judges what is shown anew after `change`.
  void judge(const std::function<void(FaceReport&)>& change);
  void chooseResult();

  ProjectDocument* document_;
  DeviceFactory devices_;
  std::optional<Project> project_;  // the open one, as far as it is valid
  std::size_t planned_ = 0;         // tests of its plan; 0: not known
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
  std::shared_ptr<const FaceReport> wanted_;  // shown, or being judged
  std::filesystem::path shown_;               // its file
  LatestTask planning_, judging_, opening_;   // last: their workers end before what they use
};

}  // namespace hyb::ui
