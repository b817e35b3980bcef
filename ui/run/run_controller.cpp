#include "ui/run/run_controller.h"

#include <chrono>
#include <exception>

namespace hyb::ui {
namespace {

constexpr int kFrame_ms = 16;
constexpr std::chrono::seconds kArmedFor{60};
QString recording_file;  // of the one test that this program can run; GUI thread

}  // namespace

RunController::RunController(QObject* parent) : QObject(parent) {
  timer_.setTimerType(Qt::PreciseTimer);
  timer_.setInterval(kFrame_ms);
  connect(&timer_, &QTimer::timeout, this, &RunController::poll);
}

RunController::~RunController() {
  timer_.stop();
  if (run_ && !finishing_.valid() && !run_->ended()) run_->requestStop();
  if (finishing_.valid()) finishing_.wait();
  if (!run_) return;
  run_.reset();  // ramps down, joins, closes the file
  recording_file.clear();
}

bool RunController::arm(const Project& project, const RunOptions& options) {
  if (active()) {
    Q_EMIT failed(tr("A test is armed or running: stop it first."));
    return false;
  }
  if (state() == State::fault) {
    Q_EMIT failed(tr("The last test ended in a fault: read its reason, then reset it (F8)."));
    return false;
  }
  try {
    auto run = std::make_unique<TestRun>(project, options);
    run->arm();
    run_ = std::move(run);
  } catch (const std::exception& error) {
    Q_EMIT failed(QString::fromUtf8(error.what()));
    return false;
  }
  result_.reset();
  under_way_ = true;
  recording_file = QString::fromStdString(run_->file().string());
  armed_at_ = std::chrono::steady_clock::now();
  Q_EMIT armed(run_.get());
  announceState();
  timer_.start();
  return true;
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
  if (active() && !finishing_.valid()) run_->requestStop();
}

void RunController::resetFault() {
  if (state() != State::fault || under_way_) return;
  run_->resetFault();
  announceState();
}

bool RunController::closing() const { return finishing_.valid(); }

State RunController::state() const {
  if (!run_) return State::ready;
  const State now = run_->status().state.load(std::memory_order_acquire);
  // Until the file is closed a test that ended well is still stopping; a fault shows at once.
  return under_way_ && now == State::ready ? State::stopping : now;
}

bool RunController::active() const { return under_way_; }

int RunController::armedSecondsLeft() const {
  if (state() != State::armed) return 0;
  const auto left = kArmedFor - (std::chrono::steady_clock::now() - armed_at_);
  return std::max(0, static_cast<int>(std::chrono::ceil<std::chrono::seconds>(left).count()));
}

QString RunController::recordingFile() { return recording_file; }

TestRun* RunController::run() { return run_.get(); }
const TestRun* RunController::run() const { return run_.get(); }
std::optional<RunResult> RunController::result() const { return result_; }

void RunController::announceState() {
  const State now = state();
  if (now == last_state_) return;
  last_state_ = now;
  Q_EMIT stateChanged(now);
}

void RunController::poll() {
  // The end is read before the rings are drained, so that nothing of a test that ended is left in them.
  const bool over = run_->ended();
  Event event;
  while (run_->displayEvents().pop(event))
    Q_EMIT eventArrived(event, QString::fromStdString(message(event, run_->eventNames())));
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
    recording_file.clear();
    announceState();
    if (result_) Q_EMIT ended(*result_);
    return;
  }
  if (over)
    finishing_ = std::async(std::launch::async, [run = run_.get()] { return run->finish(); });
  else if (state() == State::armed && armedSecondsLeft() == 0)
    run_->requestStop();
  announceState();
}

}  // namespace hyb::ui
