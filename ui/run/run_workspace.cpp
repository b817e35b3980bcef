#include "ui/run/run_workspace.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QTabWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <optional>

#include "core/project/command_bounds.h"
#include "core/run/build.h"
#include "core/run/go_on.h"
#include "core/run/learnt_start.h"
#include "ui/base/latest_task.h"
#include "ui/base/notice_bar.h"
#include "ui/base/scrolled.h"
#include "ui/base/widgets.h"
#include "ui/control/preflight_source.h"
#include "ui/plot/link_plot.h"
#include "ui/plot/periodic_pages.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/power_view.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/run_loader.h"
#include "ui/plot/stride_view.h"
#include "ui/plot/sweep_view.h"
#include "ui/plot/time_view.h"
#include "ui/plot/trials_view.h"
#include "ui/run/control_panel.h"
#include "ui/run/fault_panel.h"
#include "ui/run/limits_table.h"
#include "ui/run/live_views.h"
#include "ui/run/measures_view.h"
#include "ui/run/preflight_panel.h"
#include "ui/run/tuning_panel.h"

namespace hyb::ui {
namespace {

constexpr int kColumnWidth_px = 320, kLive_ms = 200, kChecks_ms = 1000, kToolsLeast_px = 40;
constexpr double kMovingWindow_s = 4.0;
constexpr auto kLayoutKey = "run/layout";

std::size_t interfaceCount(const Project& project) {
  try {
    return buildPartition(project).interface.size();
  } catch (const InputError&) {
    return 1;
  }
}

/// Splits digits into blocks, so that a line can break between them.
QString sha256Text(const std::string& sha256) {
  constexpr std::size_t kBlock = 16;
  QStringList blocks;
  for (std::size_t at = 0; at < sha256.size(); at += kBlock)
    blocks << QString::fromStdString(sha256.substr(at, kBlock));
  return blocks.join(QLatin1Char(' '));
}

QFrame* panelWith(const QString& title, QWidget* content) {
  auto* panel = new Panel;
  auto* heading = new QLabel(title);
  heading->setFont(figureFont(1.0, true));
  auto* layout = new QVBoxLayout(panel);
  layout->setContentsMargins(8, 6, 8, 8);
  layout->setSpacing(4);
  layout->addWidget(heading);
  layout->addWidget(content, 1);
  return panel;
}

}  // namespace

struct RunWorkspace::Impl {
  RunWorkspace* self;
  RunController* controller;
  QAction *arm, *run, *hold, *reset, *note, *freeze, *early_run;
  ControlPanel* control = nullptr;
  NoticeBar* library = nullptr;     // asks for permission to run a library
  std::optional<PlugInFile> asked;  // that library
  PreflightPanel* preflight = nullptr;
  LimitsTable* limits = nullptr;
  TuningPanel* tuning = nullptr;
  FaultPanel* faults = nullptr;
  LinkPlot* link = nullptr;
  PlotPanel* link_panel = nullptr;
  QTabWidget* tools = nullptr;  // tuning, faults and link
  LiveViews* views = nullptr;
  MeasuresView* measures = nullptr;
  TrialsView* trials = nullptr;
  PeriodicPages* periodic = nullptr;
  QTabWidget* pages = nullptr;  // of plots
  QTimer live, checking;
  unsigned moving_frame = 0;
  std::optional<Project> project, next;
  bool another = false;  // another project was opened: the plots are cleared as soon as no test or fault keeps them
  /// Start offered to the next test: a trial of an ended test, or a stopped sweep.
  std::optional<LearntStart> offer;
  std::optional<StoppedSweep> stopped;
  PreflightSource checks;
  TimeView* moving_view = nullptr;  // of stride and power
  StrideView* stride = nullptr;
  PowerView* power = nullptr;
  LatestTask reading_back, beginning;

  Impl(RunWorkspace* workspace, RunController* run_controller) : self(workspace), controller(run_controller) {
    const auto action = [this](const QString& text, Qt::Key key, const QString& tip) {
      auto* made = new QAction(text, self);
      made->setShortcut(QKeySequence(key));
      made->setShortcutContext(Qt::WindowShortcut);
      made->setToolTip(tip);
      self->addAction(made);
      return made;
    };
    arm = action(tr("Arm"), Qt::Key_F5, tr("Opens rig and file and checks; nothing moves"));
    run = action(tr("Run"), Qt::Key_F6, tr("Starts the armed test"));
    hold = action(tr("Hold"), Qt::Key_F7, tr("Freezes the command. A second press resumes with a soft start."));
    reset = action(tr("Reset"), Qt::Key_F8, tr("Resets a fault. Read its reason first."));
    note = action(tr("Note"), Qt::Key_F2, tr("Writes a note with the present tick into the recording"));
    freeze = action(tr("Freeze view"), Qt::Key_F9,
                    tr("Freezes the plots. The test, its recording and its limits continue."));
    freeze->setCheckable(true);
    // The shortcut of a disabled action gives no feedback, but the operator must learn why Run does not start.
    early_run = action(tr("Run"), Qt::Key_F6, run->toolTip());
    early_run->setEnabled(false);
  }

  void build() {
    control = new ControlPanel({arm, run, hold, reset, note});
    limits = new LimitsTable;
    tuning = new TuningPanel;
    preflight = new PreflightPanel;
    views = new LiveViews;
    measures = new MeasuresView;
    faults = new FaultPanel;
    link = new LinkPlot(tr("Link"));
    link->setEmptyText(tr("Round trips of the connection to the rig."));
    link_panel = new PlotPanel(link);
    tools = new QTabWidget;
    tools->setDocumentMode(true);
    tools->addTab(tuning, tr("Tuning"));
    tools->addTab(scrolled(faults), tr("Faults"));
    tools->addTab(link_panel, tr("Link"));
    auto* tools_panel = new Panel;
    auto* inside = new QVBoxLayout(tools_panel);
    inside->setContentsMargins(8, 2, 8, 8);
    inside->addWidget(tools);
    auto* column = new QWidget;
    column->setFixedWidth(kColumnWidth_px);
    auto* right = new QVBoxLayout(column);
    right->setContentsMargins(0, 0, 0, 0);
    right->setSpacing(8);
    right->addWidget(control);
    right->addWidget(panelWith(tr("Limits"), limits), 5);
    tools_panel->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);  // must not shrink the limits
    tools_panel->setMinimumHeight(kToolsLeast_px);  // shrinks where a message makes the control panel grow
    right->addWidget(tools_panel, 5);
    auto* layout = new QHBoxLayout(self);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(8);
    trials = new TrialsView;
    pages = new QTabWidget;
    pages->setDocumentMode(true);
    pages->addTab(views, tr("Plots"));
    pages->addTab(measures, tr("Fidelity"));
    pages->addTab(trials, tr("Trials"));
    pages->setTabVisible(pages->indexOf(trials), false);
    moving_view = new TimeView(self);
    power = new PowerView(moving_view);
    stride = new StrideView(moving_view);
    pages->addTab(power, tr("Power"));
    pages->addTab(stride, tr("Stride"));
    pages->setTabVisible(pages->indexOf(stride), false);
    connect(moving_view, &TimeView::changed, self, [this] {
      power->refresh();
      stride->refresh();
    });
    periodic = new PeriodicPages(pages);
    pages->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);  // shrinks for the list before Run
    library = new NoticeBar("warning");
    library->setObjectName(QStringLiteral("library-question"));
    auto* accept = new QPushButton(tr("Accept library"));
    accept->setObjectName(QStringLiteral("accept-library"));
    auto* decline = new QPushButton(tr("Do not run it"));
    decline->setObjectName(QStringLiteral("decline-library"));
    library->addWidget(accept);
    library->addWidget(decline);
    connect(accept, &QPushButton::clicked, self, [this] { acceptLibrary(); });
    connect(decline, &QPushButton::clicked, self, [this] { askForLibrary({}); });
    auto* left = new QVBoxLayout;
    left->setSpacing(8);
    left->addWidget(library);
    left->addWidget(preflight);
    left->addWidget(pages, 1);
    layout->addLayout(left, 1);
    layout->addWidget(column);
    views->restoreLayout(QSettings().value(QLatin1String(kLayoutKey)).toByteArray());
  }

  void connectAll() {
    connect(arm, &QAction::triggered, self, [this] { armTest(); });
    connect(run, &QAction::triggered, self, [this] { guarded([this] { start(); }); });
    connect(early_run, &QAction::triggered, self, [this] {
      Q_EMIT self->wanted();
      control->say(tr("Run is blocked. Acknowledge the marked lines of the list first."), true);
    });
    for (QAction* step : {arm, run}) connect(step, &QAction::triggered, self, &RunWorkspace::wanted);
    connect(hold, &QAction::triggered, self, [this] {
      guarded([this] { controller->state() == State::holding ? controller->resume() : controller->hold(); });
    });
    connect(reset, &QAction::triggered, controller, &RunController::resetFault);
    connect(note, &QAction::triggered, self, [this] {
      if (const TestRun* test = controller->run()) control->focusNote(test->status().tick.load());
    });
    connect(freeze, &QAction::toggled, self, [this](bool on) { views->setFrozen(on); });
    connect(views, &LiveViews::freezeRequested, freeze, &QAction::setChecked);
    connect(views, &LiveViews::rowsTaken, measures, &MeasuresView::push);
    connect(views, &LiveViews::rowsTaken, periodic, &PeriodicPages::push);
    connect(views, &LiveViews::rowsTaken, self, &RunWorkspace::rowsTaken);
    connect(preflight, &PreflightPanel::runRequested, run, &QAction::trigger);
    connect(preflight, &PreflightPanel::disarmRequested, controller, &RunController::requestStop);
    connect(preflight, &PreflightPanel::waitingChanged, self, [this] { updateRun(); });
    connect(control, &ControlPanel::forceSourceChosen, self, [this](ForceSource source) {
      guarded([&] {
        if (takesRequests()) controller->run()->setForceSource(source);
      });
    });
    connect(control, &ControlPanel::noteEntered, self, [this](const QString& text) {
      guarded([&] {
        if (takesRequests()) controller->run()->note(text.toStdString());
      });
    });
    connect(control, &ControlPanel::openRequested, self, &RunWorkspace::openInAnalyse);
    connect(faults, &FaultPanel::faultRequested, self, [this](const FaultSpec& fault, bool on) {
      guarded([&] {
        if (takesRequests()) controller->run()->injectFault(fault, on);
      });
    });
    connect(&checks, &PreflightSource::changed, self, [this] {
      trials->showCondition(checks.learning());
      if (controller->state() == State::armed) showPreflight();
    });
    connect(tuning, &TuningPanel::tuned, self, [this](std::size_t index, double value) { tune(index, value); });

    connect(controller, &RunController::armed, self, [this](TestRun* test) { attach(*test); });
    connect(controller, &RunController::stateChanged, self, [this](State) { showState(); });
    connect(controller, &RunController::eventArrived, self, [this](const Event& event) {
      faults->take(event);
      if (event.code == EventCode::learnt_restored) trials->setRestored(event.index);
    });
    connect(controller, &RunController::polled, self, [this] {
      views->frame();
      if (!views->frozen() && ++moving_frame % 2 == 0) {  // at half the rate of the plots
        stride->frame();
        if (controller->active()) power->refresh();
      }
      takeSegments();
      periodic->frame();
    });
    connect(controller, &RunController::failed, self, [this](const QString& text) { control->say(text, true); });
    connect(controller, &RunController::ended, self, [this](const RunResult& result) { finish(result); });
    live.setInterval(kLive_ms);
    connect(&live, &QTimer::timeout, self, [this] { updateLive(); });
    checking.setInterval(kChecks_ms);  // link figures change while the test waits for Run
    connect(&checking, &QTimer::timeout, self, [this] {
      if (controller->state() == State::armed) showPreflight();
    });
  }

  template <typename Step>
  void guarded(Step&& step) {
    try {
      step();
    } catch (const std::exception& error) {
      control->say(QString::fromUtf8(error.what()), true);
    }
  }

  bool takesRequests() const {
    return controller->run() != nullptr && controller->active() && !controller->opening() && !controller->closing();
  }

  void setProject(const Project& given) {
    if (controller->active()) {
      next = given;
      return;
    }
    next.reset();
    project = given;
    askForLibrary({});
    control->setProject(given);
    control->say({});
    control->offerFile({});
    if (controller->state() != State::fault) {  // the trip reason stays in view until Reset
      limits->begin();
      limits->setLimits(watchedLimits(given));
    }
    tuning->setTunables({}, {});
    // A finished run stays in view until the next Arm or until another project is opened.
    if (outlived())
      forgetRun(given);
    else if (const std::size_t count = interfaceCount(given); !views->showsRun(count))
      prepareViews(given, count);
    if (trials->trials().count() == 0) announceTrials(given);
    withdrawUnfit(given);
    if (!periodic->begun()) periodic->announce(given);
    checks.setProject(given);
    showState();
  }

  /// Shows the trial rules of the next test, if it has trials.
  void announceTrials(const Project& given) {
    TrialList list;
    if (given.loop.trials.count > 0)
      list = TrialList(given.loop.trials, given.loop.rate_hz, trialColumns({}, {}));  // interfaces are not known yet
    showTrials(std::move(list), false);
  }

  void showTrials(TrialList list, bool over) {
    pages->setTabVisible(pages->indexOf(trials), list.any());
    trials->showTrials(std::move(list), over);
  }

  /// Takes the results of finished trials or frequencies.
  void takeSegments() {
    TestRun* test = controller->run();
    RowRing* ring = test != nullptr && !controller->opening() ? test->displaySegments() : nullptr;
    if (ring == nullptr) return;
    std::vector<std::vector<double>> done;
    for (std::vector<double> row; ring->pop(row, 1) > 0;) done.push_back(row);
    if (test->project().loop.trials.count == 0) return periodic->append(std::move(done));
    trials->append(std::move(done));
    trials->setRunning(controller->active() ? test->status().trial.load(std::memory_order_relaxed) : 0);
  }

  void withdrawOffer() {
    offer.reset();
    stopped.reset();
    control->offerStart({}, {});
  }
  void withdrawUnfit(const Project& given) {
    if ((offer && !startFault(*offer, given).empty()) || (stopped && goOnFault(*stopped, given.document)))
      withdrawOffer();
  }

  void offerTrial(const LearntStart& start, bool ticked) {
    withdrawOffer();
    offer = start;
    const QString error = figureText(start.of.error_percent);
    control->offerStart(
        tr("Start from trial %1 (%2 %)").arg(start.of.trial).arg(error),
        tr("If ticked, the next test starts with the compensation learnt before trial %1 of an earlier test, which "
           "reached an error of %2 %. Otherwise it starts without learnt values, as the project defines.")
            .arg(start.of.trial)
            .arg(error),
        ticked);
  }
  void offerSweep(const StoppedSweep& sweep, bool ticked) {
    withdrawOffer();
    stopped = sweep;
    control->offerStart(tr("Continue the sweep (%1 done)").arg(sweep.frequencies),
                        tr("If ticked, the next test continues after the %1 and copies them into its file. Otherwise "
                           "it starts a new sweep.")
                            .arg(QString::fromStdString(sweep.from)),
                        ticked);
  }

  /// Trial 1 needs no offer: its start was known before. An offer that this test has used stays.
  void offerBest(const TestRun& test, const RunResult& result) {
    if (!result.best_trial || result.best_trial->trial < 2) return;
    const QString file = QFileInfo(QString::fromStdString(test.file().string())).fileName();
    offerTrial(LearntStart{*result.best_trial,
                           "trial " + std::to_string(result.best_trial->trial) + " of " +
                               (file.isEmpty() ? "a test that was not recorded" : file.toStdString()),
                           learningNeeds(test.project())},
               false);
    if (project) withdrawUnfit(*project);
  }

  /// The file of a stopped sweep holds the frequencies done.
  void offerRest(const TestRun& test, const RunResult& result) {
    if (result.reason == EndReason::completed || !periodic->sweep()->canGoOn()) return;
    try {
      offerSweep(stoppedSweepOf(test.file()), false);
    } catch (const std::exception&) {
      return;  // it was not recorded
    }
    if (project) withdrawUnfit(*project);
  }

  /// Offers a trial of a recorded run; its start is found by a replay.
  void beginWith(const QString& file, int trial) {
    control->say(tr("Replaying the run to find the start of trial %1…").arg(trial));
    beginning.submit([this, file, trial]() -> LatestTask::Deliver {
      try {
        return [this, found = learntStartOf(file.toStdString(), trial)] { takeStart(found); };
      } catch (const std::exception& error) {
        return [this, problem = QString::fromUtf8(error.what())] { control->say(problem, true); };
      }
    });
  }

  void takeStart(const LearntStart& found) {
    if (!project) return control->say(tr("Open the project of that run first."), true);
    if (const std::string fault = startFault(found, *project); !fault.empty())
      return control->say(QString::fromStdString(fault), true);
    offerTrial(found, true);
    control->say(
        tr("The next test starts from %1. Press Arm (F5), then Run (F6).").arg(QString::fromStdString(found.from)));
  }

  /// Offers to continue the sweep of a run file.
  void goOnWith(const QString& file) {
    if (!project) return control->say(tr("Open the project of that run first."), true);
    try {
      const StoppedSweep sweep = stoppedSweepOf(file.toStdString());
      if (const auto fault = goOnFault(sweep, project->document))
        return control->say(QString::fromUtf8(fault->what()), true);
      offerSweep(sweep, true);
      control->say(tr("The next test continues after %1. Press Arm (F5), then Run (F6).")
                       .arg(QString::fromStdString(sweep.from)));
    } catch (const std::exception& error) {
      control->say(QString::fromUtf8(error.what()), true);
    }
  }

  /// Prepares empty views for the next test.
  void prepareViews(const Project& given, std::size_t interfaces) {
    views->prepare(given, interfaces);
    pages->setTabVisible(pages->indexOf(stride), stride->setProject(given));
    power->setRows(RowLayout(interfaces, {}, false, {}, {}, given.coupling->channels(interfaces)));
  }

  /// Stride, power and trials show the same run as the plots.
  void showHistory() {
    const auto history = views->sharedHistory();
    stride->setRun(history);
    power->setRun(history);
    trials->setRun(history);
  }

  /// The plots show another project, and neither a test nor a fault keeps them.
  bool outlived() const { return another && !controller->active() && controller->state() != State::fault; }

  void forgetRun(const Project& now) {
    another = false;
    measures->clear();
    prepareViews(now, interfaceCount(now));
    announceTrials(now);
    periodic->announce(now);
    withdrawOffer();
  }

  /// Without a library, withdraws the question.
  void askForLibrary(const std::optional<PlugInFile>& one) {
    asked = one;
    library->setText(one ? tr("This test runs a library that you have not accepted yet: %1, SHA-256 %2. It runs with "
                              "all your user rights. Accept it only if you trust its source.")
                               .arg(QString::fromStdString(one->file.string()), sha256Text(one->sha256))
                         : QString());
  }

  void acceptLibrary() {
    if (!asked) return;
    guarded([this] {
      const PlugInFile accepted = *asked;
      askForLibrary({});
      control->say(
          tr("%1 is accepted. Arm (F5) again.").arg(QString::fromStdString(accepted.file.filename().string())));
      acceptPlugIn(accepted);
    });
  }

  /// Arm waits for the answer; no code of the library runs before.
  bool waitsForLibrary() {
    for (const PlugInFile& one : project->compensation.method->notLoaded())
      if (!isAccepted(one)) {
        askForLibrary(one);
        control->say(tr("Arm is blocked: the library of this test is not accepted. Answer the question above."), true);
        return true;
      }
    return false;
  }

  void armTest() {
    if (!project) return control->say(tr("Open a project first."), true);
    control->say({});
    control->offerFile({});
    askForLibrary({});
    if (waitsForLibrary()) return;
    guarded([this] {
      RunOptions options;
      options.pace = control->pace();
      if (control->recording()) options.file = control->makeFile();
      options.display = true;
      if (offer && control->takesStart()) options.begin_with = {offer->of.learnt, offer->from};
      if (stopped && control->takesStart()) options.go_on = stopped->file;
      if (controller->arm(*project, options) && controller->opening())
        control->say(tr("Connecting to the rig; nothing moves. STOP (Esc) cancels."));
    });
  }

  void updateRun() {
    const bool armed = controller->state() == State::armed, waits = preflight->waiting();
    run->setEnabled(armed && !waits);
    early_run->setEnabled(armed && waits);
    preflight->setRunEnabled(run->isEnabled());
    run->setToolTip(armed && waits ? tr("Blocked until each failed line of the list is acknowledged")
                                   : tr("Starts the armed test"));
  }

  void start() {
    if (controller->state() != State::armed || preflight->waiting()) return;
    if (const QStringList read = preflight->acknowledged(); !read.isEmpty())
      controller->run()->note(tr("acknowledged before Run: %1").arg(read.join(QStringLiteral(", "))).toStdString());
    controller->start();
  }

  void attach(TestRun& test) {
    const bool loaded =
        test.project().compensation.watch != nullptr;  // the library is loaded now, so the views can include it
    if (loaded || !project || test.project().document != project->document) {  // the test belongs to another page
      checks.setProject(test.project());
      limits->setLimits(watchedLimits(test.project()));
    }
    preflight->begin(test.project().rig.use != RigUse::twin);
    views->attach(test, control->pace());
    measures->attach(test.project(), test.layout());
    const LoopConfig& loop = test.project().loop;
    showTrials(
        loop.trials.count > 0 ? TrialList(loop.trials, loop.rate_hz, test.layout().segmentColumns()) : TrialList(),
        false);
    pages->setTabVisible(pages->indexOf(stride), stride->setProject(test.project()));
    power->setRows(test.layout());
    moving_view->follow(kMovingWindow_s);
    showHistory();
    stride->setLive(true);
    periodic->attach(test.project(), test.layout(), views->sharedHistory());
    limits->begin();
    limits->update(test.safety(), true);
    tuning->setTunables(test.tunables(), test.project().document);
    control->say({});
    faults->begin(test.layout().interfaces());
    link->setSource(test.link());
    tools->setTabVisible(tools->indexOf(link_panel), test.link() != nullptr);
    showPreflight();
    live.start();
    checking.start();
    updateLive();
  }

  void showPreflight() {
    const TestRun& test = *controller->run();
    preflight->show(QString::fromStdString(test.file().string()),
                    checks.items(test.file().string(), test.layout().width() * sizeof(double), test.realtime(),
                                 test.link(), readingsOf(test.status())));
  }

  void showLink() {
    if (!link->isVisible()) return;
    link->refresh();
    link_panel->updateReading();
    link_panel->setFootnote(link->detail(), link->detailMeaning());
  }

  void tune(std::size_t index, double value) {
    guarded([&] {
      if (takesRequests()) controller->run()->tune(index, value);
    });
    if (const TestRun* test = controller->run()) tuning->setValue(index, test->tunables()[index].value);
  }

  void showState() {
    const State state = controller->state();
    const bool idle = !controller->active();
    arm->setEnabled(idle && state != State::fault && project.has_value());
    updateRun();
    hold->setEnabled(state == State::running || state == State::holding);
    hold->setText(state == State::holding ? tr("Resume") : tr("Hold"));
    reset->setEnabled(state == State::fault && !controller->closing());
    note->setEnabled(takesRequests());
    control->setState(state, controller->closing());
    tuning->setLocked(!takesRequests());
    faults->setLocked(!takesRequests());
    preflight->setVisible(state == State::armed);
    if (state == State::running) control->say({});
    if (project && outlived()) forgetRun(*project);
  }

  void updateLive() {
    const TestRun* test = controller->run();
    if (test == nullptr || controller->opening()) return;
    const LoopStatus& status = test->status();
    const bool armed = controller->active();
    const double rate = test->project().loop.rate_hz;
    control->setTime(static_cast<double>(status.tick.load(std::memory_order_relaxed)) / rate,
                     test->project().loop.duration_s);
    control->setForceSource(status.force_source.load(std::memory_order_relaxed));
    limits->update(test->safety(), armed, status.deciding_limit.load(std::memory_order_relaxed));
    showLink();
    if (controller->state() == State::armed) preflight->setSecondsLeft(controller->armedSecondsLeft());
  }

  /// A free run is faster than the screen. After its end the views show the recorded rows instead of the sampled ones.
  void readBack(const QString& file) {
    reading_back.submit([this, file]() -> LatestTask::Deliver {
      try {
        LoadProgress progress;
        return [this, run = loadRun(file, progress)] {
          if (controller->active() || !run->history) return;
          views->replaceHistory(run->history);
          showHistory();
          periodic->replaceRows(*run);
        };
      } catch (const std::exception& error) {
        return [this, problem = QString::fromUtf8(error.what())] { control->say(problem, true); };
      }
    });
  }

  void finish(const RunResult& result) {
    live.stop();
    checking.stop();
    views->detach();
    measures->detach();
    stride->setLive(false);
    moving_view->follow(0.0);  // the whole run
    takeSegments();
    trials->end();
    periodic->end();
    offerBest(*controller->run(), result);
    offerRest(*controller->run(), result);
    updateLive();
    showState();
    const QString reason = QString::fromStdString(result.stop_reason);
    const bool bad = result.reason != EndReason::completed && result.reason != EndReason::operator_stop;
    QString text = result.reason == EndReason::completed ? tr("Completed.")
                                                         : reason.left(1).toUpper() + reason.mid(1) + QLatin1Char('.');
    if (result.late_ticks > 0)
      text += tr(" Late: %1 of %2 ticks; missed: %3 %4.")
                  .arg(result.late_ticks)
                  .arg(result.ticks)
                  .arg(result.missed_periods)
                  .arg(result.missed_periods == 1 ? tr("period") : tr("periods"));
    if (!result.device_error.empty()) text += QLatin1Char(' ') + QString::fromStdString(result.device_error);
    if (bad) text += tr(" Reset it with F8.");
    control->say(text, bad || !result.device_error.empty());
    const QString file = QString::fromStdString(controller->run()->file().string());
    control->offerFile(QFileInfo::exists(file) ? file : QString());
    if (controller->run()->displayDropped() > 0 && QFileInfo::exists(file)) readBack(file);
    if (next) {
      const Project waiting = *std::exchange(next, std::nullopt);
      const QString keep = text;
      setProject(waiting);
      control->say(keep, bad);
    } else if (project && controller->run()->project().document != project->document) {
      checks.setProject(*project);
    }
  }
};

RunWorkspace::RunWorkspace(RunController* controller, QWidget* parent)
    : QWidget(parent), impl_(std::make_unique<Impl>(this, controller)) {
  setAccessibleName(tr("Run"));
  impl_->build();
  impl_->connectAll();
  impl_->showState();
}

RunWorkspace::~RunWorkspace() = default;

void RunWorkspace::setProject(const Project& project) { impl_->setProject(project); }

void RunWorkspace::beginWith(const QString& file, int trial) { impl_->beginWith(file, trial); }
void RunWorkspace::goOnWith(const QString& file) { impl_->goOnWith(file); }

void RunWorkspace::forgetRun() { impl_->another = true; }

QList<QAction*> RunWorkspace::runActions() const {
  return {impl_->arm, impl_->run, impl_->hold, impl_->reset, impl_->note, impl_->freeze};
}

void RunWorkspace::holdArm(const QString& reason) {
  impl_->arm->setToolTip(reason.isEmpty() ? tr("Opens rig and file and runs the checks; nothing moves (F5)") : reason);
  impl_->control->setHeld(reason);
}

QAction* RunWorkspace::earlyRun() const { return impl_->early_run; }

const FrameStats& RunWorkspace::frameStats() const { return impl_->views->frameStats(); }

void RunWorkspace::hideEvent(QHideEvent* event) {
  QSettings().setValue(QLatin1String(kLayoutKey), impl_->views->saveLayout());
  QWidget::hideEvent(event);
}

}  // namespace hyb::ui
