#include "ui/rig/identify_page.h"

#include <QDateTime>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/assess/identification.h"
#include "core/identification/simulate.h"
#include "ui/base/scrolled.h"
#include "ui/base/widgets.h"
#include "ui/control/preflight_list.h"
#include "ui/control/preflight_source.h"
#include "ui/control/recording_folder.h"
#include "ui/document/project_document.h"
#include "ui/plot/phasor_plot.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/response_plot.h"
#include "ui/rig/accept_panel.h"
#include "ui/rig/fit_panel.h"
#include "ui/rig/live_response.h"

namespace hyb::ui {
namespace {

constexpr int kForms_px = 400, kClock_ms = 200;
constexpr auto kPlots = {ResponsePlot::Shows::magnitude, ResponsePlot::Shows::phase, ResponsePlot::Shows::coherence};

/// Segments of a running test: its periods, or half-overlapping segments if the excitation is not periodic.
SegmentSpec liveSegments(const RigExcitation& asked, double rate_hz, double duration_s) {
  if (rigExcitationKinds()[asked.kind].repeats) {
    const auto period = static_cast<std::size_t>(std::lround(asked.period_s * rate_hz));
    return {rate_hz, std::max<std::size_t>(4, period), std::max<std::size_t>(4, period), SegmentSpec::Window::none};
  }
  const std::size_t length = segmentFor(static_cast<std::size_t>(duration_s * rate_hz));
  return {rate_hz, length, length / 2, SegmentSpec::Window::hann};
}

}  // namespace

IdentifyPage::IdentifyPage(ProjectDocument* document, RunController* controller, QWidget* parent)
    : QWidget(parent),
      controller_(controller),
      excite_(new ExcitePanel),
      fit_(new FitPanel),
      accept_(new AcceptPanel(document)),
      live_(new LiveResponse(this)),
      checks_(new PreflightSource(this)),
      list_(new PreflightList) {
  setAccessibleName(tr("Identification"));
  const QString names[] = {tr("Magnitude"), tr("Phase"), tr("Coherence")};
  auto* plots = new Splitter(Qt::Vertical);
  plots->setChildrenCollapsible(false);
  std::size_t p = 0;
  for (const ResponsePlot::Shows shows : kPlots) {
    plots_[p] = new ResponsePlot(names[p], shows);
    plots_[p]->setObjectName(QStringLiteral("response-") + names[p].toLower());
    panels_[p] = new PlotPanel(plots_[p]);
    plots->addWidget(panels_[p]);
    ++p;
  }
  phasors_ = new PhasorPlot(tr("Phasors"));
  phasors_->setObjectName(QStringLiteral("response-phasors"));
  phasors_->setToolTip(
      tr("Output over input in the complex plane: a dot for each measured period, and their mean with the circle that "
         "holds the true response with 95 %. A click on a cross shows the scatter there, a double click shows all."));
  phasor_panel_ = new PlotPanel(phasors_);
  auto* beside = new Splitter(Qt::Horizontal);  // room for equal scales
  beside->setChildrenCollapsible(false);
  beside->addWidget(plots);
  beside->addWidget(phasor_panel_);
  beside->setStretchFactor(0, 4);
  beside->setStretchFactor(1, 3);
  beside->setSizes({480, 360});
  plots_[0]->setEmptyText(tr("Actuator frequency response.\nPress Excite, or open a run and press Fit."));
  plots_[1]->setEmptyText(tr("Actuator delay."));
  plots_[2]->setEmptyText(tr("Coherence of motion and command."));

  auto* left = new QWidget;
  auto* column = new QVBoxLayout(left);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  auto* checks = new Panel;
  auto* checks_title = new QLabel(tr("Before it moves"));
  checks_title->setFont(figureFont(1.0, true));
  auto* checks_box = new QVBoxLayout(checks);
  checks_box->setContentsMargins(12, 6, 8, 8);
  checks_box->addWidget(checks_title);
  checks_box->addWidget(scrolled(list_), 1);
  list_area_ = checks;
  column->addWidget(excite_);
  column->addWidget(checks, 1);
  column->addWidget(fit_);
  column->addStretch();
  auto* right = new Splitter(Qt::Vertical);
  right->setChildrenCollapsible(false);
  right->addWidget(beside);
  right->addWidget(accept_);
  right->setStretchFactor(0, 3);
  right->setStretchFactor(1, 1);
  right->setSizes({390, 210});
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 8, 0, 0);
  row->setSpacing(8);
  QScrollArea* forms = scrolled(left);
  forms->setFixedWidth(kForms_px);
  row->addWidget(forms);
  row->addWidget(right, 1);

  connect(excite_, &ExcitePanel::exciteWanted, this, &IdentifyPage::excite);
  connect(excite_, &ExcitePanel::stopWanted, controller_, &RunController::requestStop);
  connect(controller_, &RunController::armed, this, [this](TestRun* test) {
    if (mine_) begin(*test);
  });
  connect(controller_, &RunController::stateChanged, this, [this](State) { showStage(); });
  connect(controller_, &RunController::ended, this, &IdentifyPage::end);
  connect(controller_, &RunController::failed, this, [this](const QString& why) {
    if (!mine_) return;
    excite_->say(why, true);
    if (!controller_->active()) {
      mine_ = false;
      live_->end();
    }
    showStage();
  });
  connect(live_, &LiveResponse::updated, this, [this](const SteppedResponse& response) {
    auto curves = std::make_shared<ResponseCurves>();
    curves->measured = response.response;
    curves->phasors = response.phasors;
    showResponse(curves);
  });
  connect(fit_, &FitPanel::fitted, this, &IdentifyPage::showFound);
  connect(fit_, &FitPanel::began, this, [this] { accept_->setFound(nullptr, false); });
  connect(accept_, &AcceptPanel::accepted, this, &IdentifyPage::told);
  connect(checks_, &PreflightSource::changed, this, &IdentifyPage::showPreflight);
  connect(list_, &PreflightList::waitingChanged, this, &IdentifyPage::showStage);
  clock_.setInterval(kClock_ms);
  connect(&clock_, &QTimer::timeout, this, [this] {
    const TestRun* test = controller_->run();
    if (!mine_ || test == nullptr || controller_->opening()) return;
    const double rate_hz = test->project().loop.rate_hz;
    if (controller_->state() != State::armed)
      excite_->setTime(static_cast<double>(test->status().tick.load() - from_tick_) / rate_hz,
                       test->project().loop.duration_s);
    if (controller_->state() == State::armed) showPreflight();
  });
  setFocusProxy(excite_);
  showResponse(nullptr);
  showStage();
}

void IdentifyPage::setProject(const std::optional<Project>& project) {
  project_ = project;
  if (!test_active_) excite_->setProject(project);
  if (project) fit_->setFolder(QString::fromStdString(recordingFolder(*project).string()));
  updateBlocked();
}

void IdentifyPage::forget() {
  if (mine_) return;
  mine_file_.clear();
  excite_->forget();
  fit_->forget();
  accept_->setFound(nullptr, false);
  showResponse(nullptr);
}

/// Arms the test. On the twin it starts at once; on a rig the button waits for a second press.
void IdentifyPage::excite() {
  if (mine_ && controller_->state() == State::armed) {
    if (list_->waiting() > 0) return;
    if (const QStringList read = list_->acknowledged(); !read.isEmpty())
      controller_->run()->note(tr("acknowledged before Run: %1").arg(read.join(QStringLiteral(", "))).toStdString());
    from_tick_ = controller_->run()->status().tick.load();
    return controller_->start();
  }
  if (controller_->active() || !excite_->ready()) return;
  asked_ = *excite_->ready();
  excite_->say({}, false);
  RunOptions options;
  options.pace = excite_->pace();
  options.display = true;
  try {
    options.file = newRecording(recordingFolder(asked_->project), QString::fromStdString(asked_->project.meta.title));
  } catch (const std::exception& error) {
    return excite_->say(QString::fromUtf8(error.what()), true);
  }
  mine_ = true;
  mine_on_twin_ = asked_->project.rig.use == RigUse::twin;
  list_->begin();
  list_->setWaits(mine_on_twin_ ? PreflightList::Waits::never : PreflightList::Waits::for_warnings);
  if (!controller_->arm(asked_->project, options)) mine_ = false;
  showStage();
}

void IdentifyPage::begin(TestRun& test) {
  const RigExcitation& asked = asked_->asked;
  const LoopConfig& loop = test.project().loop;
  const double duration_s = loop.duration_s - loop.soft_start_s - loop.soft_end_s;
  accept_->setFound(nullptr, false);
  fit_->forget();
  showResponse(nullptr);
  live_->begin(test.layout(), {asked.axis, liveSegments(asked, loop.rate_hz, duration_s), stepsOf(asked), asked.from_hz,
                               asked.to_hz, loop.soft_start_s, duration_s});
  from_tick_ = 0;
  clock_.start();
  if (mine_on_twin_)
    controller_->start();
  else
    checks_->setProject(test.project());
  showStage();
}

void IdentifyPage::take(std::span<const double> rows) {
  if (mine_) live_->take(rows);
}

void IdentifyPage::end(const RunResult& result) {
  if (!mine_) return;
  mine_ = false;
  clock_.stop();
  live_->end();
  const QString file = QString::fromStdString(controller_->run()->file().string());
  const bool whole = result.reason == EndReason::completed;
  const QString reason = QString::fromStdString(result.stop_reason);
  QString text = whole ? tr("Done. Recorded in %1.").arg(QFileInfo(file).fileName())
                       : reason.left(1).toUpper() + reason.mid(1) + QLatin1Char('.');
  if (!result.device_error.empty()) text += QLatin1Char(' ') + QString::fromStdString(result.device_error);
  if (controller_->state() == State::fault) text += tr(" Reset it with F8.");
  excite_->say(text, !result.device_error.empty() || (!whole && result.reason != EndReason::operator_stop));
  showStage();
  if (project_) excite_->setProject(project_);
  if (!QFileInfo::exists(file) || result.ticks == 0) return;
  mine_file_ = file;
  fit_->setRun(file, asked_->asked.axis);
  if (whole) fit_->fit();
}

void IdentifyPage::showStage() {
  const State state = controller_->state();
  using Stage = ExcitePanel::Stage;
  const bool armed = mine_ && state == State::armed;
  const bool waits = armed && !mine_on_twin_;
  list_area_->setVisible(waits);
  excite_->setStage(!mine_                   ? Stage::idle
                    : controller_->opening() ? Stage::connecting
                    : waits                  ? Stage::armed
                                             : Stage::moving,
                    waits && list_->waiting() > 0);
  updateBlocked();
}

void IdentifyPage::showPreflight() {
  const TestRun* test = controller_->run();
  if (!mine_ || mine_on_twin_ || test == nullptr || controller_->opening() || controller_->state() != State::armed)
    return;
  list_->show(checks_->items(test->file().string(), test->layout().width() * sizeof(double), test->realtime(),
                             test->link(), readingsOf(test->status())));
}

void IdentifyPage::showFound(std::shared_ptr<const RunIdentification> found) {
  auto curves = std::make_shared<ResponseCurves>();
  curves->measured = found->found.response;
  curves->phasors = found->found.phasors;
  if (found->found.model)
    for (const ResponseLine& line : curves->measured.lines)
      curves->model.push_back(
          sampledResponse(*found->found.model, line.frequency_hz, 1.0 / found->rate_hz, found->hold));
  showResponse(curves);
  accept_->setFound(std::move(found), mine_on_twin_ && fit_->run() == mine_file_);
}

void IdentifyPage::showResponse(const std::shared_ptr<const ResponseCurves>& curves) {
  for (std::size_t p = 0; p < std::size(plots_); ++p) {
    plots_[p]->setCurves(curves);
    panels_[p]->updateReading();
  }
  // Of single periods the scatter in the complex plane says more than a coherence.
  const bool stepped = curves && !curves->phasors.empty();
  phasors_->setCurves(curves);
  phasor_panel_->updateReading();
  phasor_panel_->setVisible(stepped);
  panels_[2]->setVisible(!stepped);
}

void IdentifyPage::setTestActive(bool active) {
  const bool before = std::exchange(test_active_, active);
  if (before && !active && !mine_) excite_->setProject(project_);
  updateBlocked();
}

void IdentifyPage::setHeld(const QString& why) {
  held_ = why;
  updateBlocked();
}

void IdentifyPage::updateBlocked() {
  const bool fault = controller_->state() == State::fault;
  const QString test = test_active_ ? tr("A test is active: end it first.") : QString();
  excite_->setBlocked(!test.isEmpty()    ? test
                      : !held_.isEmpty() ? held_
                      : fault            ? tr("The last test ended in a fault: read its reason, then reset it (F8).")
                      : !project_        ? tr("The project has errors: Configure (Ctrl+1) lists them.")
                                         : QString());
  fit_->setBlocked(test);
  accept_->setBlocked(test);
}

}  // namespace hyb::ui
