#include "ui/fidelity/face_page.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <cmath>

#include "ui/base/dialog.h"
#include "ui/base/widgets.h"
#include "ui/control/recording_folder.h"
#include "ui/document/field_editors.h"
#include "ui/document/project_document.h"
#include "ui/document/schema_tools.h"
#include "ui/document/section_form.h"
#include "ui/fidelity/campaign_bar.h"
#include "ui/fidelity/face_plot.h"
#include "ui/fidelity/face_tests.h"
#include "ui/fidelity/face_verdict.h"
#include "ui/fidelity/result_file.h"
#include "ui/plot/plot_panel.h"

namespace hyb::ui {
namespace {

constexpr auto kSection = "/analysis/face";
constexpr std::size_t kFaceRowBytes = 256;  // of a run file, estimate

QString planText(const FacePlan& plan) {
  const double first = plan.values.empty() ? std::nan("") : plan.values.front();
  const double last = plan.values.empty() ? std::nan("") : plan.values.back();
  QString text = FacePage::tr("%1 tests, %2 from %3.")
                     .arg(plan.tests())
                     .arg(QString::fromStdString(plan.title).toLower(), spanText(first, last, displayUnit(plan.units)));
  if (plan.margin_s)
    text += FacePage::tr(" The loop is stable up to %1 of added delay.")
                .arg(quantityText(*plan.margin_s, displayUnit("s")));
  return text;
}

QString summaryText(const FaceSummary& summary) {
  const auto run = std::count_if(summary.report.tests.begin(), summary.report.tests.end(),
                                 [](const FaceCampaignTest& test) { return test.status != RunStatus::pending; });
  QString text = summary.cancelled ? FacePage::tr("Cancelled: %1 of %2 tests are kept. Press Run FACE to continue.")
                                         .arg(run)
                                         .arg(summary.report.tests.size())
                                   : FacePage::tr("%1 tests in %2 s.").arg(run).arg(summary.elapsed_s, 0, 'f', 1);
  if (summary.resumed > 0) text += FacePage::tr(" %1 were kept from an earlier start.").arg(summary.resumed);
  if (summary.damaged > 0)
    text += FacePage::tr(" Damaged or incomplete lines in the journal: %1. Their tests were repeated.")
                .arg(summary.damaged);
  return text;
}

bool onRig(const std::optional<Project>& project) { return project && project->rig.use != RigUse::twin; }

QComboBox* compactCombo(const QString& name) {
  auto* combo = new TitleCombo;
  combo->setAccessibleName(name);
  combo->setToolTip(name);
  return combo;
}

}  // namespace

FacePage::FacePage(ProjectDocument* document, DeviceFactory devices, QWidget* parent)
    : QWidget(parent),
      document_(document),
      devices_(std::move(devices)),
      settings_(new QStackedWidget),
      form_(new SectionForm(document)),
      plan_(new QLabel),
      pace_(new QComboBox),
      axis_(compactCombo(tr("Error measure on the axis"))),
      scale_(compactCombo(tr("Fit the quantity itself or its decibels"))),
      file_(new ResultFile),
      bar_(new CampaignBar(tr("Run FACE"), Qt::Key_F4)),
      plot_(new FacePlot(tr("Convergence"))),
      panel_(new PlotPanel(plot_)),
      tests_(new FaceTests),
      verdict_(new FaceVerdictPanel) {
  setAccessibleName(tr("FACE"));
  auto* columns = new Splitter(Qt::Horizontal);
  columns->setChildrenCollapsible(false);
  columns->addWidget(makePlan());
  columns->addWidget(makeResult());
  columns->addWidget(verdict_);
  verdict_->setMinimumWidth(250);
  columns->setStretchFactor(1, 1);
  columns->setSizes({444, 570, 250});
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(columns);

  connect(document_, &ProjectDocument::valid, this, &FacePage::takeProject);
  connect(document_, &ProjectDocument::changed, this, [this] {
    project_.reset();  // unknown until the edit has been checked
    bar_->withdraw();
    updatePlan();
  });
  connect(document_, &ProjectDocument::checked, this, &FacePage::updatePlan);
  connect(bar_, &CampaignBar::runRequested, this, &FacePage::run);
  connect(bar_, &CampaignBar::questionWanted, this, &FacePage::ask);
  connect(bar_, &CampaignBar::runningChanged, this, &FacePage::updateControls);
  connect(plot_, &FacePlot::chosen, tests_, &FaceTests::select);
  connect(tests_, &FaceTests::selectionChanged, plot_, &FacePlot::setSelected);
  connect(tests_, &FaceTests::openRequested, this, &FacePage::openRun);
  connect(tests_, &FaceTests::dropRequested, this, [this](int test, const QString& reason) {
    judge([&](FaceReport& report) { report.tests[static_cast<std::size_t>(test)].dropped = reason.toStdString(); });
  });
  connect(verdict_, &FaceVerdictPanel::toleranceChosen, this, [this](double percent) {
    if (report_ && report_->spec.settings.tolerance_percent != percent)
      judge([&](FaceReport& report) { report.spec.settings.tolerance_percent = percent; });
  });
  connect(axis_, &QComboBox::activated, this,
          [this](int axis) { judge([&](FaceReport& report) { report.spec.axis = static_cast<FaceAxis>(axis); }); });
  connect(scale_, &QComboBox::activated, this, [this](int scale) {
    judge([&](FaceReport& report) { report.spec.settings.scale = static_cast<FaceScale>(scale); });
  });
  updatePlan();
  updateControls();
}

FacePage::~FacePage() = default;

void FacePage::setTestActive(bool active) {
  test_active_ = active;
  updateControls();
}

void FacePage::updateControls() {
  const bool running = bar_->running(), rig = onRig(project_);
  form_->setReadOnly(running || test_active_);
  settings_->widget(0)->setEnabled(!test_active_);
  pace_->setEnabled(!running && !rig);
  pace_->setToolTip(rig ? tr("A rig always runs in real time.")
                        : tr("Free run: as fast as the computer can. Real time: one tick per period of the clock."));
  file_->setReadOnly(running);
  tests_->setEditable(!running);
  axis_->setEnabled(!running && report_);
  scale_->setEnabled(!running && report_);
}

QWidget* FacePage::makePlan() {
  auto* left = new Panel;
  auto* heading = new QLabel(tr("FACE"));
  heading->setFont(figureFont(1.0, true));
  auto* open_button = new QPushButton(tr("Open result…"));
  open_button->setToolTip(tr("Opens the result of an earlier campaign"));
  connect(open_button, &QPushButton::clicked, this, &FacePage::chooseResult);
  auto* head = new QHBoxLayout;
  head->addWidget(heading, 1);
  head->addWidget(open_button);

  auto* nothing = new QWidget;
  auto* words =
      new QLabel(tr("FACE estimates the distance of a test from the error-free test. This project has no FACE settings "
                    "yet: error source and quantity of interest."));
  words->setWordWrap(true);
  words->setProperty("muted", true);
  auto* set_up = new QPushButton(tr("Set up FACE"));
  set_up->setObjectName(QStringLiteral("set-up-face"));
  connect(set_up, &QPushButton::clicked, this, [this] {
    document_->set(kSection,
                   initialValue(resolved(projectSchema().at("properties").at("analysis")).at("properties").at("face")));
    document_->endEdit();
  });
  auto* nothing_box = new QVBoxLayout(nothing);
  nothing_box->setContentsMargins(0, 0, 0, 0);
  nothing_box->addWidget(words);
  nothing_box->addWidget(set_up, 0, Qt::AlignLeft);
  nothing_box->addStretch(1);
  settings_->addWidget(nothing);
  settings_->addWidget(form_);
  // The column is narrower than in Configure, so the second column of fields scrolls.
  for (QScrollArea* area : form_->findChildren<QScrollArea*>())
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);

  plan_->setWordWrap(true);
  plan_->setObjectName(QStringLiteral("plan"));
  pace_->addItem(tr("free run"));
  pace_->addItem(tr("real time"));
  pace_->setAccessibleName(tr("Pace"));
  pace_->setObjectName(QStringLiteral("face-pace"));
  connect(pace_, &QComboBox::activated, this, [this](int pace) { free_pace_ = pace; });
  auto* pace_label = new QLabel(tr("Pace"));
  pace_label->setBuddy(pace_);
  auto* file_label = new QLabel(tr("Result"));
  file_label->setBuddy(file_);
  auto* rows = new QGridLayout;
  rows->setHorizontalSpacing(8);
  rows->setColumnStretch(1, 1);
  rows->addWidget(pace_label, 0, 0);
  rows->addWidget(pace_, 0, 1);
  rows->addWidget(file_label, 1, 0);
  rows->addWidget(file_, 1, 1);
  auto* box = new QVBoxLayout(left);
  box->setContentsMargins(8, 6, 8, 8);
  box->setSpacing(8);
  box->addLayout(head);
  box->addWidget(settings_, 1);
  box->addWidget(plan_);
  box->addLayout(rows);
  box->addWidget(bar_);
  left->setMinimumWidth(300);
  return left;
}

QWidget* FacePage::makeResult() {
  for (std::size_t axis = 0; axis < kFaceAxes; ++axis) {
    const FaceAxisWords& each = words(static_cast<FaceAxis>(axis));
    axis_->addItem(QString::fromUtf8(each.title));
    axis_->setItemData(static_cast<int>(axis), QString::fromUtf8(each.description), Qt::ToolTipRole);
  }
  axis_->setObjectName(QStringLiteral("face-axis"));
  scale_->addItems({tr("linear"), tr("dB")});
  scale_->setObjectName(QStringLiteral("face-scale"));
  plot_->setEmptyText(
      tr("Each test becomes a point here: quantity of interest over error, extrapolated to error 0.\nPress Run FACE "
         "(F4)."));
  panel_->addControl(axis_);
  panel_->addControl(scale_);
  auto* middle = new Splitter(Qt::Vertical);
  middle->setChildrenCollapsible(false);
  middle->addWidget(panel_);
  middle->addWidget(tests_);
  middle->setSizes({420, 220});
  return middle;
}

void FacePage::takeProject(const Project& project) {
  project_ = project;
  planned_ = 0;
  pace_->setCurrentIndex(onRig(project_) ? 1 : free_pace_);
  bar_->setOnRig(onRig(project_));
  updateControls();
  file_->setFolder(recordingFolder(project) / "face");
  file_->setTitle(QString::fromStdString(project.meta.title) + QStringLiteral(" FACE"));
  updatePlan();
  const std::optional<FaceSpec> spec = faceSpec(project.document);
  if (!spec) return;
  if (!report_) {
    axis_->setCurrentIndex(static_cast<int>(spec->axis));
    scale_->setCurrentIndex(static_cast<int>(spec->settings.scale));
  }
  planning_.submit([this, project]() -> LatestTask::Deliver {
    QString text;
    const char* kind = "";
    std::size_t tests = 0;
    try {
      const FacePlan plan = planFace(project);
      text = planText(plan);
      tests = plan.tests();
    } catch (const std::exception& error) {
      text = QString::fromUtf8(error.what());
      kind = "error";
    }
    return [this, text, kind, tests] {
      planned_ = tests;
      plan_->setText(text);
      setMark(plan_, kind);
    };
  });
}

void FacePage::updatePlan() {
  const bool there = document_->at(kSection) != nullptr;
  settings_->setCurrentIndex(there ? 1 : 0);
  if (there && form_->section().empty()) form_->showSection(kSection);
  plan_->setVisible(there);
  bar_->setBlocked(!there     ? tr("Press \"Set up FACE\" first")
                   : project_ ? QString()
                              : tr("The project has errors: see the fields in red, or Configure (Ctrl+1)"));
}

void FacePage::ask() {
  if (!project_) return;
  const QString what = planned_ > 0 ? tr("%1 tests").arg(planned_) : tr("all tests");
  bar_->ask(what, *project_, (recordingFolder(*project_) / "face.h5").string(),
            kFaceRowBytes * std::max<std::size_t>(1, planned_));
}

void FacePage::run() {
  if (!project_ || bar_->running()) return;
  FaceOptions options;
  options.paced = pace_->currentIndex() == 1;
  options.devices = devices_;
  std::filesystem::path file;
  try {
    file = file_->take(project_->document.dump() + (options.paced ? " paced" : ""));
  } catch (const DeviceError& error) {
    return bar_->say(QString::fromUtf8(error.what()), "error");
  }
  options.runs = file.parent_path() / (file.stem().string() + "-runs");
  bar_->run(
      [this, bar = bar_, project = *project_, file, options](const StudyWatch& watch,
                                                             StopToken& stop) mutable -> CampaignBar::Deliver {
        options.stop = &stop;
        const FaceSummary summary = runFace(project, file, options, [&](const FaceProgress& progress) {
          if (progress.changed && progress.report) {
            auto grown = std::make_shared<const FaceReport>(*progress.report);
            bar->post([this, grown] { setReport(grown, false); });
          }
          return watch({false, progress.done, progress.total, progress.remaining_s});
        });
        return [this, summary] {
          shown_ = summary.file;
          bar_->say(summaryText(summary), summary.cancelled ? "warning" : "");
          setReport(std::make_shared<const FaceReport>(summary.report), true);
        };
      },
      project_->rig.use);
}

void FacePage::setReport(std::shared_ptr<const FaceReport> report, bool final) {
  report_ = wanted_ = std::move(report);
  axis_->setCurrentIndex(static_cast<int>(report_->spec.axis));
  scale_->setCurrentIndex(static_cast<int>(report_->spec.settings.scale));
  plot_->setReport(report_);
  tests_->show(report_);
  plot_->setSelected(tests_->selected());
  verdict_->show(report_, final);
  panel_->updateReading();
  updateControls();
}

void FacePage::judge(const std::function<void(FaceReport&)>& change) {
  if (!wanted_ || bar_->running()) return;
  auto next = std::make_shared<FaceReport>(*wanted_);
  change(*next);
  wanted_ = next;
  judging_.submit([this, next, file = shown_]() -> LatestTask::Deliver {
    auto judged = std::make_shared<FaceReport>(*next);
    QString problem;
    try {
      assess(*judged);
      if (!file.empty()) saveFaceFile(file, *judged);
    } catch (const std::exception& error) {
      problem = QString::fromUtf8(error.what());
    }
    return [this, judged, problem] {
      bar_->say(problem, "error");
      setReport(judged, true);
    };
  });
}

void FacePage::open(const QString& file) {
  if (bar_->running()) return;
  judging_.cancel();
  bar_->say(tr("Opening %1…").arg(QFileInfo(file).fileName()));
  opening_.submit([this, file]() -> LatestTask::Deliver {
    try {
      auto report = std::make_shared<const FaceReport>(readFaceFile(file.toStdString()));
      return [this, file, report] {
        if (bar_->running()) return;
        shown_ = file.toStdString();
        const QString name = QFileInfo(file).fileName();
        if (report->notice.empty())
          bar_->say(tr("Opened %1: %2").arg(name, QString::fromStdString(report->title)));
        else
          bar_->say(tr("%1: %2").arg(name, QString::fromStdString(report->notice)), "error");
        setReport(report, true);
      };
    } catch (const std::exception& error) {
      return [this, problem = QString::fromUtf8(error.what())] {
        if (!bar_->running()) bar_->say(problem, "error");
      };
    }
  });
}

void FacePage::chooseResult() {
  auto* dialog = new QFileDialog(this, tr("Open the result of a FACE campaign"),
                                 shown_.empty() ? QString() : QString::fromStdString(shown_.parent_path().string()),
                                 tr("Results (*.h5);;All files (*)"));
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &FacePage::open);
  showBeside(dialog);
}

}  // namespace hyb::ui
