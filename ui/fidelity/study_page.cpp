#include "ui/fidelity/study_page.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QSplitter>
#include <algorithm>
#include <chrono>
#include <thread>

#include "core/project/schema.h"
#include "core/run/test_run.h"
#include "core/study/run_study.h"
#include "core/study/study_file.h"
#include "ui/base/dialog.h"
#include "ui/base/widgets.h"
#include "ui/control/recording_folder.h"
#include "ui/document/project_document.h"
#include "ui/fidelity/campaign_bar.h"
#include "ui/fidelity/result_file.h"
#include "ui/fidelity/study_form.h"
#include "ui/fidelity/study_results.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr int kOpenProject = 0;  // index in the chooser; 1: the study's own project

QString summaryText(const StudySummary& summary) {
  const std::size_t finished = summary.done + summary.stopped + summary.failed;
  QString text = summary.cancelled
                     ? StudyPage::tr("Cancelled: %1 of %2 runs are kept. Press Run study to continue.")
                           .arg(finished)
                           .arg(summary.runs)
                     : StudyPage::tr("%1 runs in %2 s.").arg(summary.runs).arg(summary.elapsed_s, 0, 'f', 1);
  if (summary.stopped > 0) text += StudyPage::tr(" %1 ended early.").arg(summary.stopped);
  if (summary.failed > 0) text += StudyPage::tr(" %1 could not be run.").arg(summary.failed);
  if (summary.resumed > 0) text += StudyPage::tr(" %1 were kept from an earlier start.").arg(summary.resumed);
  if (summary.damaged > 0)
    text += StudyPage::tr(" Damaged or incomplete lines in the journal: %1. Their runs were repeated.")
                .arg(summary.damaged);
  return text;
}

/// Use of the rig in a project, as far as known before its check.
RigUse useOf(const Json& project) {
  const Json* use = nullptr;
  if (const Json::json_pointer at("/rig/use"); project.contains(at)) use = &project.at(at);
  if (!use || !use->is_string() || *use == "twin") return RigUse::twin;
  return *use == "shadow" ? RigUse::shadow : RigUse::rig;
}

/// Use of the rig in the runs of a study, which may itself be varied.
RigUse useOf(const Study& study) {
  RigUse most = useOf(study.base);
  for (const Variation& variation : study.variations)
    for (const std::string& pointer : variation.pointers) {
      if (!std::string("/rig/use").starts_with(pointer)) continue;
      for (const Json& value : variation.values) {
        Json project = study.base;
        project[Json::json_pointer(pointer)] = value;
        most = std::max(most, useOf(project));
      }
    }
  return most;
}

constexpr std::chrono::milliseconds kLook(50);
constexpr std::size_t kRowBytes = 256;  // of a run's traces, estimate

}  // namespace

StudyPage::StudyPage(ProjectDocument* document, DeviceFactory devices, QWidget* parent)
    : QWidget(parent),
      document_(document),
      devices_(std::move(devices)),
      project_(new QComboBox),
      form_(new StudyForm),
      file_(new ResultFile),
      bar_(new CampaignBar(tr("Run study"), 0)),
      results_(new StudyResults) {
  setAccessibleName(tr("Study"));
  auto* left = new Panel;
  auto* open_button = new QPushButton(tr("Open…"));
  open_button->setToolTip(tr("Opens a study (.json) or the result of one (.h5)"));
  auto* save = new QPushButton(tr("Save as…"));
  save->setToolTip(tr("Saves the study as a file for this page and for \"hybridbench study\""));
  auto* heading = new QLabel(tr("Study"));
  heading->setFont(figureFont(1.0, true));
  auto* head = new QHBoxLayout;
  head->addWidget(heading, 1);
  head->addWidget(open_button);
  head->addWidget(save);
  auto* project_label = new QLabel(tr("Project"));
  project_label->setBuddy(project_);
  project_->setAccessibleName(tr("Project to vary"));
  project_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  project_->addItem({});
  auto* file_label = new QLabel(tr("Result"));
  file_label->setBuddy(file_);
  auto* rows = new QGridLayout;
  rows->setHorizontalSpacing(8);
  rows->setColumnStretch(1, 1);
  rows->addWidget(project_label, 0, 0);
  rows->addWidget(project_, 0, 1);
  auto* file_row = new QHBoxLayout;
  file_row->setSpacing(8);
  file_row->addWidget(file_label);
  file_row->addWidget(file_, 1);
  auto* box = new QVBoxLayout(left);
  box->setContentsMargins(8, 6, 8, 8);
  box->setSpacing(8);
  box->addLayout(head);
  box->addLayout(rows);
  box->addWidget(form_, 1);
  box->addLayout(file_row);
  box->addWidget(bar_);
  left->setMinimumWidth(380);
  auto* columns = new Splitter(Qt::Horizontal);
  columns->setChildrenCollapsible(false);
  columns->addWidget(left);
  columns->addWidget(results_);
  columns->setStretchFactor(1, 1);
  columns->setSizes({430, 830});
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(columns);

  connect(open_button, &QPushButton::clicked, this, &StudyPage::chooseStudy);
  connect(save, &QPushButton::clicked, this, &StudyPage::chooseSaving);
  connect(project_, &QComboBox::currentIndexChanged, this, &StudyPage::takeProject);
  connect(document_, &ProjectDocument::valid, this, [this](const Project& project) {
    file_->setFolder(recordingFolder(project) / "studies");
    if (project_->currentIndex() == kOpenProject) takeProject();
  });
  const auto name_project = [this] {
    project_->setItemText(kOpenProject, tr("open: %1").arg(document_->displayName()));
  };
  connect(document_, &ProjectDocument::fileChanged, this, name_project);
  name_project();
  connect(form_, &StudyForm::changed, this, &StudyPage::check);
  connect(bar_, &CampaignBar::runRequested, this, &StudyPage::run);
  connect(bar_, &CampaignBar::questionWanted, this, &StudyPage::ask);
  connect(bar_, &CampaignBar::runningChanged, this, [this](bool running) {
    form_->setEnabled(!running);
    project_->setEnabled(!running);
    file_->setReadOnly(running);
  });
  connect(results_, &StudyResults::openRequested, this, &StudyPage::recordRun);
  check();
  saved_ = form_->document({});
}

StudyPage::~StudyPage() = default;

std::string StudyPage::projectName() const {
  if (project_->currentIndex() != kOpenProject) return own_name_;
  if (!document_->file().isEmpty()) return document_->file().toStdString();
  for (const Template& known : templates())
    if (templateDocument(known.name) == document_->json()) return known.name;
  return document_->displayName().toStdString();  // no study file can refer to an unsaved project: see saveStudy()
}

void StudyPage::takeProject() {
  const bool open_one = project_->currentIndex() == kOpenProject;
  form_->setProject(open_one ? document_->json() : own_project_);
  check();
}

void StudyPage::setOwnProject(Json project, const std::filesystem::path& folder, const std::string& name) {
  own_project_ = std::move(project);
  own_folder_ = folder;
  own_name_ = name;
  // An absolute path, so that a study saved anywhere finds its project.
  if (const auto beside = folder / name; QFileInfo(QString::fromStdString(beside.string())).isFile())
    own_name_ = beside.string();
  const QSignalBlocker quiet(project_);
  while (project_->count() > 1) project_->removeItem(1);
  project_->addItem(tr("of the study: %1").arg(QFileInfo(QString::fromStdString(name)).fileName()));
  project_->setCurrentIndex(1);
  form_->setProject(own_project_);
}

std::optional<Study> StudyPage::study() {
  const bool open_one = project_->currentIndex() == kOpenProject;
  std::vector<Issue> issues;
  try {
    Study study = parseStudy(form_->document(projectName()), open_one ? document_->folder() : own_folder_,
                             open_one ? &document_->json() : &own_project_);
    const auto look = [&](const std::string& where, const std::vector<std::string>& pointers) {
      for (const std::string& pointer : pointers) try {
          schemaOf(study.base, pointer);
        } catch (const InputError& error) {
          issues.push_back({where + "/pointer", error.issues().front().message});
        }
    };
    for (std::size_t v = 0; v < study.variations.size(); ++v)
      look("/vary/" + std::to_string(v), study.variations[v].pointers);
    for (std::size_t r = 0; r < study.random.settings.size(); ++r)
      look("/random/" + std::to_string(r), study.random.settings[r].pointers);
    if (issues.empty()) {
      form_->setIssues({}, study.runs());
      return study;
    }
  } catch (const InputError& error) {
    issues = error.issues();
  }
  form_->setIssues(issues, 0);
  return {};
}

void StudyPage::check() {
  const Json& project = project_->currentIndex() == kOpenProject ? document_->json() : own_project_;
  bar_->withdraw();  // the question was about another study
  if (!project.is_object()) return bar_->setBlocked(tr("Open a project first"));
  const std::optional<Study> now = study();
  const bool rig = now && useOf(*now) != RigUse::twin;
  if (now) form_->setOnRig(rig);
  bar_->setOnRig(rig);
  bar_->setBlocked(now ? QString() : tr("Correct the fields in red first"));
  const std::string title = now ? now->document.value("title", "") : std::string();
  if (!title.empty())
    file_->setTitle(QString::fromStdString(title));
  else
    file_->setTitle(QFileInfo(QString::fromStdString(projectName())).completeBaseName() + QStringLiteral(" study"));
}

void StudyPage::ask() {
  const std::optional<Study> now = study();
  if (!now) return;
  try {
    const std::size_t runs = now->runs();
    bar_->ask(runs == 1 ? tr("1 test") : tr("%1 tests").arg(runs), parseProject(now->project(0), now->folder),
              (file_->folder() / "study.h5").string(), now->traces ? runs * kRowBytes : 0);
  } catch (const std::exception& error) {
    bar_->say(QString::fromUtf8(error.what()), "error");
  }
}

void StudyPage::run() {
  const std::optional<Study> now = study();
  if (!now) return;
  std::filesystem::path file;
  try {
    file = file_->take(now->identity());
  } catch (const DeviceError& error) {
    return bar_->say(QString::fromUtf8(error.what()), "error");
  }
  bar_->run(
      [this, study = *now, file, jobs = form_->jobs(), devices = devices_](const StudyWatch& watch,
                                                                           StopToken& stop) -> CampaignBar::Deliver {
        const StudySummary summary = runStudy(study, file, jobs, watch, devices, &stop);
        std::optional<StudyTable> table;
        if (!summary.file.empty()) table = readStudyFile(summary.file);
        return [this, summary, table = std::move(table), folder = study.folder] {
          bar_->say(summaryText(summary), summary.cancelled || summary.failed > 0 ? "warning" : "");
          if (!table) return;
          shown_ = summary.file;
          shown_folder_ = folder;
          showResult(*table);
        };
      },
      useOf(*now));
}

bool StudyPage::modified() const { return form_->document({}) != saved_; }

void StudyPage::open(const QString& file) {
  if (bar_->running()) return bar_->say(tr("A campaign is running. End it before opening another study."), "warning");
  if (!modified()) return load(file);
  auto* box = new QMessageBox(QMessageBox::Question, tr("Unsaved study"),
                              tr("The study on the page has changes that are not saved."),
                              QMessageBox::Discard | QMessageBox::Cancel, this);
  box->setInformativeText(tr("Opening %1 discards them.").arg(QFileInfo(file).fileName()));
  box->setDefaultButton(QMessageBox::Cancel);
  connect(box, &QMessageBox::finished, this, [this, file](int answer) {
    if (answer == QMessageBox::Discard) load(file);
  });
  showBeside(box);
}

void StudyPage::load(const QString& file) {
  bar_->say(tr("Opening %1…").arg(QFileInfo(file).fileName()));
  opening_.submit([this, file]() -> LatestTask::Deliver {
    const std::filesystem::path path = file.toStdString();
    try {
      if (path.extension() == ".h5")
        return [this, file, table = std::make_shared<StudyTable>(readStudyFile(path))] { take(file, *table); };
      return [this, file, study = std::make_shared<const Study>(loadStudy(path))] { take(file, *study); };
    } catch (const std::exception& error) {
      return [this, problem = QString::fromUtf8(error.what())] {
        if (!bar_->running()) bar_->say(problem, "error");
      };
    }
  });
}

void StudyPage::take(const QString& file, StudyTable table) {
  if (bar_->running()) return;
  setOwnProject(table.project, QFileInfo(file).absolutePath().toStdString(),
                table.study.value("project", std::string("project")));
  form_->show(table.study);
  shown_ = file.toStdString();
  shown_folder_ = own_folder_;
  const bool whole = table.complete;
  const QString notice = QString::fromStdString(table.notice);
  showResult(std::move(table));
  bar_->say(whole ? tr("Opened %1.").arg(QFileInfo(file).fileName())
                  : tr("%1 is unfinished. Choose it as the result file and press Run study to continue.")
                        .arg(QFileInfo(file).fileName()),
            whole ? "" : "warning");
  if (!notice.isEmpty()) bar_->say(tr("%1: %2").arg(QFileInfo(file).fileName(), notice), "error");
  loaded();
}

void StudyPage::take(const QString& file, const Study& study) {
  if (bar_->running()) return;
  Json base = study.base;
  setOwnProject(std::move(base), study.folder, study.document.value("project", std::string()));
  form_->show(study.document);
  bar_->say(tr("Opened %1.").arg(QFileInfo(file).fileName()));
  loaded();
}

void StudyPage::loaded() {
  saved_ = form_->document({});
  check();
}

void StudyPage::showResult(StudyTable table) {
  const bool paced = table.study.value("pace", "free-run") == std::string("real-time");
  const RigUse use = [&] {
    try {
      return useOf(studyOf(table, shown_folder_));
    } catch (const InputError&) {
      return useOf(table.project);  // the study is invalid; an attempt to repeat a run reports this
    }
  }();
  results_->setOpenBlocked(use != RigUse::twin
                               ? tr("A run on a rig cannot be repeated exactly. Keep the traces of the runs.")
                           : paced ? tr("A run in real time cannot be repeated exactly. Keep the traces of the runs.")
                                   : QString());
  results_->show(std::move(table), shown_, shown_folder_);
}

void StudyPage::saveStudy(const QString& file) {
  const std::string name = projectName();
  if (name == document_->displayName().toStdString())
    throw InputError("/project", "has no file that the study can refer to. Save the project first.");
  saveDocument(form_->document(name), file.toStdString());
  saved_ = form_->document({});
}

void StudyPage::recordRun(std::size_t run) {
  const StudyTable& table = results_->table();
  if (run >= table.status.size() || bar_->running()) return;
  if (const QString held = bar_->held(); !held.isEmpty()) return bar_->say(held, "warning");
  bar_->run([this, bar = bar_, table, folder = shown_folder_, run, stem = shown_.stem().string(),
             into = shown_.parent_path()](const StudyWatch&, StopToken& stop) -> CampaignBar::Deliver {
    const Study study = studyOf(table, folder);
    const Project project = parseProject(study.project(run), study.folder);
    RunOptions options;
    options.pace = Pace::free_run;
    options.attended = false;  // as in the study
    options.stop = &stop;
    options.file = into / (stem + "-runs") / ("run-" + std::to_string(run) + ".h5");
    std::filesystem::create_directories(options.file.parent_path());
    std::filesystem::remove(options.file);
    TestRun test(project, options);
    test.arm();
    test.start();
    while (!test.ended()) {
      const auto ticks = static_cast<double>(test.status().tick.load(std::memory_order_relaxed));
      const double whole = project.loop.duration_s * project.loop.rate_hz;
      if (whole > 0.0) bar->postShare(std::min(1.0, ticks / whole));
      std::this_thread::sleep_for(kLook);
    }
    const RunResult result = test.finish();
    if (!result.device_error.empty()) throw DeviceError(result.device_error);
    if (stop.asked()) {
      if (result.recorded) std::filesystem::remove(test.file());
      return [this] { bar_->say(tr("Cancelled. The run was discarded."), "warning"); };
    }
    return [this, file = QString::fromStdString(test.file().string())] { Q_EMIT openRun(file); };
  });
}

void StudyPage::chooseStudy() {
  auto* dialog =
      new QFileDialog(this, tr("Open a study or its result"), QString::fromStdString(document_->folder().string()),
                      tr("Studies and results (*.json *.h5);;All files (*)"));
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &StudyPage::open);
  showBeside(dialog);
}

void StudyPage::chooseSaving() {
  auto* dialog = new QFileDialog(this, tr("Save the study"), QString::fromStdString(document_->folder().string()),
                                 tr("Studies (*.json)"));
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("json"));
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
    try {
      saveStudy(file);
      const bool unsaved = project_->currentIndex() == kOpenProject && document_->modified();
      bar_->say(unsaved ? tr("Saved. The study refers to the project's file. Save the project too.") : tr("Saved."),
                unsaved ? "warning" : "");
    } catch (const std::exception& error) {
      bar_->say(QString::fromUtf8(error.what()), "error");
    }
  });
  showBeside(dialog);
}

}  // namespace hyb::ui
