/// Every fault on purpose in every mode: the declared action comes in the tick in which what asks for it was read, the
/// event is in the file, the actuators truly end in their safe state, and no row is lost. The matrix is printed.
#include <QTemporaryDir>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <map>
#include <numbers>

#include "core/loop/pacing.h"
#include "core/record/recorder.h"
#include "core/record/run_file_reader.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "hardware/frames_device.h"
#include "hardware/udp_device.h"
#include "tests/support/faulty_line.h"
#include "tests/support/led_device.h"
#include "tests/support/passing_device.h"
#include "tests/support/patience.h"
#include "tests/support/pseudo_terminals.h"
#include "tests/support/served_device.h"
#include "tests/support/served_twin.h"
#include "tests/support/served_udp.h"
#include "tests/support/set_clock.h"
#include "tests/support/suite.h"
#include "tests/support/twin_device.h"
#include "tests/support/watched_rig.h"

using namespace hyb;
using namespace hyb::test;

namespace {

namespace fs = std::filesystem;

/// linked_...: through the driver of the rig protocol and a device in real code.
enum class RunMode { free, paced, shadow, rig, linked_shadow, linked_rig };
bool linked(RunMode mode) { return mode == RunMode::linked_shadow || mode == RunMode::linked_rig; }

/// A column of the matrix. `kind`: of the device behind a link; `listen`: where it serves.
struct Column {
  const char* name;
  RunMode mode;
  const char* kind = "server";
  const char* listen = "tcp://127.0.0.1:0";
  bool kit() const { return std::string_view(kind).ends_with("kit"); }
  bool udp() const { return std::string_view(kind).starts_with("UDP"); }
  bool leads() const { return std::string_view(kind) == "UDP that leads"; }
  bool serial() const { return isSerial(listen); }
};
constexpr std::array<Column, 12> kColumns = {{{"free", RunMode::free},
                                              {"paced twin", RunMode::paced},
                                              {"shadow", RunMode::shadow},
                                              {"rig", RunMode::rig},
                                              {"TCP shadow", RunMode::linked_shadow},
                                              {"TCP rig", RunMode::linked_rig},
                                              {"UDP leads", RunMode::linked_rig, "UDP that leads"},
                                              {"UDP rig", RunMode::linked_rig, "UDP"},
                                              {"C TCP", RunMode::linked_rig, "C kit"},
                                              {"C pty", RunMode::linked_rig, "C kit", "serial:pty"},
                                              {"Python TCP", RunMode::linked_rig, "Python kit"},
                                              {"Python pty", RunMode::linked_rig, "Python kit", "serial:pty"}}};

/// Under a sanitizer half of them: what a shadow does a rig does, too, and "paced twin" what "free" does.
bool tried(std::size_t column) {
  return (test::kThorough || column % 2 == 1) && (!kColumns[column].kit() || triesKits());
}

constexpr double kFaultFrom_s = 0.8, kRamp_s = 0.1, kServerRamp_s = 0.2, kAnswerWait_s = 0.01;
constexpr int kStaleTicks = 5, kTimeoutTicks = 4, kTicksAfter = 50;

/// What a fault has to lead to.
struct Outlook {
  std::vector<const char*> limits;  // one of these decides; "the rig": its own status does; empty: it goes on
  Action action;
};
struct Expected {
  FaultKind kind;
  double value;
  Outlook inside;  // where rig and bench are one program
  Outlook tcp;     // over a link, where the bench waits for each answer
};

const std::array<Expected, 15>& expectations() {
  const Outlook stale{{"stale-data"}, Action::ramp}, gap{{"gap"}, Action::ramp}, lost{{"link-lost"}, Action::stop};
  static const std::array<Expected, 15> all = {{
      {FaultKind::link_loss, 0.0, lost, lost},
      {FaultKind::frame_loss, 1.0, stale, stale},
      {FaultKind::corruption, 1.0, stale, lost},             // TCP repeats nothing that it took for whole
      {FaultKind::reorder, 1.0, stale, {{}, Action::none}},  // each second answer comes, and is the newest
      {FaultKind::latency, 0.5, stale, stale},
      {FaultKind::jitter, 0.5, stale, stale},
      {FaultKind::stuck_sensor, 0.0, gap, gap},
      {FaultKind::spike, 0.1, {{"displacement"}, Action::stop}, {{"displacement"}, Action::stop}},
      {FaultKind::drift, 0.2, gap, gap},
      {FaultKind::not_a_number, 0.0, {{"not-a-number"}, Action::stop}, stale},  // never taken from the wire
      {FaultKind::saturation, 1e-4, gap, gap},
      {FaultKind::actuator_freeze, 0.0, gap, gap},
      {FaultKind::runaway, 0.2, gap, gap},
      {FaultKind::power_off, 0.0, {{"the rig"}, Action::stop}, {{"the rig"}, Action::stop}},
      {FaultKind::interlock, 0.0, {{"interlock"}, Action::stop}, {{"interlock"}, Action::stop}},
  }};
  return all;
}

const Outlook& outlookOf(const Expected& expected, const Column& column) {
  const bool repairs = column.serial() && expected.kind == FaultKind::corruption;  // damage costs one frame
  const bool by_bench = column.udp() || (column.kit() && faultFacts(expected.kind).place != FaultPlace::connection);
  return linked(column.mode) && !repairs && !by_bench ? expected.tcp : expected.inside;
}
/// A bench has no way to let the actuators of a device that is no simulation run away or saturate.
bool applies(const Expected& expected, const Column& column) {
  return !(column.kit() || column.udp()) ||
         (expected.kind != FaultKind::runaway && expected.kind != FaultKind::saturation);
}

/// A kit's twin follows less closely than the project's: while data are stale, its gap grows further.
double gapLimit_m(const Column& column) { return column.kit() ? 0.0015 : 0.001; }

/// Where the actuators may stand at the end of a ramp. A kit's twin lags by 3 ms and is switched off with the end of
/// the command's cosine: at most a/2 (pi lag/ramp)^2 from zero, for an amplitude a of 20 mm.
double restLimit_m(const Column& column) {
  const double share = std::numbers::pi * 0.003 / kRamp_s;
  return column.kit() ? 0.01 * share * share : 1e-4;
}

/// The actuators do something else than they are told. An interlock is only told of.
bool astray(FaultKind kind) { return faultFacts(kind).place == FaultPlace::rig && kind != FaultKind::interlock; }

Project projectOf(const Expected& expected, const Column& column, const std::string& address) {
  const RunMode mode = column.mode;
  Json document = templateDocument("three-mass");
  document["loop"]["duration_s"] = linked(mode) ? 1.5 : 3.0;
  document["loop"]["soft_start_s"] = 0.4;
  document["loop"]["soft_end_s"] = 0.1;
  document["analysis"]["start_s"] = 0.4;
  document["safety"] = Json::parse(R"({"limits": [
      {"quantity": "displacement", "threshold_m": 0.05, "action": "stop"},
      {"quantity": "gap", "threshold_m": 0.001, "action": "ramp"},
      {"quantity": "stale-data", "threshold_ticks": 5, "action": "ramp"},
      {"quantity": "link-lost", "action": "stop"},
      {"quantity": "interlock", "action": "stop"},
      {"quantity": "not-a-number", "action": "stop"}]})");
  document["safety"]["limits"][1]["threshold_m"] = gapLimit_m(column);
  document["safety"]["stop_ramp_s"] = kRamp_s;
  Json fault = {{"kind", name(expected.kind)}, {"from_s", kFaultFrom_s}};
  if (faultFacts(expected.kind).max > faultFacts(expected.kind).min) fault["value"] = expected.value;
  document["rig"]["faults"] = Json::array({fault});
  if (mode != RunMode::free && mode != RunMode::paced) {
    document["rig"]["use"] = mode == RunMode::rig || mode == RunMode::linked_rig ? "rig" : "shadow";
    document["rig"]["connection"] = {{"protocol", "frames"}, {"address", address}};
    // A cut cable shows before the data count as stale; nothing else takes so long.
    document["rig"]["connection"]["timeout_ticks"] = expected.kind == FaultKind::link_loss ? kTimeoutTicks : 10'000;
    document["rig"]["connection"]["connect_s"] = 20;
    document["rig"]["connection"]["silence_s"] = 0.1;
    document["rig"]["connection"]["ramp_s"] = kServerRamp_s;
  }
  return parseProject(document);
}

/// A clock that costs no time; every 97th wake-up is two periods late. It waits where the recorder is behind.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(Recorder& recorder) : recorder_(recorder) {}
  std::int64_t nowNs() noexcept override { return now_ns_; }
  int sleepUntilNs(std::int64_t wake_ns) noexcept override {
    while (recorder_.rows().freeRows() == 0) std::this_thread::yield();
    now_ns_ = wake_ns + (++sleeps_ % 97 == 0 ? 2'100'000 : 20'000);
    return 0;
  }

 private:
  Recorder& recorder_;
  std::int64_t now_ns_ = 1'000'000'000;
  int sleeps_ = 0;
};

/// The device behind a link, as the test sees it.
class Partner {
 public:
  virtual ~Partner() = default;
  virtual std::string address() const = 0;
  /// A period of the test has passed; from passAlone() on the device's time goes on by itself.
  virtual void passPeriod() {}
  virtual void passAlone() {}
  /// Until so many commands have reached the device and been answered.
  virtual bool await(std::uint64_t commands) = 0;
  virtual bool atRest() = 0;
  /// Plays a fault of the link. False: the device plays it.
  virtual bool inject(const FaultSpec& /*fault*/, bool /*begin*/) { return false; }
};

/// An example of the kit, as a process, behind a line with faults on purpose. It has its own time and its own twin.
class Kit final : public Partner {
 public:
  explicit Kit(const Column& column)
      : device_(deviceKind(column.kind).serve(column.listen, {})), line_(device_->address(), column.listen) {}
  std::string address() const override { return line_.address(); }
  bool await(std::uint64_t commands) override {
    // A terminal may take a command only with the next one, which the bench sends without this answer.
    QElapsedTimer time;
    for (time.start(); line_.answers() < commands && time.elapsed() < 1000;) std::this_thread::yield();
    return true;
  }
  bool atRest() override { return device_->said(kAtRest); }
  bool inject(const FaultSpec& fault, bool begin) override { return line_.set(fault, begin); }
  std::uint64_t answers() const { return line_.answers(); }
  /// Largest position that it reports at rest.
  double end_m() {
    const QString log = QString::fromStdString(device_->log());
    double largest = 0.0;
    for (const QString& value : log.mid(log.lastIndexOf(kAtRest)).section(" at ", -1).section('\n', 0, 0).split(", "))
      largest = std::max(largest, std::abs(value.toDouble()));
    return largest;
  }

 private:
  static constexpr const char* kAtRest = "at rest: ";
  std::unique_ptr<ServedDevice> device_;
  FaultyLine line_;
};

/// A server that plays the project's twin, and what it has dealt with. Its time is that of the test: a period with
/// each command, and on its own after the last one. However slow the machine, nothing is late.
class Server final : public Partner {
 public:
  Server(const Column& column, std::shared_ptr<TruePath> path, std::unique_ptr<Rig> twin)
      : by_datagrams_(column.udp()), path_(std::move(path)), twin_(*twin) {
    const auto turns = [this] { turn(); };
    if (column.udp()) {
      layout_ = fullLayout(rigChannels({}, 2));
      layout_.leads = column.leads() ? TickBegin::target : TickBegin::bench;
      layout_.target_rate_hz = kServedRate_hz;
      udp_ = std::make_unique<ServedUdp>(
          layout_, [](RigServerSpec&) {}, clock_, std::move(twin), turns);
    } else {
      served_ = std::make_unique<ServedTwin>(column.listen, std::vector<FaultSpec>{}, rigChannels({}, 2),
                                             std::move(twin), turns, Eigen::MatrixXd{}, clock_);
    }
  }
  std::string address() const override { return udp_ ? udp_->address() : served_->address(); }
  /// The device that reaches it.
  std::unique_ptr<Device> device(const RigSpec& rig, const DeviceChannels& channels) {
    if (!udp_) return makeFramesDevice(rig.connection, channels);
    const RigSpec section = servedUdpRig(udp_->address(), layout_);
    auto made = makeUdpDevice(section, channels, clock_);
    if (layout_.leads == TickBegin::bench) return made;
    return std::make_unique<LedDevice>(std::move(made), clock_, 1.0 / kServedRate_hz);
  }
  void passPeriod() override {
    if (served_) clock_.pass(1.0 / kServedRate_hz);  // a UDP target goes by the datagrams, or by its own beats
  }
  void passAlone() override { alone_ = true; }
  bool atRest() override {
    if (udp_) return !udp_->following();
    return served_->state() == RigServer::State::stopped || served_->state() == RigServer::State::listening;
  }
  bool await(std::uint64_t commands) override {
    std::unique_lock lock(mutex_);
    return turned_.wait_for(lock, std::chrono::milliseconds(kHangs_ms), [&] { return dealt_with_ >= commands; });
  }
  /// Does that with the twin itself, on the thread that drives it. False: the server does not come to it.
  bool withTheTwin(std::function<void(Rig&)> job) {
    std::unique_lock lock(mutex_);
    job_ = std::move(job);
    const bool done = turned_.wait_for(lock, std::chrono::milliseconds(kHangs_ms), [&] { return job_ == nullptr; });
    job_ = nullptr;
    return done;
  }

 private:
  void turn() {
    // It lets seconds pass before it counts commands of a free run as gone.
    if (alone_ && !by_datagrams_)
      clock_.pass(served_->state() == RigServer::State::stopping ? 1.0 / kServedRate_hz : 1.0);
    {
      const std::lock_guard lock(mutex_);
      dealt_with_ = path_->writes;
      if (job_) job_(twin_);
      job_ = nullptr;
    }
    turned_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable turned_;
  std::uint64_t dealt_with_ = 0;
  std::function<void(Rig&)> job_;
  std::atomic<bool> alone_{false};
  const bool by_datagrams_;  // its thread must not look at the servers, which come and go
  std::shared_ptr<TruePath> path_;
  Rig& twin_;  // behind the server
  SetClock clock_;
  UdpSpec layout_;
  std::unique_ptr<ServedUdp> udp_;
  std::unique_ptr<ServedTwin> served_;
};

/// Reads when the device has answered the last command that the cable let through, so that only a fault on purpose
/// makes data stale.
class InStep final : public PassingDevice, private Lead {
 public:
  InStep(std::unique_ptr<Device> device, Partner& partner) : PassingDevice(std::move(device)), partner_(partner) {}
  RigStatus read(std::span<double> inputs) noexcept override {
    waitForPartner();
    return device_->read(inputs);
  }
  Lead* lead() noexcept override { return device_->lead() != nullptr ? this : nullptr; }
  RigStatus write(std::uint64_t tick, std::span<const double> outputs) noexcept override {
    const RigStatus status = device_->write(tick, outputs);
    partner_.passPeriod();
    if (status == RigStatus::ok && !cut_) ++heard_;
    return status;
  }
  void safeStop() noexcept override {
    waits_ = false;
    device_->safeStop();
    partner_.passAlone();
  }
  bool inject(const FaultSpec& fault, bool begin) noexcept override {
    if (fault.kind == FaultKind::link_loss) cut_ = begin;
    return partner_.inject(fault, begin) || device_->inject(fault, begin);
  }

 private:
  Beat await() noexcept override {
    waitForPartner();
    return device_->lead()->await();
  }
  void waitForPartner() noexcept {
    if (waits_ && !partner_.await(heard_)) waits_ = false;
  }
  Partner& partner_;
  std::uint64_t heard_ = 0;
  bool waits_ = true, cut_ = false;
};

struct Outcome {
  EndReason reason = EndReason::running;
  State state = State::ready;
  std::string sentence;
  std::uint64_t ticks = 0, dropped = 0;  // ticks of the loop from Run on; rows that did not reach the file
  WatchedRig::Seen seen;                 // up to the end of the loop
  bool came_to_rest = false;             // and lived through the ticks after the end
  bool refuses = true;                   // what the rig and the twin itself say and take in these
  double end_m = 0.0, moved_m = 0.0;     // largest true position at the end; how far it moved in the ticks after
};

/// One run from Run to its end, recorded.
Outcome runOnce(const Expected& expected, const Column& column, const fs::path& file) {
  const RunMode mode = column.mode;
  const auto path = std::make_shared<TruePath>();
  std::unique_ptr<Server> server;
  std::unique_ptr<Kit> kit;
  if (column.kit()) {
    kit = std::make_unique<Kit>(column);
  } else if (linked(mode)) {
    const Project served = projectOf(expected, kColumns[0], "");
    server = std::make_unique<Server>(column, path,
                                      std::make_unique<WatchedTwin>(buildTwin(served, buildPartition(served)), path));
  }
  Partner* const partner = server ? static_cast<Partner*>(server.get()) : kit.get();
  const Project project =
      projectOf(expected, column, partner != nullptr && !column.udp() ? partner->address() : "tcp://127.0.0.1:1");
  const Partition partition = buildPartition(project);
  const double step_s = 1.0 / project.loop.rate_hz;
  Rig* physical = nullptr;  // the twin itself, where no server thread drives it
  const auto twin = [&] {
    auto made = std::make_unique<WatchedTwin>(buildTwin(project, partition), path);
    physical = made.get();
    return made;
  };
  const DeviceFactory devices = [&](const RigSpec& rig, const DeviceChannels& given) -> std::unique_ptr<Device> {
    if (partner == nullptr) return std::make_unique<TwinDevice>(twin(), step_s);
    DeviceChannels channels = given;
    channels.answer_wait_s = kAnswerWait_s;
    return std::make_unique<InStep>(server ? server->device(rig, channels) : makeFramesDevice(rig.connection, channels),
                                    *partner);
  };
  std::unique_ptr<Rig> chain = project.rig.use == RigUse::twin ? makeFaultyRig(twin(), step_s, project.twin.seed)
                                                               : buildRig(project, partition, devices, column.leads());
  Outcome outcome;
  auto watched = std::make_unique<WatchedRig>(std::move(chain), outcome.seen);
  Rig& rig = *watched;
  const std::unique_ptr<Loop> loop = buildLoop(project, std::move(watched));
  Recorder recorder(file, buildHeader(project), loop->layout(), loop->eventNames(), project.loop.rate_hz,
                    project.loop.duration_s, project.recording.flush_s);
  loop->attachRecorder(&recorder.rows(), &recorder.events(), &recorder.failedFlag());
  loop->arm();
  loop->post({Request::Kind::start, -1, 0.0, {}});
  if (mode == RunMode::paced) {
    FakeClock clock(recorder);
    (void)runPaced(*loop, clock);
  } else {
    Beat beat;
    do {
      while (recorder.rows().freeRows() == 0) std::this_thread::yield();
      if (Lead* const lead = loop->lead()) beat = lead->await();
    } while (loop->tick(beat.elapsed, beat.late_ns));
  }
  outcome.reason = loop->endReason();
  outcome.state = loop->status().state.load();
  outcome.sentence = endSentence(*loop);
  outcome.ticks = loop->status().tick.load() + 1 - loop->status().missed_periods.load();
  recorder.close({outcome.reason == EndReason::completed, true, outcome.sentence});
  outcome.dropped = recorder.lostRows();

  // The safe state: a device takes its time for it, told by the bench or because commands have ceased.
  if (partner != nullptr && !QTest::qWaitFor([&] { return partner->atRest(); }, kHangs_ms)) return outcome;
  const auto n = static_cast<Eigen::Index>(rig.interfaces());
  RigState state{Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
  const Command elsewhere{Eigen::VectorXd::Constant(n, 1e-3), Eigen::VectorXd::Zero(n)};
  const std::size_t readings = outcome.seen.statuses.size();
  const std::uint64_t answers = kit ? kit->answers() : 0;
  const Eigen::VectorXd end = kit ? Eigen::VectorXd::Constant(1, kit->end_m()) : path->now();
  const auto ask = [&](Rig& asked, RigState& told) {
    for (const RigStatus status : {asked.read(told, 1), asked.write(elsewhere)})
      outcome.refuses = outcome.refuses && (status == RigStatus::fault || status == RigStatus::link_lost);
  };
  // The twin's time goes on, whoever asks; behind a server that is done with it, nobody would.
  for (int k = 0; k < kTicksAfter; ++k) {
    ask(rig, state);
    if (physical != nullptr) ask(*physical, state);
  }
  outcome.came_to_rest = !server || server->withTheTwin([&](Rig& served) {
    RigState there{Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
    for (int k = 0; k < kTicksAfter; ++k) ask(served, there);
  });
  outcome.end_m = end.cwiseAbs().maxCoeff();
  if (kit)
    outcome.refuses = outcome.refuses && kit->answers() == answers;  // nothing more is followed
  else
    outcome.moved_m = (path->now() - end).cwiseAbs().maxCoeff();
  outcome.seen.statuses.resize(readings);
  return outcome;
}

const RecordedEvent* find(const std::vector<RecordedEvent>& events, EventCode code, const std::string& text = {}) {
  for (const RecordedEvent& event : events)
    if (event.code == static_cast<int>(code) && event.message.find(text) != std::string::npos) return &event;
  return nullptr;
}

/// First row, from the recorded values and from what the loop was told alone, that asks for what the limit does.
std::size_t firstRowBeyond(const RunFileReader& run, const std::vector<RigStatus>& told, const std::string& limit,
                           double gap_m) {
  const auto first = [&](RigStatus status, int in_a_row = 1) {
    int seen = 0;
    for (std::size_t k = 0; k < told.size(); ++k) {
      seen = told[k] == status ? seen + 1 : 0;
      if (seen == in_a_row) return k;
    }
    return told.size();
  };
  const auto anyBeyond = [&](const char* channel, auto&& beyond) {
    std::size_t row = told.size();
    for (const char* i : {"1", "2"}) {
      const auto values = run.read("acquisition/" + std::string(channel) + i);
      for (std::size_t k = 0; k < std::min(row, values.size()); ++k)
        if (beyond(values[k])) row = k;
    }
    return row;
  };
  if (limit == "gap") return anyBeyond("gap_", [&](double gap) { return std::abs(gap) > gap_m; });
  if (limit == "displacement") return anyBeyond("measured_", [](double x) { return std::abs(x) > 0.05; });
  if (limit == "not-a-number") return anyBeyond("measured_", [](double x) { return std::isnan(x); });
  if (limit == "stale-data") return first(RigStatus::stale, kStaleTicks);
  if (limit == "link-lost") return first(RigStatus::link_lost);
  if (limit == "interlock") return first(RigStatus::interlock);
  return first(RigStatus::fault);
}

}  // namespace

class FaultMatrixTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::map<FaultKind, std::array<QString, kColumns.size()>> matrix_;

 private Q_SLOTS:
  void initTestCase() { requirePseudoTerminals(); }

  void everyFaultInEveryMode_data() {
    QTest::addColumn<int>("row");
    QTest::addColumn<int>("column");
    for (std::size_t e = 0; e < expectations().size(); ++e)
      for (std::size_t c = 0; c < kColumns.size(); ++c)
        if (tried(c) && applies(expectations()[e], kColumns[c]))
          QTest::addRow("%s, %s", name(expectations()[e].kind).data(), kColumns[c].name)
              << static_cast<int>(e) << static_cast<int>(c);
  }

  void everyFaultInEveryMode() {
    QFETCH(int, row);
    QFETCH(int, column);
    const Expected& expected = expectations()[static_cast<std::size_t>(row)];
    const Column& at_column = kColumns[static_cast<std::size_t>(column)];
    const RunMode where = at_column.mode;
    const Outlook& outlook = outlookOf(expected, at_column);
    const fs::path file =
        fs::path(folder_.path().toStdString()) / (std::to_string(row) + "-" + std::to_string(column) + ".h5");
    const Outcome outcome = runOnce(expected, at_column, file);
    const RunFileReader run(file);
    const auto ticks = run.read("acquisition/tick");
    const auto events = run.events();

    // No row lost: one for each tick of the loop, and one reading for each row.
    QCOMPARE(outcome.dropped, std::uint64_t{0});
    QCOMPARE(run.info().rows, outcome.ticks);
    QCOMPARE(static_cast<std::uint64_t>(outcome.seen.statuses.size()), outcome.ticks);

    // The fault began when the project says, and the file says so.
    const RecordedEvent* const begun = find(events, EventCode::fault_injected);
    QVERIFY(begun != nullptr);
    QVERIFY2(std::abs(static_cast<double>(begun->tick) - kFaultFrom_s * 1000.0) <= 3.0,
             qPrintable(QString::number(begun->tick)));
    QVERIFY2(begun->message.find(name(expected.kind)) != std::string::npos, begun->message.c_str());

    QString& cell = matrix_[expected.kind][static_cast<std::size_t>(column)];
    if (outlook.limits.empty()) {
      QVERIFY2(outcome.reason == EndReason::completed, outcome.sentence.c_str());
      const auto& told = outcome.seen.statuses;
      const auto stale = std::count(told.begin(), told.end(), RigStatus::stale);
      QVERIFY(stale > 100);
      cell = QString("%1 stale").arg(stale);
      checkSafeState(expected, at_column, outlook, outcome);
      return;
    }

    // What asks for the action, from the rows and the readings; it was decided in that very tick.
    std::size_t seen = ticks.size();
    std::string limit;
    for (const char* candidate : outlook.limits)
      if (const std::size_t k = firstRowBeyond(run, outcome.seen.statuses, candidate, gapLimit_m(at_column)); k < seen)
        seen = k, limit = candidate;
    QVERIFY2(seen < ticks.size(), outcome.sentence.c_str());
    const double at = ticks[seen];
    QVERIFY2(at > static_cast<double>(begun->tick), qPrintable(QString::number(at)));
    const RecordedEvent* const hit = limit == "the rig"
                                         ? find(events, EventCode::rig_status)
                                         : find(events, EventCode::limit_hit, words(*limitQuantity(limit)));
    QVERIFY2(hit != nullptr, outcome.sentence.c_str());
    // What the rig says is told before the tick counts on: with the number of the last one.
    QCOMPARE(static_cast<double>(hit->tick), limit == "the rig" ? ticks[seen - 1] : at);
    const auto flags = run.read("acquisition/flags");
    QVERIFY((static_cast<std::uint32_t>(flags[seen]) & kFlagStopping) != 0 || seen + 1 == ticks.size());

    // From the fault to what the loop reads of it: a tick, or as many as count before it is believed.
    const auto begun_row = static_cast<std::size_t>(
        std::lower_bound(ticks.begin(), ticks.end(), static_cast<double>(begun->tick)) - ticks.begin());
    const std::size_t after = seen - begun_row;
    if (limit == "the rig" || limit == "interlock" || limit == "not-a-number" || limit == "displacement")
      QCOMPARE(after, std::size_t{1});
    if (limit == "link-lost") QVERIFY2(after <= (linked(where) ? kTimeoutTicks + 1 : 1), qPrintable(cell));
    if (limit == "stale-data")
      // A kit's line has its own time: some of its late answers come in between.
      QVERIFY2(
          after >= kStaleTicks && (after <= kStaleTicks + 1 || (at_column.kit() && expected.kind == FaultKind::jitter)),
          qPrintable(QString::number(after)));

    // The declared action.
    if (outlook.action == Action::stop) {
      QCOMPARE(seen + 1, ticks.size());
    } else {
      QVERIFY(std::abs(ticks.back() - at - kRamp_s * 1000.0) <= 4.0);
      for (const char* channel : {"acquisition/command_1", "acquisition/command_2"})
        QVERIFY(std::abs(run.read(channel).back()) < 1e-9);  // at zero
    }
    QVERIFY(outcome.reason != EndReason::completed && outcome.reason != EndReason::operator_stop);
    QCOMPARE(outcome.state, State::fault);
    QVERIFY2(limit == "the rig" || outcome.reason != EndReason::limit ||
                 outcome.sentence.find(words(*limitQuantity(limit))) != std::string::npos,
             outcome.sentence.c_str());
    checkSafeState(expected, at_column, outlook, outcome);
    cell = QString("%1 +%2").arg(outlook.action == Action::stop ? "stop" : "ramp").arg(after);
  }

  void cleanupTestCase() {
    QString text = QString("%1").arg("fault", -16);
    for (const Column& column : kColumns) text += QString(" %1").arg(column.name, -11);
    for (const Expected& expected : expectations()) {
      text += QString("\n%1").arg(name(expected.kind).data(), -16);
      for (std::size_t c = 0; c < kColumns.size(); ++c) {
        const QString& cell = matrix_[expected.kind][c];
        text += QString(" %1").arg(!tried(c) || !applies(expected, kColumns[c]) ? "-"
                                   : cell.isEmpty()                             ? "FAILED"
                                                                                : cell,
                                   -11);
      }
    }
    qInfo().noquote() << "Action and ticks from the fault to it\n" + text;
  }

 private:
  /// The actuators truly stand still, and where the bench (a ramp) or the rig by itself (behind a server, which always
  /// does) could still bring them back, they stand at zero.
  static void checkSafeState(const Expected& expected, const Column& column, const Outlook& outlook,
                             const Outcome& outcome) {
    QVERIFY(outcome.seen.safe_stops > 0);
    QVERIFY(outcome.came_to_rest);
    QVERIFY(outcome.refuses);
    QVERIFY2(outcome.moved_m == 0.0, qPrintable(QString::number(outcome.moved_m)));
    const bool ramps_itself = linked(column.mode) && !column.udp();  // a UDP target is switched off where it stands
    if ((outlook.action == Action::ramp || ramps_itself) && !astray(expected.kind))
      QVERIFY2(outcome.end_m < restLimit_m(column), qPrintable(QString::number(outcome.end_m)));
  }
};

HYB_SUITE(fault_matrix, FaultMatrixTest)
HYB_THREADS(fault_matrix)
#include "fault_matrix_test.moc"
