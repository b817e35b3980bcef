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

/// Page "Study" of workspace Fidelity: what varies on the left, the campaign below it, its result on the right. Opens
/// studies (.json) and their results (.h5), and saves studies.
class StudyPage : public QWidget {
  Q_OBJECT
 public:
  /// `devices` makes the hardware of projects that run on a rig; may be empty.
  explicit StudyPage(ProjectDocument* document, DeviceFactory devices = {}, QWidget* parent = nullptr);
  ~StudyPage() override;
  /// A study or the result of one. What cannot be read is said on the page; what would be lost is asked about first.
  void open(const QString& file);
  /// The study on the page differs from the one that was last saved or opened.
  bool modified() const;
  /// Throws DeviceError, and InputError while the project is nowhere that a file could name.
  void saveStudy(const QString& file);
  CampaignBar* bar() const { return bar_; }

 Q_SIGNALS:
  /// A run of the study was recorded and is to be shown.
  void openRun(const QString& file);

 private:
  /// The study that the page shows, or nothing: then its errors stand at their fields.
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
  // Of a study that was opened: its own project, used until the open one is chosen.
  Json own_project_;
  std::filesystem::path own_folder_;
  std::string own_name_;
  std::filesystem::path shown_;         // result file in view
  std::filesystem::path shown_folder_;  // where the paths of its project start
  Json saved_;                          // what the form said when it was last saved or opened
  LatestTask opening_;
};

}  // namespace hyb::ui
