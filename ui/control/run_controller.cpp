#include "ui/control/run_controller.h"

#include <chrono>
#include <exception>
#include <mutex>
#include <utility>

namespace hyb::ui {
namespace {

constexpr int kFrame_ms = 16;
std::mutex recording_mutex;
QString recording_file;  // of the one test that this program can run; guarded by the mutex

void setRecordingFile(const QString& file) {
  const std::scoped_lock lock(recording_mutex);
  recording_file = file;
}

}  // namespace

RunController::RunController(DeviceFactory devices, SiteFactory programs, QObject* parent)
    : QObject(parent), devices_(std::move(devices)), programs_(std::move(programs)) {
  timer_.setTimerType(Qt::PreciseTimer);
  timer_.setInterval(kFrame_ms);
  connect(&timer_, &QTimer::timeout, this, &RunController::poll);
}

RunController::~RunController() {
  timer_.stop();
  if (opening_.valid()) {
    try {
      opening_.get().reset();  // ends the test in its safe state
    } catch (const std::exception&) {
      // The rig could not be opened, so there is nothing to end.
    }
  }
  if (run_ && !finishing_.valid() && !run_->ended()) run_->requestStop();
  if (finishing_.valid()) finishing_.wait();
  run_.reset();  // ramps down, joins, closes the file
  if (under_way_) setRecordingFile({});
}

bool RunController::arm(const Project& project, const RunOptions& given) {
  if (active()) {
    Q_EMIT failed(tr("A test is armed or running. Stop it first."));
    return false;
  }
  if (state() == State::fault) {
    Q_EMIT failed(tr("The last test ended in a fault. Read its reason, then press Reset (F8)."));
    return false;
  }
  RunOptions options = given;
  options.devices = devices_;
  options.site = programs_;
  if (run_) run_->letClientGo();
  const auto open = [project, options] {
    auto run = std::make_unique<TestRun>(project, options);
    run->arm();
    return run;
  };
  setRecordingFile(QString::fromStdString(options.file.string()));
  if (project.rig.use != RigUse::twin) {
    stop_wanted_ = false;
    under_way_ = true;
    opening_ = std::async(std::launch::async, open);
    announceState();
    timer_.start();
    return true;
  }
  try {
    adopt(open());
  } catch (const std::exception& error) {
    setRecordingFile({});
    Q_EMIT failed(QString::fromUtf8(error.what()));
    return false;
  }
  return true;
}

void RunController::adopt(std::unique_ptr<TestRun> run) {
  run_ = std::move(run);
  result_.reset();
  under_way_ = true;
  armed_at_ = std::chrono::steady_clock::now();
  Q_EMIT armed(run_.get());
  announceState();
  timer_.start();
}

void RunController::start() {
  if (state() == State::armed) run_->start();
}

void RunController::hold() {
  if (state() == State::running) run_->hold();
}

void RunController::resume() {
  if (state() == State::holding) run_->resume();
}

void RunController::requestStop() {
  if (opening())
    stop_wanted_ = true;
  else if (!active() || finishing_.valid())
    return;
  else if (run_->status().state.load(std::memory_order_acquire) == State::stopping)
    run_->requestImmediateStop();
  else
    run_->requestStop();
}

void RunController::resetFault() {
  if (state() != State::fault || under_way_) return;
  run_->resetFault();
  announceState();
}

bool RunController::opening() const { return opening_.valid(); }

bool RunController::closing() const { return finishing_.valid(); }

State RunController::state() const {
  if (opening()) return State::disconnected;
  if (!run_) return State::ready;
  const State now = run_->status().state.load(std::memory_order_acquire);
  // Until the file is closed, a normal end still shows as stopping; a fault shows at once.
  return under_way_ && now == State::ready ? State::stopping : now;
}

bool RunController::active() const { return under_way_; }

bool RunController::waitsForProgram() const {
  const State now = state();
  return (now == State::armed || now == State::running || now == State::holding) && !run_->siteAddress().empty() &&
         !run_->clientConnected();
}

int RunController::armedSecondsLeft() const {
  if (state() != State::armed) return 0;
  const auto left = armed_for_ - (std::chrono::steady_clock::now() - armed_at_);
  return std::max(0, static_cast<int>(std::chrono::ceil<std::chrono::seconds>(left).count()));
}

QString RunController::recordingFile() {
  const std::scoped_lock lock(recording_mutex);
  return recording_file;
}

TestRun* RunController::run() { return run_.get(); }
const TestRun* RunController::run() const { return run_.get(); }
std::optional<RunResult> RunController::result() const { return result_; }

void RunController::announceState() {
  const State now = state();
  if (now == last_state_) return;
  last_state_ = now;
  Q_EMIT stateChanged(now);
}

void RunController::pollOpening() {
  if (opening_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  try {
    adopt(opening_.get());
    if (stop_wanted_) run_->requestStop();
  } catch (const std::exception& error) {
    timer_.stop();
    under_way_ = false;
    setRecordingFile({});
    announceState();
    Q_EMIT failed(stop_wanted_ ? tr("Stopped while connecting to the rig.") : QString::fromUtf8(error.what()));
  }
}

void RunController::tellOfFile() {
  if (const std::optional<PlaceNotice> change = run_->takeFileNotice())
    Q_EMIT noticed(change->severity, QString::fromStdString(change->sentence));
}

void RunController::poll() {
  if (opening()) return pollOpening();
  // Reads the end before it drains the rings, so that no rows of an ended test remain.
  const bool over = run_->ended();
  Event event;
  while (run_->displayEvents().pop(event))
    Q_EMIT eventArrived(event, QString::fromStdString(message(event, run_->eventNames())));
  tellOfFile();
  Q_EMIT polled();

  if (finishing_.valid()) {
    if (finishing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    timer_.stop();
    under_way_ = false;
    try {
      result_ = finishing_.get();
    } catch (const std::exception& error) {
      Q_EMIT failed(QString::fromUtf8(error.what()));
    }
    tellOfFile();
    setRecordingFile({});
    announceState();
    if (result_) Q_EMIT ended(*result_);
    return;
  }
  if (over)
    finishing_ = std::async(std::launch::async, [run = run_.get()] { return run->finish(); });
  else if (state() == State::armed && armedSecondsLeft() == 0)
    run_->disarm(std::chrono::duration<double>(armed_for_).count());
  announceState();
}

}  // namespace hyb::ui
