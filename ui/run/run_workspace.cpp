#include "ui/run/run_workspace.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QSettings>
#include <QTabWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <optional>

#include "core/project/command_bounds.h"
#include "ui/base/scrolled.h"
#include "ui/base/widgets.h"
#include "ui/control/library_question.h"
#include "ui/control/preflight_source.h"
#include "ui/plot/link_plot.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/trials_view.h"
#include "ui/run/control_panel.h"
#include "ui/run/fault_panel.h"
#include "ui/run/limits_table.h"
#include "ui/run/live_views.h"
#include "ui/run/preflight_panel.h"
#include "ui/run/run_pages.h"
#include "ui/run/start_offer.h"
#include "ui/run/tuning_panel.h"

namespace hyb::ui {
namespace {

constexpr int kColumnWidth_px = 320, kLive_ms = 200, kChecks_ms = 1000, kToolsLeast_px = 40;
constexpr auto kLayoutKey = "run/layout";

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
  LibraryQuestion* library = nullptr;
  StartOffer* offer = nullptr;
  PreflightPanel* preflight = nullptr;
  LimitsTable* limits = nullptr;
  TuningPanel* tuning = nullptr;
  FaultPanel* faults = nullptr;
  LinkPlot* link = nullptr;
  PlotPanel* link_panel = nullptr;
  QTabWidget* tools = nullptr;  // tuning, faults and link
  RunPages* pages = nullptr;
  QTimer live, checking;
  std::optional<Project> project, next;
  bool another = false;  // another project was opened: the plots are cleared as soon as no test or fault keeps them
  PreflightSource checks;

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
    offer = new StartOffer(control, self);
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
    pages = new RunPages(controller);
    library = new LibraryQuestion(QStringLiteral("library"), tr("Arm (F5)"));
    auto* left = new QVBoxLayout;
    left->setSpacing(8);
    left->addWidget(library);
    left->addWidget(preflight);
    left->addWidget(pages, 1);
    layout->addLayout(left, 1);
    layout->addWidget(column);
    pages->views()->restoreLayout(QSettings().value(QLatin1String(kLayoutKey)).toByteArray());
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
    connect(freeze, &QAction::toggled, self, [this](bool on) { pages->views()->setFrozen(on); });
    connect(pages->views(), &LiveViews::freezeRequested, freeze, &QAction::setChecked);
    connect(pages, &RunPages::rowsTaken, self, &RunWorkspace::rowsTaken);
    connect(pages, &RunPages::failed, self, [this](const QString& text) { control->say(text, true); });
    connect(library, &LibraryQuestion::said, self,
            [this](const QString& text, bool error) { control->say(text, error); });
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
      pages->trials()->showCondition(checks.learning());
      if (controller->state() == State::armed) showPreflight();
    });
    connect(tuning, &TuningPanel::tuned, self, [this](std::size_t index, double value) { tune(index, value); });

    connect(controller, &RunController::armed, self, [this](TestRun* test) { attach(*test); });
    connect(controller, &RunController::stateChanged, self, [this](State) { showState(); });
    connect(controller, &RunController::eventArrived, self, [this](const Event& event) {
      faults->take(event);
      if (event.code == EventCode::learnt_restored) pages->trials()->setRestored(event.index);
    });
    connect(controller, &RunController::polled, pages, &RunPages::frame);
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
    library->withdraw();
    control->setProject(given);
    control->say({});
    control->offerFile({});
    if (controller->state() != State::fault) {  // the trip reason stays in view until Reset
      limits->begin();
      limits->setLimits(watchedLimits(given));
    }
    tuning->setTunables({}, {});
    // A finished run stays in view until the next Arm or until another project is opened.
    if (outlived()) forgetRun(given);
    pages->setProject(given);
    offer->setProject(given);
    checks.setProject(given);
    showState();
  }

  /// The plots show another project, and neither a test nor a fault keeps them.
  bool outlived() const { return another && !controller->active() && controller->state() != State::fault; }

  void forgetRun(const Project& now) {
    another = false;
    pages->forget(now);
    offer->withdraw();
  }

  void armTest() {
    if (!project) return control->say(tr("Open a project first."), true);
    control->say({});
    control->offerFile({});
    guarded([this] {
      if (!library->allows(librariesOfTest(*project))) return;
      RunOptions options;
      options.pace = control->pace();
      if (control->recording()) options.file = control->makeFile();
      options.display = true;
      offer->fill(options);
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
    pages->attach(test, control->pace());
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
    control->setProgram(armed ? QString::fromStdString(test->siteAddress()) : QString(), test->clientConnected());
    limits->update(test->safety(), armed, status.deciding_limit.load(std::memory_order_relaxed));
    showLink();
    if (controller->state() == State::armed) preflight->setSecondsLeft(controller->armedSecondsLeft());
  }

  void finish(const RunResult& result) {
    live.stop();
    checking.stop();
    pages->end();
    offer->offerBest(*controller->run(), result);
    if (pages->sweepCanGoOn()) offer->offerRest(*controller->run(), result);
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
    if (controller->run()->displayDropped() > 0 && QFileInfo::exists(file)) pages->readBack(file);
    if (next) {
      const Project waiting = *std::exchange(next, std::nullopt);
      setProject(waiting);
      control->say(text, bad);
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

void RunWorkspace::beginWith(const QString& file, int trial) { impl_->offer->beginWith(file, trial); }
void RunWorkspace::goOnWith(const QString& file) { impl_->offer->goOnWith(file); }

void RunWorkspace::forgetRun() { impl_->another = true; }

QList<QAction*> RunWorkspace::runActions() const {
  return {impl_->arm, impl_->run, impl_->hold, impl_->reset, impl_->note, impl_->freeze};
}

void RunWorkspace::holdArm(const QString& reason) {
  impl_->arm->setToolTip(reason.isEmpty() ? tr("Opens rig and file and runs the checks; nothing moves (F5)") : reason);
  impl_->control->setHeld(reason);
}

QAction* RunWorkspace::earlyRun() const { return impl_->early_run; }

const FrameStats& RunWorkspace::frameStats() const { return impl_->pages->views()->frameStats(); }

void RunWorkspace::hideEvent(QHideEvent* event) {
  QSettings().setValue(QLatin1String(kLayoutKey), impl_->pages->views()->saveLayout());
  QWidget::hideEvent(event);
}

}  // namespace hyb::ui
