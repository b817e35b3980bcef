#include "core/run/test_run.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <thread>
#include <utility>

#include "core/base/figure_text.h"
#include "core/compensation/plug_in_exit.h"
#include "core/loop/pacing.h"
#include "core/record/recorder.h"
#include "core/run/build.h"
#include "core/run/director_thread.h"
#include "core/run/go_on.h"
#include "core/run/plug_ins.h"
#include "core/run/unattended.h"
#include "core/run/verdict.h"

namespace hyb {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kDisplaySeconds = 2;
constexpr auto kShortestWait = 20us, kLongestWait = 2000us;  // polling of a free run for the next external target

/// The project as it is run. The run file records this one.
Project effective(Project project, const RunOptions& options) {
  if (options.seed) {
    project.twin.seed = *options.seed;
    project.document["rig"]["seed"] = *options.seed;
  }
  if (options.duration_s && project.loop.trials.count > 0)
    throw InputError("/loop/duration_s",
                     "cannot be set for a test with trials, which determine the duration; set /loop/trials.");
  if (options.duration_s) {
    project.loop.duration_s = *options.duration_s;
    project.document["loop"]["duration_s"] = *options.duration_s;
  }
  return options.attended ? project : unattended(std::move(project));
}

std::string number(double value, std::string_view unit, double beside = 0.0) {
  return quantityText(value, unit, 4, beside);
}

std::string because(const std::string& reason) { return reason.empty() ? "" : ": " + reason; }

std::string openInterlocks(const Loop& loop) {
  const std::vector<std::string> names = loop.interlocks();
  const std::uint32_t open = loop.status().interlocks_open.load();
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    if ((open >> k & 1u) != 0) text += (text.empty() ? "" : ", ") + names[k];
  return text;
}

/// Why the trials ended early; "" if all of them ran.
std::string trialsSentence(const Loop& loop) {
  const TrialSpec& trials = loop.config().trials;
  const TrialStop stop = loop.status().trials_stopped.load();
  if (stop == TrialStop::none) return "";
  return " after trial " + std::to_string(loop.status().trial.load()) + " of " + std::to_string(trials.count) +
         (stop == TrialStop::rises ? ": the error rose " + std::to_string(trials.stop_after_rises) +
                                         (trials.stop_after_rises == 1 ? " time" : " times in a row")
                                   : ": its error is below " + number(trials.stop_below_percent, "%"));
}

/// Closes and removes the file of a test that was not started.
void discard(Recorder& recorder) {
  recorder.close({});
  recorder.removeFile();
}

/// A sentence on a failure of a file that was opened under another name.
std::string renamed(std::string sentence, const std::string& alias, const std::string& file) {
  const std::size_t at = sentence.find(alias);
  return at == std::string::npos ? sentence : sentence.replace(at, alias.size(), file);
}

std::shared_ptr<TargetExchange> exchangeFor(const Project& project, const RunOptions& options) {
  if (project.coupling->site() == nullptr) return nullptr;
  if (!options.site)
    throw InputError("/coupling/scheme", "is \"" + std::string(project.coupling->name()) +
                                             "\", but no other program can connect here; use \"hybridbench run\".");
  return std::make_shared<TargetExchange>(buildPartition(project).interface.size());
}

std::unique_ptr<Loop> loopOf(const Project& project, const RunOptions& options,
                             const std::shared_ptr<TargetExchange>& exchange) {
  const bool paced = options.pace == Pace::real_time;
  if (!project.compensation.watch) return buildLoop(project, options.devices, paced, exchange);
  const auto made = std::make_shared<std::unique_ptr<Loop>>();
  workWatched(project.compensation.watch, options.stop, [made, project, devices = options.devices, paced, exchange] {
    *made = buildLoop(project, devices, paced, exchange);
  });
  return std::move(*made);
}

}  // namespace

std::string endSentence(const Loop& loop) {
  switch (loop.endReason()) {
    case EndReason::completed:
      return "completed" + trialsSentence(loop) + (loop.summary().empty() ? "" : ": " + loop.summary());
    case EndReason::operator_stop:
      return loop.status().started.load() ? "stopped by the operator" : "disarmed before it was started";
    case EndReason::limit: {
      const int decisive = loop.status().deciding_limit.load();
      if (decisive < 0) return "stopped by a limit";
      const auto l = static_cast<std::size_t>(decisive);
      const LimitMonitor& monitor = loop.safety().monitors()[l];
      const EventNames names = loop.eventNames();
      const std::string& origin = loop.safety().limits()[l].origin;
      const double reached = monitor.crossed_at.load(), allowed = monitor.threshold.load();
      return "limit: " + names.limits[l] + " reached " + number(reached, names.limit_units[l], allowed) + ", allowed " +
             number(allowed, names.limit_units[l], reached) + (origin.empty() ? "" : " (" + origin + ")") + "; " +
             names.limit_actions[l];
    }
    case EndReason::rig_fault:
      return "the rig reported a fault" + because(loop.rigFailure());
    case EndReason::link_lost:
      return "the link to the rig was lost" + because(loop.rigFailure());
    case EndReason::interlock:
      return "interlock open" + because(openInterlocks(loop));
    case EndReason::not_a_number:
      return loop.notANumber() + " was not a number";
    case EndReason::recorder_failed:
      return "recording failed";
    case EndReason::client_lost:
      return "the program that computes the numerical substructure " +
             (loop.summary().empty() ? "disconnected without ending the test" : loop.summary());
    case EndReason::not_identified:
      return "the response of the rig to the commands could not be identified" + because(loop.summary());
    case EndReason::fallen:
      return "the walker fell " + loop.summary();
    case EndReason::plug_in:
      return loop.plugInFailure();
    case EndReason::overrun:
      return "the computer fell more than 1000 periods behind";
    case EndReason::running:
    case EndReason::killed:
    case EndReason::unknown:
    case EndReason::imported:
      break;
  }
  return "ended";
}

struct TestRun::Impl {
  Impl(const Project& given, RunOptions given_options)
      : options(std::move(given_options)),
        given_project(given),
        project(withPlugIns(effective(given, options), options.stop)),
        exchange(exchangeFor(project, options)),
        loop(loopOf(project, options, exchange)),
        tunables(loop->tunables()),
        names(loop->eventNames()) {
    if (!options.go_on.empty()) options.begin_with = goOnFrom(options.go_on, project, loop->layout());
    if (!options.begin_with.learnt.empty()) loop->beginWith(options.begin_with.learnt);
    if (options.display) {
      const auto rows = static_cast<std::size_t>(project.loop.rate_hz) * kDisplaySeconds + 1024;
      display_rows = std::make_unique<RowRing>(loop->layout().width(), rows);
      display_events = std::make_unique<EventRing>();
      if (const std::size_t columns = loop->layout().segmentColumns().size(); columns > 0)
        display_segments = std::make_unique<RowRing>(columns, loop->layout().mostSegments());
      loop->attachDisplay(display_rows.get(), display_events.get(), display_segments.get());
    } else if (options.events) {
      display_events = std::make_unique<EventRing>();
      loop->attachDisplay(nullptr, display_events.get());
    }
  }

  /// The loop thread: ticks until the test has ended in a safe state.
  void drive(std::promise<RealtimeOutcome> realtime_known) {
    if (options.pace == Pace::real_time) {
      const DirectorThread teacher(*loop);
      const RealtimeOutcome outcome = enterRealtime(project.realtime).outcome();
      if (recorder) recorder->setRealtime(outcome);
      realtime_known.set_value(outcome);
      const int error = runPaced(*loop, systemClock());
      if (error != 0) pacing_errno.store(error, std::memory_order_relaxed);
    } else {
      realtime_known.set_value({Realtime::free_run, "free run"});
      // The time of the twin stands still until Run, so that the same seed gives the same run after any wait.
      while (!started.load(std::memory_order_acquire) && !stopSeen()) std::this_thread::sleep_for(5ms);
      do {
        waitForTarget();
        while (recorder && recorder->rows().freeRows() == 0 && !recorder->failed()) std::this_thread::sleep_for(200us);
      } while (loop->tick(1));
    }
    tellDone();
  }

  void tellDone() {
    if (exchange) {
      exchange->over.store(true, std::memory_order_release);
      exchange->changed();
    }
    done.store(true, std::memory_order_release);
    done.notify_all();
  }

  /// Runs beside the loop thread of a test with plug-ins. Ends the test if a call does not return.
  void overlook() {
    PlugInLook look(*project.compensation.watch, options.stop);
    for (; !done.load(std::memory_order_acquire); std::this_thread::sleep_for(PlugInLook::kEvery)) {
      if (!look.givesUp()) continue;
      loop->abandon();
      const sched_param none{};
      pthread_setschedparam(thread.native_handle(), SCHED_OTHER, &none);  // it may still be computing
      given_up.store(true, std::memory_order_release);
      return tellDone();
    }
  }

  bool stopSeen() const {
    return stop_seen.load(std::memory_order_acquire) || (options.stop != nullptr && options.stop->asked());
  }

  /// In free run the test time stands still while another program computes the next target.
  void waitForTarget() {
    if (!exchange) return;
    for (auto wait = kShortestWait;
         exchange->idle() && !stopSeen() && !asked.exchange(false, std::memory_order_acq_rel);
         wait = std::min(2 * wait, kLongestWait))
      std::this_thread::sleep_for(wait);
  }

  void post(Request::Kind kind, std::int32_t index = -1, double value = 0.0, std::string_view text = {}) {
    Request request{kind, index, value, {}, {}};
    text.copy(request.text.data(), request.text.size() - 1);
    post(request);
  }
  void post(const Request& request) {
    if (!loop->post(request)) throw DeviceError("the test cannot take further changes now: too many are waiting");
    asked.store(true, std::memory_order_release);
  }

  RunOptions options;
  Project given_project;
  Project project;
  std::shared_ptr<TargetExchange> exchange;  // null: the bench computes the NS itself
  std::unique_ptr<Loop> loop;
  std::vector<Tunable> tunables;
  EventNames names;
  std::unique_ptr<RowRing> display_rows, display_segments;
  std::unique_ptr<EventRing> display_events;
  std::unique_ptr<Recorder> recorder;
  std::unique_ptr<ExternalSite> site;
  std::thread thread, overlooking;
  std::atomic<bool> given_up{false};  // the loop thread does not return and keeps all this
  std::atomic<bool> started{false}, stop_seen{false}, done{false};
  std::atomic<bool> asked{false};  // a request was posted that the loop has not read yet
  std::atomic<int> pacing_errno{0};
  RealtimeOutcome realtime{Realtime::unknown, "not armed"};
  std::optional<RunResult> result;
};

namespace {

/// For a test whose file is closed and on the disk.
template <typename Run>
Verdict verdictOf(const Run& run, RunResult& result, bool file_is_kept) {
  Verdict verdict;
  verdict.ended = result.complete ? EndReason::completed : result.reason;
  verdict.missing = {"not recorded"};
  verdict.reasons = {"The test was not recorded."};
  if (!file_is_kept) return verdict;
  const std::string alias = run.recorder->alias().string();
  try {
    return judgeFile(alias, run.project.folder);
  } catch (const std::exception& error) {  // for example a full disk
    const std::string file = run.options.file.string();
    std::string why = renamed(error.what(), alias, file);
    if (!why.starts_with(file)) why = file + ": " + why;
    verdict.missing = {"the file cannot be judged"};
    verdict.reasons = {why};
    if (result.device_error.empty()) result.device_error = why;
  }
  return verdict;
}

/// Waits until the file is on the disk. Only then the test counts as recorded.
template <typename Run>
void keepSafe(const Run& run, RunResult& result) {
  try {
    run.recorder->sync();
  } catch (const DeviceError& error) {
    if (result.device_error.empty()) result.device_error = error.what();
    result.valid = false;
    result.verdict.missing = {"the file may not be complete on the disk"};
  }
}

}  // namespace

TestRun::TestRun(const Project& project, RunOptions options)
    : impl_(std::make_unique<Impl>(project, std::move(options))) {}

TestRun::~TestRun() {
  if (impl_->thread.joinable()) {
    requestStop();
    try {
      finish();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "closing the run failed: %s\n", error.what());
    }
  }
  if (impl_->given_up.load()) static_cast<void>(impl_.release());
}

const Project& TestRun::project() const noexcept { return impl_->project; }
const RowLayout& TestRun::layout() const noexcept { return impl_->loop->layout(); }
const LoopStatus& TestRun::status() const noexcept { return impl_->loop->status(); }
const SafetyChain& TestRun::safety() const noexcept { return impl_->loop->safety(); }
const std::vector<Tunable>& TestRun::tunables() const noexcept { return impl_->tunables; }
const EventNames& TestRun::eventNames() const noexcept { return impl_->names; }
const LinkFigures* TestRun::link() const noexcept { return impl_->loop->link(); }
std::vector<std::string> TestRun::interlocks() const { return impl_->loop->interlocks(); }
const std::filesystem::path& TestRun::file() const noexcept { return impl_->options.file; }
std::string TestRun::siteAddress() const { return impl_->site ? impl_->site->address() : std::string(); }
bool TestRun::clientConnected() const noexcept { return impl_->site && impl_->site->connected(); }
void TestRun::letClientGo() noexcept {
  if (ended()) impl_->site.reset();
}
RealtimeOutcome TestRun::realtime() const { return impl_->realtime; }

void TestRun::arm() {
  Impl& run = *impl_;
  if (run.thread.joinable() || run.result) throw DeviceError("this test has been armed before; create a new one");
  tryOutPlugIns(run.project, run.options.stop);
  if (!run.options.file.empty()) {
    RunFileHeader header = buildHeader(run.project);
    header.begun_with = run.options.begin_with.learnt;
    if (!header.begun_with.empty()) header.used.emplace_back("begun_with", run.options.begin_with.from);
    run.recorder = std::make_unique<Recorder>(run.options.file, header, layout(), run.names, run.project.loop.rate_hz,
                                              run.project.loop.duration_s, run.project.recording.flush_s);
    run.loop->attachRecorder(&run.recorder->rows(), &run.recorder->events(), &run.recorder->failedFlag());
    run.loop->attachSegments(&run.recorder->segments());
  }
  try {
    if (run.exchange) run.site = run.options.site(*run.project.coupling->site(), run.exchange);
    run.loop->follow(run.options.stop);
    run.loop->arm();
  } catch (...) {
    if (run.recorder) discard(*run.recorder);
    throw;
  }
  if (run.project.compensation.watch) heedExit();
  std::promise<RealtimeOutcome> known;
  std::future<RealtimeOutcome> outcome = known.get_future();
  run.thread = std::thread([&run, promise = std::move(known)]() mutable { run.drive(std::move(promise)); });
  if (run.project.compensation.watch) run.overlooking = std::thread([&run] { run.overlook(); });
  run.realtime = outcome.get();
}

void TestRun::start() {
  impl_->post(Request::Kind::start);
  impl_->started.store(true, std::memory_order_release);
}
void TestRun::hold() { impl_->post(Request::Kind::hold); }
void TestRun::resume() { impl_->post(Request::Kind::resume); }

void TestRun::requestStop() noexcept {
  impl_->loop->requestStop();
  impl_->stop_seen.store(true, std::memory_order_release);
}

void TestRun::disarm(double waited_s) noexcept {
  if (impl_->started.load()) return;
  // If the loop takes no more messages, it still stops.
  if (!impl_->loop->post({Request::Kind::disarm, -1, waited_s, {}, {}})) return requestStop();
  impl_->stop_seen.store(true, std::memory_order_release);
}

void TestRun::requestImmediateStop() noexcept {
  impl_->loop->requestImmediateStop();
  impl_->stop_seen.store(true, std::memory_order_release);
}

void TestRun::tune(std::size_t index, double value) {
  if (index >= impl_->tunables.size()) throw InputError("tunable", "there is no such parameter");
  Tunable& tunable = impl_->tunables[index];
  if (!(value >= tunable.min && value <= tunable.max))
    throw InputError(tunable.name, number(value, tunable.units) + " is outside " + number(tunable.min, tunable.units) +
                                       " to " + number(tunable.max, tunable.units));
  impl_->post(Request::Kind::tune, static_cast<std::int32_t>(index), value);
  tunable.value = value;
}

void TestRun::setLimit(std::size_t index, double threshold) {
  if (index >= safety().limits().size() || !(threshold > 0.0))
    throw InputError("limit", "a threshold must be above zero");
  impl_->post(Request::Kind::set_limit, static_cast<std::int32_t>(index), threshold);
}

void TestRun::setForceSource(ForceSource source) {
  impl_->post(Request::Kind::set_force_source, static_cast<std::int32_t>(source));
}
void TestRun::note(const std::string& text) { impl_->post(Request::Kind::note, -1, 0.0, text); }
void TestRun::injectFault(const FaultSpec& fault, bool on) {
  Request request{Request::Kind::fault, -1, on ? 1.0 : 0.0, {}, fault};
  impl_->post(request);
}

std::optional<PlaceNotice> TestRun::takeFileNotice() {
  return impl_->recorder ? impl_->recorder->takeNotice() : std::nullopt;
}

bool TestRun::ended() const noexcept { return impl_->done.load(std::memory_order_acquire); }

RunResult TestRun::finish() {
  Impl& run = *impl_;
  if (run.result) return *run.result;
  if (run.thread.joinable()) {
    run.done.wait(false, std::memory_order_acquire);
    if (run.overlooking.joinable()) run.overlooking.join();
    if (run.given_up.load())
      run.thread.detach();
    else
      run.thread.join();
  }
  run.loop->close();  // before the end is reported: a stop that the rig did not take belongs to the test
  RunResult result;
  result.reason = run.loop->endReason();
  result.stop_reason = endSentence(*run.loop) + unattendedNote(run.given_project, *run.loop);
  if (result.reason == EndReason::recorder_failed && run.recorder) result.stop_reason += ": " + run.recorder->failure();
  const std::string failure = run.loop->rigFailure();
  if (!failure.empty() && result.stop_reason.find(failure) == std::string::npos) result.stop_reason += "; " + failure;
  result.best_trial = run.loop->bestTrial();
  result.ticks = status().started.load() ? status().tick.load() + 1 : 0;
  result.late_ticks = status().late_ticks.load();
  result.missed_periods = status().missed_periods.load();
  const bool planned_end = result.reason == EndReason::completed ||
                           (result.reason == EndReason::operator_stop && run.project.loop.duration_s <= 0.0);
  result.complete = planned_end;
  result.valid = result.reason != EndReason::not_a_number && result.reason != EndReason::recorder_failed;
  bool kept = run.recorder != nullptr;
  if (kept) {
    const bool nothing_recorded = !run.started.load() && result.reason == EndReason::operator_stop;
    const bool aborted = result.reason != EndReason::completed && result.reason != EndReason::operator_stop;
    const double black_box_s = aborted ? run.project.recording.black_box_s : 0.0;
    run.recorder->close(
        {.complete = result.complete,
         .valid = result.valid,
         .stop_reason = result.stop_reason,
         .black_box_rows = static_cast<std::uint64_t>(std::llround(black_box_s * run.project.loop.rate_hz)),
         .ended = result.reason,
         .verdict_follows = true});
    if (run.recorder->failed()) {
      result.device_error = run.recorder->failure();
      result.complete = result.valid = false;
    }
    if (run.recorder->rows().dropped() > 0) result.valid = false;
    if (nothing_recorded && run.recorder->writtenRows() == 0) {  // disarmed before Run: leave no empty file
      run.recorder->removeFile();
      kept = false;
    } else if (const std::filesystem::path place = run.recorder->path(); !place.empty()) {
      run.options.file = place;
    } else {
      kept = false;
      result.valid = false;
      result.device_error =
          run.options.file.string() +
          ": the run file was deleted or moved out of reach during the test, and its rows are lost; run the test again";
    }
  }
  if (run.pacing_errno.load() != 0) result.device_error = "the system clock cannot pace the loop";
  result.verdict = verdictOf(run, result, kept);
  result.recorded = kept;
  if (kept) keepSafe(run, result);
  if (run.recorder) run.recorder->letGo();
  run.result = result;
  return result;
}

void TestRun::resetFault() {
  if (ended()) impl_->loop->resetFault();
}

RowRing& TestRun::displayRows() noexcept { return *impl_->display_rows; }
EventRing& TestRun::displayEvents() noexcept { return *impl_->display_events; }
RowRing* TestRun::displaySegments() noexcept { return impl_->display_segments.get(); }
std::uint64_t TestRun::recordedRows() const noexcept { return impl_->recorder ? impl_->recorder->writtenRows() : 0; }
std::uint64_t TestRun::recordedBytes() const noexcept { return impl_->recorder ? impl_->recorder->writtenBytes() : 0; }
std::uint64_t TestRun::displayDropped() const noexcept {
  return impl_->display_rows ? impl_->display_rows->dropped() : 0;
}

}  // namespace hyb
