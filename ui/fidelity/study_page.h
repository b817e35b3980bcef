#pragma once
#include <QWidget>
#include <filesystem>
#include <optional>

#include "core/run/device_factory.h"
#include "core/study/study_file.h"
#include "ui/base/latest_task.h"

class QComboBox;

namespace hyb::ui {

class CampaignBar;
class ProjectDocument;
class ResultFile;
class StudyForm;
class StudyResults;

/// Page "Study" of workspace Fidelity: variations on the left, campaign below them, result on the right. Opens studies
/// (.json) and results (.h5), and saves studies.
class StudyPage : public QWidget {
  Q_OBJECT
 public:
  /// `devices` makes the hardware of projects that run on a rig; may be empty.
  explicit StudyPage(ProjectDocument* document, DeviceFactory devices = {}, QWidget* parent = nullptr);
  ~StudyPage() override;
  /// Opens a study or its result. The page shows read errors, and asks before it discards changes.
  void open(const QString& file);
  /// True if the study on the page differs from the one last saved or opened.
  bool modified() const;
  /// Throws DeviceError, and InputError if the project has no file.
  void saveStudy(const QString& file);
  CampaignBar* bar() const { return bar_; }

 Q_SIGNALS:
  /// A run of the study was recorded: show it.
  void openRun(const QString& file);

 private:
  /// The study on the page, or nothing after showing its errors at the fields.
  std::optional<Study> study();
  std::string projectName() const;
  void setOwnProject(Json project, const std::filesystem::path& folder, const std::string& name);
  void takeProject();
  void check();
  void ask();
  void run();
  void load(const QString& file);
  void take(const QString& file, StudyTable table);
  void take(const QString& file, const Study& study);
  void loaded();
  void showResult(StudyTable table);
  void recordRun(std::size_t run);
  void chooseStudy();
  void chooseSaving();

  ProjectDocument* document_;
  DeviceFactory devices_;
  QComboBox* project_;
  StudyForm* form_;
  ResultFile* file_;
  CampaignBar* bar_;
  StudyResults* results_;
  // Own project of an opened study, used until the user chooses the open project.
  Json own_project_;
  std::filesystem::path own_folder_;
  std::string own_name_;
  std::filesystem::path shown_;         // result file in view
  std::filesystem::path shown_folder_;  // base of relative paths of its project
  Json saved_;                          // state of the form at the last save or open
  LatestTask opening_;
};

}  // namespace hyb::ui
