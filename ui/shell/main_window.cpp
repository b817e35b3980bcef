#include "ui/shell/main_window.h"

#include <QCloseEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMessageBox>
#include <QSettings>
#include <QStackedWidget>
#include <QTime>
#include <QVBoxLayout>

#include "ui/analyse/analyse_workspace.h"
#include "ui/analyse/import_dialog.h"
#include "ui/base/dialog.h"
#include "ui/base/enter_filter.h"
#include "ui/base/input_guard.h"
#include "ui/base/plain_text_guard.h"
#include "ui/base/screen_fit.h"
#include "ui/configure/configure_workspace.h"
#include "ui/control/recording_folder.h"
#include "ui/document/project_document.h"
#include "ui/fidelity/fidelity_workspace.h"
#include "ui/fidelity/study_page.h"
#include "ui/rig/identify_page.h"
#include "ui/rig/rig_session.h"
#include "ui/rig/rig_workspace.h"
#include "ui/run/run_workspace.h"
#include "ui/shell/event_line.h"
#include "ui/shell/header_bar.h"
#include "ui/shell/help_window.h"
#include "ui/shell/room_area.h"
#include "ui/shell/stop_filter.h"
#include "ui/shell/verdict_strip.h"

namespace hyb::ui {
namespace {

constexpr int kProgress_ms = 200;  // live figures change at 5 Hz, which is still readable
const auto kGeometryKey = QStringLiteral("window/geometry");

}  // namespace

QStringList MainWindow::rooms() { return {tr("&Configure"), tr("R&ig"), tr("&Run"), tr("&Analyse"), tr("Fi&delity")}; }

MainWindow::MainWindow(const HardwareAccess& hardware, QWidget* parent)
    : QMainWindow(parent),
      input_guard_(new InputGuard(this)),
      plain_text_guard_(new PlainTextGuard(this)),
      document_(new ProjectDocument(this)),
      controller_(new RunController(hardware.devices, hardware.programs, this)),
      header_(new HeaderBar(rooms().replaceInStrings(QStringLiteral("&"), QString()))),
      stack_(new QStackedWidget),
      configure_(new ConfigureWorkspace(document_)),
      rig_(new RigWorkspace(document_, controller_, hardware)),
      run_(new RunWorkspace(controller_)),
      analyse_(new AnalyseWorkspace),
      fidelity_(new FidelityWorkspace(document_, hardware.devices)),
      log_(new EventLog),
      event_line_(new EventLine) {
  auto* central = new QWidget;
  auto* area = new RoomArea(stack_);
  auto* box = new QVBoxLayout(central);
  box->setContentsMargins(0, 0, 0, 0);
  box->setSpacing(0);
  box->addWidget(header_);
  box->addWidget(area, 1);
  box->addWidget(log_);
  box->addWidget(event_line_);
  log_->setFixedHeight(176);
  log_->hide();
  for (QWidget* room : std::initializer_list<QWidget*>{configure_, rig_, run_, analyse_, fidelity_})
    stack_->addWidget(room);
  setCentralWidget(central);
  resize(1280, 800);
  restoreGeometry(QSettings().value(kGeometryKey).toByteArray());
  new ScreenFit(this);

  stop_filter_ = new StopFilter([this] { return moving(); }, [this] { stop(); }, this);
  stop_filter_->carry(run_->runActions()[2]);
  enter_filter_ = new EnterFilter(this);
  makeMenus();
  connectTest();
  connectFidelity();
  connectRig();

  connect(header_, &HeaderBar::workspaceChosen, this, [this](int room) { showWorkspace(static_cast<Room>(room)); });
  connect(document_, &ProjectDocument::fileChanged, this, [this] {
    updateTitle();
    updateActivity();
  });
  connect(document_, &ProjectDocument::diskChanged, this, &MainWindow::lookAtDisk);
  connect(header_, &HeaderBar::reloadWanted, this, [this] { open(document_->file().toStdString()); });
  connect(header_, &HeaderBar::overwriteWanted, this, [this] { write(); });
  connect(document_, &ProjectDocument::changed, this, [this] {
    checked_ = false;
    updateActivity();
  });
  connect(document_, &ProjectDocument::checked, this, [this] {
    checked_ = !document_->checking();
    updateArm();
  });
  connect(document_, &ProjectDocument::valid, this, [this](const Project& project) {
    run_->setProject(project);
    analyse_->setFolder(QString::fromStdString(recordingFolder(project).string()));
  });
  connect(configure_, &ConfigureWorkspace::helpWanted, this, [this](const QString& page) { help_->open(page); });
  connect(analyse_, &AnalyseWorkspace::beginRequested, this, [this](const QString& file, int trial) {
    showWorkspace(Room::run);
    run_->beginWith(file, trial);
  });
  connect(analyse_, &AnalyseWorkspace::goOnRequested, this, [this](const QString& file) {
    showWorkspace(Room::run);
    run_->goOnWith(file);
  });
  connect(run_, &RunWorkspace::openInAnalyse, this, &MainWindow::openRun);
  connect(event_line_, &EventLine::logWanted, this, [this] { setLogVisible(!log_->isVisible()); });
  updateActivity();
  updateTitle();
  unstyled_.reset();
  configure_->setFocus();
}

MainWindow::~MainWindow() {
  QSettings().setValue(kGeometryKey, saveGeometry());
  // Deletes whatever refers to the project and the test before deleting these two.
  delete stop_filter_;
  delete enter_filter_;
  delete input_guard_;
  delete plain_text_guard_;
  disconnect(document_, nullptr, this, nullptr);
  disconnect(controller_, nullptr, this, nullptr);
  progress_.stop();
  delete centralWidget();  // in its place: Qt polishes all that is in a widget which goes to another
}

void MainWindow::connectTest() {
  connect(header_, &HeaderBar::stopClicked, this, &MainWindow::stop);
  connect(header_, &HeaderBar::resetClicked, controller_, &RunController::resetFault);
  connect(header_, &HeaderBar::closeConfirmed, this, &QWidget::close);
  connect(controller_, &RunController::stateChanged, this, &MainWindow::showState);
  connect(document_, &ProjectDocument::opened, this, [this] {  // the verdict in view was of another project
    header_->askForDisk({}, false);
    header_->verdict()->clear();
    run_->forgetRun();
    if (!controller_->active() && controller_->state() != State::fault) header_->setProgress(0.0, 0, 0, 0);
  });
  connect(run_, &RunWorkspace::wanted, this, [this] { showWorkspace(Room::run); });
  connect(controller_, &RunController::armed, this, [this](const TestRun* run) {
    fault_reason_.clear();
    header_->verdict()->clear();
    run_from_tick_.reset();
    event_line_->setRealtime(run->realtime().state, QString::fromStdString(run->realtime().summary));
    progress_.start();
    updateProgress();
  });
  connect(controller_, &RunController::eventArrived, this, [this](const Event& event, const QString& message) {
    if (event.code == EventCode::state_changed && event.index == static_cast<int>(State::running) && !run_from_tick_)
      run_from_tick_ = event.tick;
    if (event.severity == Severity::fault && fault_reason_.isEmpty()) {
      fault_reason_ = message;
      updateActivity();
    }
    announce(event.severity, message, QString::number(event.tick));
  });
  connect(controller_, &RunController::noticed, this,
          [this](Severity severity, const QString& sentence) { announce(severity, sentence); });
  connect(controller_, &RunController::failed, this, [this](const QString& message) {
    announce(Severity::fault, message);
    if (!controller_->active()) closeIfWanted();
  });
  connect(controller_, &RunController::ended, this, [this](const RunResult& result) {
    progress_.stop();
    showProgress(result.ticks);
    if (!result.device_error.empty()) announce(Severity::fault, QString::fromStdString(result.device_error));
    if (!result.stop_reason.empty()) fault_reason_ = QString::fromStdString(result.stop_reason);
    if (const QString device = QString::fromStdString(result.device_error); !fault_reason_.contains(device))
      fault_reason_ += QStringLiteral("; ") + device;
    showState(controller_->state());
    const QString file = QString::fromStdString(controller_->run()->file().string());
    if (run_from_tick_ || result.ticks > 0)
      header_->verdict()->show(verdictText(result.verdict).beside(QString::fromStdString(result.stop_reason)),
                               file.isEmpty() ? tr("Run not recorded") : QFileInfo(file).completeBaseName());
    announce(Severity::info,
             !result.recorded ? tr("Test ended; nothing was recorded") : tr("Test ended, recorded in %1").arg(file));
    closeIfWanted();
  });
  progress_.setInterval(kProgress_ms);
  connect(&progress_, &QTimer::timeout, this, &MainWindow::updateProgress);
}

void MainWindow::connectFidelity() {
  connect(fidelity_, &FidelityWorkspace::openInAnalyse, this, &MainWindow::openRun);
  connect(fidelity_, &FidelityWorkspace::runningChanged, this, [this](bool running) {
    updateActivity();
    if (!running) closeIfWanted();
  });
  connect(fidelity_, &FidelityWorkspace::wanted, this, [this] { showWorkspace(Room::fidelity); });
}

void MainWindow::connectRig() {
  RigSession* session = rig_->session();
  connect(run_, &RunWorkspace::rowsTaken, rig_->identification(), &IdentifyPage::take);
  connect(rig_->identification(), &IdentifyPage::told, this,
          [this](const QString& sentence) { announce(Severity::info, sentence); });
  connect(configure_, &ConfigureWorkspace::rigWanted, this, [this](const QString& pointer) {
    showWorkspace(Room::rig);
    rig_->goTo(pointer.toStdString());
  });
  connect(session, &RigSession::updated, this, &MainWindow::showSetUp);
  connect(session, &RigSession::told, this,
          [this](const QString& sentence, bool bad) { announce(bad ? Severity::fault : Severity::warning, sentence); });
  connect(session, &RigSession::stateChanged, this, [this, session] {
    if (session->state() == RigSession::State::connected)
      announce(Severity::info, tr("Connected: %1").arg(session->description()));
    if (session->state() == RigSession::State::disconnected) {
      announce(Severity::info, tr("The rig is disconnected and in its safe state"));
      closeIfWanted();
    }
    updateActivity();
  });
}

QString MainWindow::whatMoves() const {
  return controller_->active()       ? tr("A test is active.")
         : fidelity_->running()      ? tr("A campaign is running.")
         : rig_->session()->active() ? tr("The rig is connected.")
                                     : QString();
}

bool MainWindow::moving() const { return !whatMoves().isEmpty(); }

void MainWindow::stop() {
  controller_->requestStop();
  fidelity_->cancel();
  rig_->session()->stop();
}

void MainWindow::showState(State state) {
  last_state_ = state;
  updateActivity();
}

void MainWindow::updateActivity() {
  const bool test = controller_->active(), campaign = fidelity_->running(), set_up = rig_->session()->active();
  // Shown from the tick of the trip until Reset, whatever other events follow.
  const bool tripped = last_state_ == State::fault || last_state_ == State::stopping;
  const QString reason_of_trip = tripped ? fault_reason_ : QString();
  header_->setFaultReason(reason_of_trip);
  header_->setState(campaign ? State::running : last_state_);
  event_line_->pin(reason_of_trip);
  if (!moving()) header_->askToClose({});
  showSetUp();
  const TestRun* const run = test ? controller_->run() : nullptr;  // null while it connects
  header_->setRigUse(set_up           ? RigUse::rig
                     : campaign       ? fidelity_->use()
                     : run != nullptr ? run->project().rig.use
                                      : chosenUse());
  const QString connected = tr("The rig is connected for its set-up: disconnect it first (Ctrl+2).");
  const QString busy = tr("A campaign is running: end it first (workspace Fidelity).");
  configure_->setReadOnly(test);
  fidelity_->setTestActive(test);
  fidelity_->setHeld(set_up ? connected : QString());
  rig_->setTestActive(test);
  rig_->setHeld(campaign ? busy : QString());
  // No other project may be opened while something moves, and no file dialog may stand between the operator and STOP.
  const QString reason = test       ? tr("A test is active: end it first.")
                         : set_up   ? connected
                         : campaign ? busy
                                    : QString();
  for (QAction* action : files_) {
    const bool just_writes = action->shortcut() == QKeySequence(QKeySequence::Save) && !document_->file().isEmpty();
    action->setEnabled(reason.isEmpty() || (just_writes && !test));
    action->setToolTip(action->isEnabled() ? action->text().remove(QLatin1Char('&')) : reason);
  }
  history_[0]->setEnabled(!test && document_->undoStack()->canUndo());
  history_[1]->setEnabled(!test && document_->undoStack()->canRedo());
  updateArm();
}

void MainWindow::showSetUp() {
  const RigSession* session = rig_->session();
  const RigSession::Stale stale = session->stale();
  header_->setSetUp(session->active(), stale == RigSession::Stale::stopped  ? tr("STOPPED")
                                       : stale == RigSession::Stale::silent ? tr("SILENT")
                                                                            : QString());
}

/// What the next test would move; known also while other sections have errors.
RigUse MainWindow::chosenUse() const {
  const Json* use = document_->at("/rig/use");
  return use == nullptr || *use == "twin" ? RigUse::twin : *use == "shadow" ? RigUse::shadow : RigUse::rig;
}

void MainWindow::updateProgress() {
  const TestRun* run = controller_->run();
  if (!run) return;
  const std::uint64_t tick = run->status().tick.load(std::memory_order_relaxed);
  showProgress(run_from_tick_ && tick > *run_from_tick_ ? tick - *run_from_tick_ : 0);
}

void MainWindow::showProgress(std::uint64_t ticks) {
  const TestRun* run = controller_->run();
  const LoopStatus& status = run->status();
  header_->setProgress(static_cast<double>(ticks) / run->project().loop.rate_hz,
                       status.late_ticks.load(std::memory_order_relaxed),
                       status.missed_periods.load(std::memory_order_relaxed), run->recordedBytes());
  header_->setWaiting(controller_->waitsForProgram());
}

void MainWindow::updateArm() {
  // Arm takes the project as it stands in Configure. It never falls back on an older state without errors.
  QAction* arm = run_->runActions().front();
  const bool faulty = checked_ && !document_->issues().empty(), connected = rig_->session()->active();
  const bool blocked = !checked_ || faulty || connected || fidelity_->running();
  run_->holdArm(controller_->active() ? QString()
                : faulty              ? tr("Arm waits: the project has errors. Configure (Ctrl+1) lists them.")
                : connected ? tr("Arm waits: the rig is connected for its set-up. Disconnect it first (Ctrl+2).")
                : fidelity_->running() ? tr("Arm waits: a campaign is running. End it first (workspace Fidelity).")
                                       : QString());
  if (blocked)
    arm->setEnabled(false);
  else if (!controller_->active() && controller_->state() != State::fault)
    arm->setEnabled(true);
}

void MainWindow::updateTitle() {
  setWindowTitle(QStringLiteral("%1[*] - HybridBench").arg(document_->displayName()));
  setWindowModified(document_->modified());
}

void MainWindow::announce(Severity severity, const QString& message, const QString& tick) {
  const QString time = QTime::currentTime().toString(QStringLiteral("HH:mm:ss"));
  log_->append(time, tick, severity, message);
  event_line_->show(time, tick, severity, message);
  if (!log_->isVisible()) event_line_->setUnread(event_line_->unread() + 1);
}

void MainWindow::report(const QString& what, const std::exception& error) {
  const QString reason = QString::fromUtf8(error.what());
  announce(Severity::fault, QStringLiteral("%1: %2").arg(what, reason.section(QLatin1Char('\n'), 0, 0)));
  auto* box = new QMessageBox(QMessageBox::Warning, tr("HybridBench"), what, QMessageBox::Ok, this);
  box->setInformativeText(reason);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setModal(false);
  box->show();
}

void MainWindow::setLogVisible(bool visible) {
  log_->setVisible(visible);
  log_action_->setChecked(visible);
  if (visible) event_line_->setUnread(0);
}

void MainWindow::showWorkspace(Room room) {
  stack_->setCurrentIndex(static_cast<int>(room));
  header_->setWorkspace(static_cast<int>(room));
  stack_->currentWidget()->setFocus(Qt::OtherFocusReason);
}

Room MainWindow::workspace() const { return static_cast<Room>(stack_->currentIndex()); }

void MainWindow::setTheme(ThemeChoice choice) {
  theme_ = choice;
  applyTheme(*qApp, choice);
}

bool MainWindow::event(QEvent* event) {
  if (event->type() == QEvent::WindowActivate) lookAtDisk();
  if (event->type() == QEvent::ThemeChange && theme_ == ThemeChoice::followSystem) applyTheme(*qApp, theme_);
  return QMainWindow::event(event);
}

bool MainWindow::open(const std::string& file_or_template) {
  try {
    document_->open(file_or_template);
    announce(Severity::info, tr("Opened %1").arg(QString::fromStdString(file_or_template)));
    return true;
  } catch (const std::exception& error) {
    report(tr("The project could not be opened"), error);
    return false;
  }
}

void MainWindow::openRun(const QString& file) {
  analyse_->openRun(file);
  showWorkspace(Room::analyse);
}

void MainWindow::newProject() {
  if (!mayDiscard()) return;
  const std::vector<Template> known = templates();
  QStringList titles;
  for (const Template& entry : known) titles << QString::fromStdString(entry.title);
  bool chosen = true;
  const QString title = known.size() == 1 ? titles.front()
                                          : QInputDialog::getItem(this, tr("New project"), tr("From the template:"),
                                                                  titles, 0, false, &chosen);
  if (chosen) open(known[static_cast<std::size_t>(titles.indexOf(title))].name);
}

/// One of the built-in studies, on the page Study.
void MainWindow::newStudy() {
  QStringList titles;
  for (const ShippedStudy& study : shippedStudies()) titles << QString::fromStdString(study.title);
  bool chosen = false;
  const QString title =
      QInputDialog::getItem(this, tr("New study"), tr("From the template:"), titles, 0, false, &chosen);
  if (!chosen) return;
  showWorkspace(Room::fidelity);
  fidelity_->setCurrentWidget(fidelity_->study());
  fidelity_->study()->open(
      QString::fromStdString(shippedStudies()[static_cast<std::size_t>(titles.indexOf(title))].name));
}

/// Without a modal dialog: a test may run meanwhile.
void MainWindow::chooseRecord() {
  auto* dialog = new QFileDialog(this, tr("Import record"), analyse_->folder(),
                                 tr("Records (*.csv *.txt *.dat *.tsv *.mat *.h5 *.hdf5 *.uff *.unv *.tdms *.npz);;"
                                    "All files (*)"));
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
    auto* import = new ImportDialog(file, analyse_->folder(), QString::fromStdString(document_->json().dump(2)),
                                    QString::fromStdString(document_->folder().string()), this);
    connect(import, &ImportDialog::imported, this, &MainWindow::openRun);
    showBeside(import);
  });
  showBeside(dialog);
}

void MainWindow::chooseProject() {
  if (!mayDiscard()) return;
  const QString file =
      QFileDialog::getOpenFileName(this, tr("Open project"), QString::fromStdString(document_->folder().string()),
                                   tr("Projects (*.json);;All files (*)"));
  if (!file.isEmpty()) open(file.toStdString());
}

bool MainWindow::save() {
  if (document_->file().isEmpty()) return saveAs();
  lookAtDisk();  // asks before it overwrites changes by another program
  return !header_->askingForDisk() && write();
}

/// Shows what another program has changed in the project's file, and offers Reload and Overwrite.
void MainWindow::lookAtDisk() {
  constexpr qsizetype kMost = 4;
  QStringList changes = document_->changesOnDisk();
  if (changes.isEmpty()) return header_->askForDisk({}, false);
  if (const qsizetype more = changes.size() - kMost; more > 0)
    changes = changes.mid(0, kMost) << tr("%1 more").arg(more);
  QString text = tr("%1 was changed on disk by another program: %2.")
                     .arg(document_->displayName(), changes.join(QStringLiteral("; ")));
  if (document_->modified())
    text += tr(" Reload discards the changes of this window; Overwrite discards those of the file.");
  header_->askForDisk(text, !moving());
}

bool MainWindow::write() {
  try {
    document_->save();
    header_->askForDisk({}, false);
    announce(Severity::info, tr("Saved %1").arg(document_->file()));
    return true;
  } catch (const std::exception& error) {
    report(tr("The project could not be saved"), error);
    return false;
  }
}

bool MainWindow::saveAs() {
  QString file = QFileDialog::getSaveFileName(
      this, tr("Save project"), QString::fromStdString(document_->folder().string()), tr("Projects (*.json)"));
  if (file.isEmpty()) return false;
  if (!file.contains(QLatin1Char('.'))) file += QStringLiteral(".json");
  try {
    document_->saveAs(file);
    header_->askForDisk({}, false);
    announce(Severity::info, tr("Saved %1").arg(file));
    return true;
  } catch (const std::exception& error) {
    report(tr("The project could not be saved"), error);
    return false;
  }
}

bool MainWindow::mayDiscard() {
  if (!document_->modified() && !configure_->textPending()) return true;
  const auto answer = QMessageBox::question(
      this, tr("Unsaved changes"),
      configure_->textPending() ? tr("The JSON text has changes that are not applied. Save the project without them?")
                                : tr("Save the changes to %1?").arg(document_->displayName()),
      QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
  return answer == QMessageBox::Discard || (answer == QMessageBox::Save && save());
}

/// The page Study keeps its study when another project is opened. It is lost only when the window closes.
bool MainWindow::mayDiscardStudy() {
  StudyPage* page = fidelity_->study();
  if (!page->modified()) return true;
  const auto answer =
      QMessageBox::question(this, tr("Unsaved changes"), tr("Save the study of the page Study?"),
                            QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
  if (answer != QMessageBox::Save) return answer == QMessageBox::Discard;
  QString file = QFileDialog::getSaveFileName(
      this, tr("Save the study"), QString::fromStdString(document_->folder().string()), tr("Studies (*.json)"));
  if (file.isEmpty()) return false;
  if (!file.contains(QLatin1Char('.'))) file += QStringLiteral(".json");
  try {
    page->saveStudy(file);
    return true;
  } catch (const std::exception& error) {
    report(tr("The study could not be saved"), error);
    return false;
  }
}

void MainWindow::closeIfWanted() {
  if (!close_when_safe_) return;
  QTimer::singleShot(0, this, [this] {
    if (!moving()) close();  // while something moves, close() would ask again
  });
}

void MainWindow::quitWhenSafe() {
  ask_before_closing_ = false;
  close();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (moving()) {
    // One slip must not end a test, and no dialog may cover STOP. The first press asks beside the header, the second
    // stops. The window closes once the safe state is reached. A system signal does not ask.
    event->ignore();
    if (ask_before_closing_ && !close_when_safe_ && !header_->askingToClose())
      return header_->askToClose(tr("%1 Close again to stop it and quit.").arg(whatMoves()));
    header_->askToClose({});
    close_when_safe_ = true;
    stop();
    rig_->session()->disconnectRig();
    announce(Severity::warning, tr("Stopping; the window closes in the safe state"));
    return;
  }
  close_when_safe_ = false;
  if (ask_before_closing_ && (!mayDiscard() || !mayDiscardStudy())) return event->ignore();
  if (help_) help_->close();
  event->accept();
}

}  // namespace hyb::ui
